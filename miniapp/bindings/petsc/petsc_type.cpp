// SPDX-License-Identifier: BSD-3-Clause
//
// Mat type "rowhalo": an AIJ matrix in all, whose products are computed by Rowhalo's operator as
// soon as that pays (multiplier.hpp). Public headers of PETSc alone, 3.18 to 3.26:
//
//   rowhalo, aijrowhalo, root names
//                        --> seqaijrowhalo on one rank    beginning with seqaij and mpiaij, since
//                            mpiaijrowhalo on several     PETSc asks for these beginnings
//   with CUDA vectors    --> seqaijcusparse or mpiaijcusparse, whose exact names PETSc asks for, in
//                            products, factorisations and MatSetPreallocationCOO()
//
//   MatCreate_ of the types: MatSetType(A, MATSEQAIJ or MATMPIAIJ, AIJCUSPARSE where the options
//   ask for CUDA vectors: device.hpp), then become_ours(A) replaces
//     mult, multadd, multtranspose, multtransposeadd    AIJ's function or the operator
//     destroy        reports and closes operators, then AIJ's
//     bind-to-CPU    AIJ's, then ours again where it has taken them away (AIJCUSPARSE)
//     duplicate      AIJ's, and the copy becomes ours
//     convert        to other types: as AIJ, by AIJ's converters, which are kept by type name
//     convertfrom    from other types: to AIJ, then become_ours()
//     composed MatProductSetFromOptions_anytype_C       products with other types, found as AIJ's
//
// AIJ's own functions are kept per type, not per matrix: MatHeaderMerge takes composed objects and
// the type's name away before it calls destroy.
#include <algorithm>
#include <array>
#include <string>

#include "kernels/gpu/device/runtime.hpp"
#include "miniapp/bindings/petsc/device.hpp"
#include "miniapp/bindings/petsc/errors.hpp"
#include "miniapp/bindings/petsc/multiplier.hpp"
#include "miniapp/bindings/petsc/rowhalo_petsc.h"
#include "partition/base/clock.hpp"

namespace rowhalo {

namespace {

/// What is below our type. Matrices on GPUs keep that name, others take one of ours.
enum Kind { seq, mpi, seq_cuda, mpi_cuda };
constexpr int kinds = petsc_has_cuda ? 4 : 2;
constexpr std::array<const char*, 4> aij_names{MATSEQAIJ, MATMPIAIJ, MATSEQAIJCUSPARSE,
                                               MATMPIAIJCUSPARSE};
constexpr std::array<const char*, 2> our_names{MATSEQAIJROWHALO, MATMPIAIJROWHALO};
constexpr Device device_of(Kind kind) {
  return kind == seq || kind == mpi ? Device::cpu : Device::gpu;
}
constexpr const char* any_product = "MatProductSetFromOptions_anytype_C";

/// What MatSetOperation takes: a pointer to a function, of another type in later versions.
template <class Function>
Function operation_type(PetscErrorCode (*)(Mat, MatOperation, Function));
using AnyFunction = decltype(operation_type(&MatSetOperation));

/// AIJ's functions in the place of which ours stand.
struct AijFunctions {
  PetscErrorCode (*mult)(Mat, Vec, Vec) = nullptr;
  PetscErrorCode (*mult_add)(Mat, Vec, Vec, Vec) = nullptr;
  PetscErrorCode (*mult_transpose)(Mat, Vec, Vec) = nullptr;
  PetscErrorCode (*mult_transpose_add)(Mat, Vec, Vec, Vec) = nullptr;
  PetscErrorCode (*destroy)(Mat) = nullptr;
  PetscErrorCode (*convert)(Mat, MatType, MatReuse, Mat*) = nullptr;
  PetscErrorCode (*convert_from)(Mat, MatType, MatReuse, Mat*) = nullptr;
  PetscErrorCode (*bind_to_cpu)(Mat, PetscBool) = nullptr;
  PetscErrorCode (*duplicate)(Mat, MatDuplicateOption, Mat*) = nullptr;
};
std::array<AijFunctions, 4> aij_functions;

/// Calls `visit(operation, member)` for each of the functions.
template <class Functions, class Visit>
PetscErrorCode for_each_function(Functions& functions, const Visit& visit) {
  PetscFunctionBegin;
  PetscCall(visit(MATOP_MULT, functions.mult));
  PetscCall(visit(MATOP_MULT_ADD, functions.mult_add));
  PetscCall(visit(MATOP_MULT_TRANSPOSE, functions.mult_transpose));
  PetscCall(visit(MATOP_MULT_TRANSPOSE_ADD, functions.mult_transpose_add));
  PetscCall(visit(MATOP_DESTROY, functions.destroy));
  PetscCall(visit(MATOP_CONVERT, functions.convert));
  PetscCall(visit(MATOP_CONVERT_FROM, functions.convert_from));
  PetscCall(visit(MATOP_BIND_TO_CPU, functions.bind_to_cpu));
  PetscCall(visit(MATOP_DUPLICATE, functions.duplicate));
  PetscFunctionReturn(petsc_success);
}

PetscErrorCode set_functions(Mat matrix, const AijFunctions& functions) {
  return for_each_function(functions, [&](MatOperation operation, const auto& function) {
    return MatSetOperation(matrix, operation, reinterpret_cast<AnyFunction>(function));
  });
}

PetscErrorCode get_functions(Mat matrix, AijFunctions& functions) {
  return for_each_function(functions, [&](MatOperation operation, auto& function) {
    return MatGetOperation(matrix, operation, reinterpret_cast<AnyFunction*>(&function));
  });
}

/// Collective. A product, by the operator or by `by_aij`.
template <Kind kind, class ByAij>
PetscErrorCode product(Mat matrix, Side side, Vec x, Vec add, Vec y, const ByAij& by_aij) {
  Multiplier* its = nullptr;
  bool on_gpu = true;
  PetscFunctionBegin;
  if (device_of(kind) == Device::gpu) PetscCall(are_on_gpu(x, y, on_gpu));
  if (!on_gpu) {
    PetscCall(by_aij());
    PetscFunctionReturn(petsc_success);
  }
  PetscCall(multiplier_for(matrix, device_of(kind), side, &its));
  if (its->ready()) {
    PetscCall(multiply(*its->spmv, x, add, y));
    PetscFunctionReturn(petsc_success);
  }
  const double start = now_seconds();
  PetscCall(by_aij());
  if (device_of(kind) == Device::gpu && its->waiting <= timed_products) {
    PetscCall(as_petsc_error(PETSC_COMM_SELF, [] { synchronize_device(); }));  // for its time
  }
  its->waited_seconds += now_seconds() - start;
  PetscFunctionReturn(petsc_success);
}

template <Kind kind>
PetscErrorCode mult(Mat matrix, Vec x, Vec y) {
  return product<kind>(matrix, Side::forward, x, nullptr, y,
                       [&] { return aij_functions[kind].mult(matrix, x, y); });
}

template <Kind kind>
PetscErrorCode mult_add(Mat matrix, Vec x, Vec add, Vec y) {
  return product<kind>(matrix, Side::forward, x, add, y,
                       [&] { return aij_functions[kind].mult_add(matrix, x, add, y); });
}

template <Kind kind>
PetscErrorCode mult_transpose(Mat matrix, Vec x, Vec y) {
  return product<kind>(matrix, Side::transposed, x, nullptr, y,
                       [&] { return aij_functions[kind].mult_transpose(matrix, x, y); });
}

template <Kind kind>
PetscErrorCode mult_transpose_add(Mat matrix, Vec x, Vec add, Vec y) {
  return product<kind>(matrix, Side::transposed, x, add, y,
                       [&] { return aij_functions[kind].mult_transpose_add(matrix, x, add, y); });
}

template <Kind kind>
PetscErrorCode destroy(Mat matrix) {
  PetscFunctionBegin;
  PetscCall(close_multipliers(matrix));
  PetscCall(PetscObjectComposeFunction((PetscObject)matrix, any_product, nullptr));
  PetscCall(aij_functions[kind].destroy(matrix));
  PetscFunctionReturn(petsc_success);
}

/// AIJCUSPARSE rewrites its products here: bound to the CPU they are AIJ's, unbound ours again.
template <Kind kind>
PetscErrorCode bind_to_cpu(Mat matrix, PetscBool bind);

PetscErrorCode convert_to(Mat matrix, MatType type, MatReuse reuse, Mat* result);
PetscErrorCode convert_from(Mat matrix, MatType type, MatReuse reuse, Mat* result);
template <Kind kind>
PetscErrorCode duplicate(Mat matrix, MatDuplicateOption option, Mat* copy);

template <Kind kind>
constexpr AijFunctions functions_of{
    mult<kind>, mult_add<kind>, mult_transpose<kind>, mult_transpose_add<kind>, destroy<kind>,
    convert_to, convert_from,   bind_to_cpu<kind>,    duplicate<kind>};
constexpr std::array<AijFunctions, 4> our_functions{functions_of<seq>, functions_of<mpi>,
                                                    functions_of<seq_cuda>, functions_of<mpi_cuda>};

template <Kind kind>
PetscErrorCode bind_to_cpu(Mat matrix, PetscBool bind) {
  PetscFunctionBegin;
  if (aij_functions[kind].bind_to_cpu == nullptr) PetscFunctionReturn(petsc_success);
  PetscCall(aij_functions[kind].bind_to_cpu(matrix, bind));
  if (!bind) PetscCall(set_functions(matrix, our_functions[kind]));
  PetscFunctionReturn(petsc_success);
}

/// Told by the functions.
PetscErrorCode is_ours(Mat matrix, bool& ours) {
  AnyFunction destroys = nullptr;
  PetscFunctionBegin;
  PetscCall(MatGetOperation(matrix, MATOP_DESTROY, &destroys));
  ours = std::ranges::any_of(our_functions, [&](const AijFunctions& functions) {
    return destroys == reinterpret_cast<AnyFunction>(functions.destroy);
  });
  PetscFunctionReturn(petsc_success);
}

/// The kind of a matrix of ours, told by its functions, or of AIJ, by its name.
PetscErrorCode kind_of(Mat matrix, Kind& kind) {
  AnyFunction destroys = nullptr;
  PetscFunctionBegin;
  PetscCall(MatGetOperation(matrix, MATOP_DESTROY, &destroys));
  for (int each = 0; each < kinds; ++each) {
    PetscBool named = PETSC_FALSE;
    PetscCall(PetscObjectTypeCompare((PetscObject)matrix, aij_names[each], &named));
    if (named || destroys == reinterpret_cast<AnyFunction>(our_functions[each].destroy)) {
      kind = static_cast<Kind>(each);
    }
  }
  PetscFunctionReturn(petsc_success);
}

/// What is composed for a product of these factors; null: nothing. `plain`: as if ours were AIJ on
/// the CPU, whose functions take those of GPUs, too.
PetscErrorCode composed_product(const std::array<Mat, 3>& factors, bool plain,
                                PetscErrorCode (**set)(Mat)) {
  PetscFunctionBegin;
  std::string name = "MatProductSetFromOptions";
  for (Mat factor : factors) {
    const char* type = nullptr;
    bool ours = false;
    Kind kind = seq;
    if (factor == nullptr) continue;
    PetscCall(MatGetType(factor, &type));
    PetscCall(is_ours(factor, ours));
    if (ours) PetscCall(kind_of(factor, kind));
    name = name + "_" + (ours ? aij_names[plain ? kind % 2 : kind] : type);
  }
  name += "_C";
  for (Mat factor : factors) {
    if (factor == nullptr || *set != nullptr) continue;
    PetscCall(PetscObjectQueryFunction((PetscObject)factor, name.c_str(), set));
  }
  PetscFunctionReturn(petsc_success);
}

/// Products of ours with other types: what AIJ or the other has composed for the product of AIJ, or
/// what plain AIJ does with plain AIJ, which a DM makes beside a type that it does not know.
PetscErrorCode product_as_aij(Mat product) {
  std::array<Mat, 3> factors{};
  PetscErrorCode (*set)(Mat) = nullptr;
  PetscFunctionBegin;
  PetscCall(MatProductGetMats(product, &factors[0], &factors[1], &factors[2]));
  for (bool plain : {false, true}) {
    if (set == nullptr) PetscCall(composed_product(factors, plain, &set));
  }
  for (Mat factor : factors) {
    PetscBool plain = PETSC_FALSE;
    if (factor == nullptr || set != nullptr) continue;
    PetscCall(PetscObjectTypeCompareAny((PetscObject)factor, &plain, MATSEQAIJ, MATMPIAIJ, ""));
    if (!plain) continue;
    PetscCall(
        MatGetOperation(factor, MATOP_PRODUCTSETFROMOPTIONS, reinterpret_cast<AnyFunction*>(&set)));
  }
  if (set != nullptr) PetscCall(set(product));
  PetscFunctionReturn(petsc_success);
}

PetscErrorCode become_aij(Mat matrix) {
  Kind kind = seq;
  PetscFunctionBegin;
  PetscCall(kind_of(matrix, kind));
  PetscCall(set_functions(matrix, aij_functions[kind]));
  PetscCall(PetscObjectComposeFunction((PetscObject)matrix, any_product, nullptr));
  PetscCall(PetscObjectChangeTypeName((PetscObject)matrix, aij_names[kind]));
  PetscFunctionReturn(petsc_success);
}

/// `matrix` is of a type in aij_names.
PetscErrorCode become_ours(Mat matrix) {
  Kind kind = seq;
  Multipliers* all = nullptr;
  PetscFunctionBegin;
  PetscCall(kind_of(matrix, kind));
  PetscCall(multipliers_of(matrix, device_of(kind), &all));  // reads its options
  if (aij_functions[kind].mult == nullptr) PetscCall(get_functions(matrix, aij_functions[kind]));
  PetscCall(set_functions(matrix, our_functions[kind]));
  PetscCall(PetscObjectComposeFunction((PetscObject)matrix, any_product, product_as_aij));
  if (device_of(kind) == Device::cpu) {
    PetscCall(PetscObjectChangeTypeName((PetscObject)matrix, our_names[kind]));
  }
  PetscFunctionReturn(petsc_success);
}

template <Kind kind>
PetscErrorCode duplicate(Mat matrix, MatDuplicateOption option, Mat* copy) {
  bool ours = false;
  PetscFunctionBegin;
  PetscCall(aij_functions[kind].duplicate(matrix, option, copy));
  PetscCall(is_ours(*copy, ours));
  if (!ours) PetscCall(become_ours(*copy));
  PetscFunctionReturn(petsc_success);
}

/// Collective. To another type: AIJ's converters are composed under the name of AIJ.
PetscErrorCode convert_to(Mat matrix, MatType type, MatReuse reuse, Mat* result) {
  PetscFunctionBegin;
  if (reuse == MAT_INPLACE_MATRIX) PetscCall(close_multipliers(matrix));
  PetscCall(become_aij(matrix));
  PetscCall(MatConvert(matrix, type, reuse, result));
  if (reuse != MAT_INPLACE_MATRIX) PetscCall(become_ours(matrix));
  PetscFunctionReturn(petsc_success);
}

/// Collective. From another type, by way of AIJ.
PetscErrorCode convert_from(Mat matrix, MatType, MatReuse reuse, Mat* result) {
  bool ours = false;
  PetscFunctionBegin;
  if (reuse == MAT_REUSE_MATRIX) {
    PetscCall(MatCopy(matrix, *result, DIFFERENT_NONZERO_PATTERN));
    PetscFunctionReturn(petsc_success);
  }
  PetscCall(is_ours(matrix, ours));
  if (ours && reuse == MAT_INPLACE_MATRIX) PetscFunctionReturn(petsc_success);
  if (ours) {
    PetscCall(MatDuplicate(matrix, MAT_COPY_VALUES, result));
    PetscFunctionReturn(petsc_success);
  }
  PetscBool aij = PETSC_FALSE;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)matrix, &aij, MATSEQAIJ, MATMPIAIJ,
                                      petsc_has_cuda ? MATSEQAIJCUSPARSE : "",
                                      petsc_has_cuda ? MATMPIAIJCUSPARSE : "", ""));
  if (!aij) {
    PetscCall(MatConvert(matrix, MATAIJ, reuse, result));
  } else if (reuse == MAT_INITIAL_MATRIX) {
    PetscCall(MatDuplicate(matrix, MAT_COPY_VALUES, result));
  }
  PetscCall(become_ours(*result));
  PetscFunctionReturn(petsc_success);
}

template <Kind kind>
PetscErrorCode create(Mat matrix) {
  MatType type = nullptr;
  bool gpu = false;
  PetscFunctionBegin;
  PetscCall(wants_gpu(matrix, gpu));
  const char* below = aij_names[gpu ? kind + 2 : kind];
  PetscCall(MatSetType(matrix, below));
  PetscCall(MatGetType(matrix, &type));
  PetscCheck(std::string(type) == below, PetscObjectComm((PetscObject)matrix), PETSC_ERR_USER_INPUT,
             "rowhalo: -mat_seqaij_type makes AIJ a matrix of type %s; leave it out with -mat_type "
             "rowhalo",
             type);
  PetscCall(become_ours(matrix));
  PetscFunctionReturn(petsc_success);
}

}  // namespace

}  // namespace rowhalo

PetscErrorCode PetscDLLibraryRegister_rowhalo_petsc() {
  using namespace rowhalo;
  PetscFunctionBegin;
  PetscCall(MatInitializePackage());
  PetscCall(register_events());
  PetscCall(MatRegister(MATSEQAIJROWHALO, create<seq>));
  PetscCall(MatRegister(MATMPIAIJROWHALO, create<mpi>));
  for (const char* root : {MATROWHALO, MATAIJROWHALO}) {
    PetscCall(MatRegisterRootName(root, MATSEQAIJROWHALO, MATMPIAIJROWHALO));
  }
  PetscFunctionReturn(petsc_success);
}

// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/bindings/petsc/device.hpp"

#include <petscdevice.h>

#include <array>
#include <string_view>

#include "kernels/gpu/device/runtime.hpp"
#include "miniapp/bindings/petsc/errors.hpp"

namespace rowhalo {

PetscErrorCode wants_gpu(Mat matrix, bool& gpu) {
  const char* prefix = nullptr;
  PetscFunctionBegin;
  gpu = false;
  if (!petsc_has_cuda) PetscFunctionReturn(petsc_success);
  PetscCall(PetscObjectGetOptionsPrefix((PetscObject)matrix, &prefix));
  for (const char* option : {"-vec_type", "-dm_vec_type", "-mat_vec_type"}) {
    for (const char* before : {prefix, static_cast<const char*>(nullptr)}) {
      std::array<char, 64> type{};
      PetscCall(PetscOptionsGetString(nullptr, before, option, type.data(), type.size(), nullptr));
      gpu = gpu || std::string_view(type.data()).find("cuda") != std::string_view::npos;
    }
  }
  gpu = gpu && built_with_cuda() && device_count() > 0;
  PetscFunctionReturn(petsc_success);
}

PetscErrorCode are_on_gpu(Vec x, Vec y, bool& gpu) {
  PetscFunctionBegin;
  gpu = true;
  for (Vec vector : {x, y}) {
    PetscBool cuda = PETSC_FALSE, bound = PETSC_FALSE;
    PetscCall(PetscObjectTypeCompareAny((PetscObject)vector, &cuda, VECSEQCUDA, VECMPICUDA, ""));
    PetscCall(VecBoundToCPU(vector, &bound));
    gpu = gpu && cuda && !bound;
  }
  PetscFunctionReturn(petsc_success);
}

#if defined(PETSC_HAVE_CUDA) && PETSC_VERSION_GE(3, 20, 0)

PetscErrorCode multiply_on_gpu(Operator& spmv, Vec x, bool add, Vec y) {
  const PetscScalar* from = nullptr;
  PetscScalar* to = nullptr;
  PetscMemType place_of_x = PETSC_MEMTYPE_HOST, place_of_y = PETSC_MEMTYPE_HOST;
  PetscDeviceContext context = nullptr;
  void* stream = nullptr;  // the address of PETSc's cudaStream_t
  PetscFunctionBegin;
  PetscCall(PetscDeviceContextGetCurrentContext(&context));
  PetscCall(PetscDeviceContextGetStreamHandle(context, &stream));
  PetscCall(VecGetArrayReadAndMemType(x, &from, &place_of_x));
  PetscCall(add ? VecGetArrayAndMemType(y, &to, &place_of_y)
                : VecGetArrayWriteAndMemType(y, &to, &place_of_y));
  PetscCheck(PetscMemTypeDevice(place_of_x) && PetscMemTypeDevice(place_of_y), PETSC_COMM_SELF,
             PETSC_ERR_PLIB, "rowhalo: CUDA vectors whose arrays are in host memory");
  PetscCall(PetscLogGpuTimeBegin());
  PetscCall(as_petsc_error(PETSC_COMM_SELF, [&] {
    spmv.apply(1.0, from, add ? 1.0 : 0.0, to, Stream{*static_cast<void**>(stream)});
  }));
  PetscCall(PetscLogGpuTimeEnd());
  PetscCall(PetscLogGpuFlops(2.0 * static_cast<double>(spmv.local().offsets.back())));
  PetscCall(add ? VecRestoreArrayAndMemType(y, &to) : VecRestoreArrayWriteAndMemType(y, &to));
  PetscCall(VecRestoreArrayReadAndMemType(x, &from));
  PetscFunctionReturn(petsc_success);
}

#else

PetscErrorCode multiply_on_gpu(Operator&, Vec, bool, Vec) {
  return petsc_error(PETSC_COMM_SELF, PETSC_ERR_SUP, "this PETSc has no CUDA");
}

#endif

}  // namespace rowhalo

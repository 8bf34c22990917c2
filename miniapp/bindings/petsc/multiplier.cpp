// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/bindings/petsc/multiplier.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cstdlib>

#include "miniapp/bindings/petsc/device.hpp"
#include "miniapp/bindings/petsc/errors.hpp"
#include "miniapp/bindings/petsc/rows.hpp"
#include "miniapp/tune/tune.hpp"
#include "miniapp/tune/tuning_file.hpp"
#include "partition/base/clock.hpp"
#include "partition/base/spec.hpp"

/// Of PETSc's manual and library in all versions, but declared among its private headers.
PETSC_EXTERN PetscErrorCode PetscObjectStateGet(PetscObject object, PetscObjectState* state);

namespace rowhalo {

namespace {

constexpr const char* composed_name = "rowhalo_multipliers";
PetscLogEvent set_up_event = -1;

/// A PETSc program has a rank per core and no threads; OMP_NUM_THREADS asks for others. Operators
/// keep the number of threads that was set when they were made.
class ThreadsOfOperator {
 public:
  ThreadsOfOperator() {
    if (std::getenv("OMP_NUM_THREADS") == nullptr) omp_set_num_threads(1);
  }
  ~ThreadsOfOperator() { omp_set_num_threads(before_); }
  ThreadsOfOperator(const ThreadsOfOperator&) = delete;
  ThreadsOfOperator& operator=(const ThreadsOfOperator&) = delete;

 private:
  int before_ = omp_get_max_threads();
};

PetscErrorCode destroy_multipliers(Multipliers* all) {
  const MPI_Comm comm = PETSC_COMM_SELF;
  const PetscErrorCode code = as_petsc_error(comm, [&] {
    for (Multiplier* side : {&all->forward, &all->transposed}) {
      if (side->spmv) side->spmv->close();
    }
  });
  delete all;
  return code;
}
#if PETSC_VERSION_LT(3, 23, 0)
PetscErrorCode destroy_composed(void* all) {
  return destroy_multipliers(static_cast<Multipliers*>(all));
}
#else
/// The place of the pointer is passed as void** until 3.24, as void* from then on.
[[maybe_unused]] PetscErrorCode destroy_composed(void** all) {
  return destroy_multipliers(static_cast<Multipliers*>(*all));
}
[[maybe_unused]] PetscErrorCode destroy_composed(void* all) {
  return destroy_multipliers(static_cast<Multipliers*>(*static_cast<void**>(all)));
}
#define PetscContainerSetUserDestroy PetscContainerSetCtxDestroy
#endif

/// Null where there are none.
PetscErrorCode composed_multipliers(Mat matrix, Multipliers** all) {
  PetscContainer container = nullptr;
  void* pointer = nullptr;
  PetscFunctionBegin;
  PetscCall(PetscObjectQuery((PetscObject)matrix, composed_name, (PetscObject*)&container));
  if (container != nullptr) PetscCall(PetscContainerGetPointer(container, &pointer));
  *all = static_cast<Multipliers*>(pointer);
  PetscFunctionReturn(petsc_success);
}

/// Collective. Format, transport and order for the rows: as named, as a file says, or by trials.
Tuning tuning_for(const Comm& comm, const LocalRows& rows, const Settings& settings) {
  Tuning named;
  if (!settings.tuning.empty()) {
    named = read_tuning(settings.tuning, comm);
    agree(comm, [&] {
      if (named.device == settings.device && named.precision == Precision::fp64) return;
      throw InputError("-mat_rowhalo_tuning " + settings.tuning,
                       fmt::format("was made for another device or precision than {} and fp64, in "
                                   "which PETSc has its vectors here",
                                   name_of(settings.device)));
    });
  }
  if (!settings.format.empty()) named.format = named.boundary_format = settings.format;
  if (!settings.transport.empty()) named.transport = settings.transport;
  named.device = settings.device;
  named.foreign_vectors = true;
  named.timeout_seconds = 24 * 3600;  // what a program may do between two products
  if (!settings.tuning.empty()) return named;
  return tune(comm, rows, {named, settings.reproducible, false}).tuning;
}

/// Whether all that the tuning names takes new values.
bool can_be_refilled(const Tuning& tuning) {
  for (const std::string& name : {tuning.format, tuning.boundary_format}) {
    if (name.empty()) continue;
    const Spec spec = Spec::parse(name, "format");
    if (!find_format(spec.name(), tuning.device).refillable) return false;
  }
  return true;
}

/// Collective. An operator for `matrix`, or its transpose, or new values for the one that is there.
PetscErrorCode make_operator(Mat matrix, Side side, const Settings& settings, Multiplier& its) {
  PetscRows rows;
  Mat source = matrix;
  const MPI_Comm comm = PetscObjectComm((PetscObject)matrix);
  const double start = now_seconds();
  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(set_up_event, matrix, 0, 0, 0));
  if (side == Side::transposed) PetscCall(MatTranspose(matrix, MAT_INITIAL_MATRIX, &source));
  PetscCall(rows_of(source, rows));
  if (side == Side::transposed) PetscCall(MatDestroy(&source));
  PetscCall(as_petsc_error(comm, [&] {
    const ThreadsOfOperator threads;
    const Comm ranks = Comm::of(comm);
    if (its.stale) {
      its.spmv->refill(rows.values.data());
      return;
    }
    if (!its.tuning) its.tuning = tuning_for(ranks, rows.view(), settings);
    its.tuning->refillable = its.changing && can_be_refilled(*its.tuning);
    its.spmv.emplace(ranks, rows.view(), *its.tuning);
  }));
  PetscCall(PetscLogEventEnd(set_up_event, matrix, 0, 0, 0));
  ++(its.stale ? its.refilled : its.made);
  its.stale = false;
  its.seconds += now_seconds() - start;
  PetscFunctionReturn(petsc_success);
}

/// Collective. Drops what was made of another pattern or of other values.
PetscErrorCode follow_changes(Mat matrix, Multiplier& its) {
  PetscObjectState pattern = 0, values = 0;
  PetscFunctionBegin;
  PetscCall(MatGetNonzeroState(matrix, &pattern));
  PetscCall(PetscObjectStateGet((PetscObject)matrix, &values));
  const bool same = its.matrix == matrix && its.pattern == pattern;
  if (same && its.values == values) PetscFunctionReturn(petsc_success);
  if (its.spmv || !same) its.waiting = 0;
  its.changing = same;
  its.stale = its.spmv && same && its.tuning->refillable;
  if (its.spmv && !its.stale) {
    PetscCall(as_petsc_error(PetscObjectComm((PetscObject)matrix), [&] { its.spmv->close(); }));
    its.spmv.reset();
  }
  if (!same) {
    its.waited_seconds = 0;
    its.due = -1;
    its.tuning.reset();
    its.nonzeros = -1;
  }
  its.matrix = matrix;
  its.pattern = pattern;
  its.values = values;
  PetscFunctionReturn(petsc_success);
}

/// Collective. Whether AIJ has multiplied long enough for an operator.
PetscErrorCode is_due(Mat matrix, const Settings& settings, Multiplier& its, bool& due) {
  constexpr double refilling = 6, making = 20, trials = 120;    // in products
  constexpr double alone = 0.05, together = 0.3, on_gpu = 0.5;  // seconds that trials always take
  const MPI_Comm comm = PetscObjectComm((PetscObject)matrix);
  MatInfo info;
  double seconds = its.waited_seconds;
  PetscMPIInt ranks = 1;
  PetscFunctionBegin;
  due = false;
  if (its.stale && settings.after < 0) {
    due = its.waiting >= refilling;
  } else if (settings.after >= 0) {
    due = its.waiting >= settings.after;
  } else if (its.tuning || !settings.wants_trials()) {
    due = its.waiting >= making;
  } else {
    if (its.due < 0 && its.waiting == timed_products) {
      PetscCallMPI(MPI_Comm_size(comm, &ranks));
      PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm));
      const double most = 1e9;
      const double fixed = settings.device == Device::gpu ? on_gpu : ranks > 1 ? together : alone;
      its.due = static_cast<PetscInt>(std::min(most, trials + fixed * timed_products / seconds));
    }
    due = its.due >= 0 && its.waiting >= its.due;
  }
  if (due && its.nonzeros < 0) {
    PetscCall(MatGetInfo(matrix, MAT_GLOBAL_SUM, &info));
    its.nonzeros = info.nz_used;
  }
  due = due && its.nonzeros >= static_cast<PetscLogDouble>(settings.least_nonzeros);
  PetscFunctionReturn(petsc_success);
}

/// Collective. What the operator has on all ranks, its matrix and format, in MB.
double megabytes(const Operator& spmv) {
  const LocalMatrix& matrix = spmv.local();
  const std::int64_t bytes =
      spmv.kernels().work().footprint_bytes +
      std::ssize(matrix.offsets) * std::int64_t{sizeof(Offset)} +
      matrix.offsets.back() * std::int64_t{sizeof(LocalIndex) + sizeof(double)};
  return 1e-6 * static_cast<double>(sum_over_ranks(spmv.comm(), bytes));
}

/// Collective.
PetscErrorCode report(Mat matrix, const char* which, const Multiplier& its) {
  PetscFunctionBegin;
  const MPI_Comm comm = PetscObjectComm((PetscObject)matrix);
  if (its.by_aij + its.by_operator == 0) PetscFunctionReturn(petsc_success);
  PetscCall(PetscPrintf(comm,
                        "  %s: %" PetscInt_FMT " products by AIJ, %" PetscInt_FMT
                        " by rowhalo; %" PetscInt_FMT " operators made, %" PetscInt_FMT
                        " refilled in %.3f s\n",
                        which, its.by_aij, its.by_operator, its.made, its.refilled, its.seconds));
  if (!its.spmv) PetscFunctionReturn(petsc_success);
  const Tuning& tuning = its.spmv->tuning();
  double size = 0;
  PetscCall(as_petsc_error(comm, [&] { size = megabytes(*its.spmv); }));
  PetscCall(PetscPrintf(comm, "    format %s, transport %s, %.1f MB beside the matrix of PETSc\n",
                        tuning.format.c_str(), tuning.transport.c_str(), size));
  PetscFunctionReturn(petsc_success);
}

/// Collective. Whether A serves for A^T: equal, with rows and columns on the same ranks.
PetscErrorCode is_own_transpose(Mat matrix, bool& own) {
  PetscBool known = PETSC_FALSE, symmetric = PETSC_FALSE;
  const PetscInt *rows = nullptr, *columns = nullptr;
  PetscMPIInt ranks = 0;
  PetscFunctionBegin;
  own = false;
  PetscCall(MatIsSymmetricKnown(matrix, &known, &symmetric));
  if (!known || !symmetric) PetscFunctionReturn(petsc_success);
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)matrix), &ranks));
  PetscCall(MatGetOwnershipRanges(matrix, &rows));
  PetscCall(MatGetOwnershipRangesColumn(matrix, &columns));
  own = std::equal(rows, rows + ranks + 1, columns);
  PetscFunctionReturn(petsc_success);
}

}  // namespace

PetscErrorCode multipliers_of(Mat matrix, Device device, Multipliers** all) {
  PetscContainer container = nullptr;
  const MPI_Comm comm = PetscObjectComm((PetscObject)matrix);
  PetscFunctionBegin;
  PetscCall(composed_multipliers(matrix, all));
  if (*all != nullptr) PetscFunctionReturn(petsc_success);
  Settings settings;
  settings.device = device;
  PetscCall(read_settings(matrix, settings));
  PetscCall(PetscContainerCreate(comm, &container));
  PetscCall(as_petsc_error(PETSC_COMM_SELF, [&] { *all = new Multipliers{settings, {}, {}}; }));
  PetscCall(PetscContainerSetPointer(container, *all));
  PetscCall(PetscContainerSetUserDestroy(container, destroy_composed));
  PetscCall(PetscObjectCompose((PetscObject)matrix, composed_name, (PetscObject)container));
  PetscCall(PetscContainerDestroy(&container));
  PetscFunctionReturn(petsc_success);
}

PetscErrorCode multiplier_for(Mat matrix, Device device, Side side, Multiplier** its) {
  Multipliers* all = nullptr;
  bool own_transpose = false, due = false;
  PetscFunctionBegin;
  PetscCall(multipliers_of(matrix, device, &all));
  if (side == Side::transposed) PetscCall(is_own_transpose(matrix, own_transpose));
  if (own_transpose) side = Side::forward;
  *its = side == Side::forward ? &all->forward : &all->transposed;
  PetscCall(follow_changes(matrix, **its));
  if (!(*its)->ready()) PetscCall(is_due(matrix, all->settings, **its, due));
  if (due) PetscCall(make_operator(matrix, side, all->settings, **its));
  if ((*its)->ready()) {
    ++(*its)->by_operator;
  } else {
    ++(*its)->by_aij;
    ++(*its)->waiting;
  }
  PetscFunctionReturn(petsc_success);
}

PetscErrorCode multiply(Operator& spmv, Vec x, Vec add, Vec y) {
  const PetscScalar* from = nullptr;
  PetscScalar* to = nullptr;
  PetscFunctionBegin;
  if (add != nullptr && add != y) PetscCall(VecCopy(add, y));
  if (spmv.tuning().device == Device::gpu) {
    PetscCall(multiply_on_gpu(spmv, x, add != nullptr, y));
    PetscFunctionReturn(petsc_success);
  }
  PetscCall(VecGetArrayRead(x, &from));
  PetscCall(add != nullptr ? VecGetArray(y, &to) : VecGetArrayWrite(y, &to));
  PetscCall(as_petsc_error(PETSC_COMM_SELF,
                           [&] { spmv.apply(1.0, from, add != nullptr ? 1.0 : 0.0, to); }));
  PetscCall(add != nullptr ? VecRestoreArray(y, &to) : VecRestoreArrayWrite(y, &to));
  PetscCall(VecRestoreArrayRead(x, &from));
  PetscCall(PetscLogFlops(2.0 * static_cast<double>(spmv.local().offsets.back())));
  PetscFunctionReturn(petsc_success);
}

PetscErrorCode close_multipliers(Mat matrix) {
  Multipliers* all = nullptr;
  const char* prefix = nullptr;
  PetscInt rows = 0, columns = 0;
  PetscFunctionBegin;
  PetscCall(composed_multipliers(matrix, &all));
  if (all == nullptr) PetscFunctionReturn(petsc_success);
  if (all->settings.view && all->products() > 0) {
    PetscCall(PetscObjectGetOptionsPrefix((PetscObject)matrix, &prefix));
    PetscCall(MatGetSize(matrix, &rows, &columns));
    PetscCall(PetscPrintf(PetscObjectComm((PetscObject)matrix),
                          "rowhalo: matrix %s%" PetscInt_FMT " x %" PetscInt_FMT "\n",
                          prefix != nullptr ? prefix : "", rows, columns));
    PetscCall(report(matrix, "A x", all->forward));
    PetscCall(report(matrix, "A^T x", all->transposed));
  }
  PetscCall(PetscObjectCompose((PetscObject)matrix, composed_name, nullptr));
  PetscFunctionReturn(petsc_success);
}

PetscErrorCode register_events() {
  PetscFunctionBegin;
  PetscCall(PetscLogEventRegister("MatRowhaloSetUp", MAT_CLASSID, &set_up_event));
  PetscFunctionReturn(petsc_success);
}

}  // namespace rowhalo

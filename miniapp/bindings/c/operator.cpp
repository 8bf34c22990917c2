// SPDX-License-Identifier: BSD-3-Clause
//
// Operators of the C interface (rowhalo.h): made from rows and options, in agreement of all ranks.
#include <fmt/format.h>

#include <memory>
#include <utility>

#include "kernels/gpu/device/runtime.hpp"
#include "miniapp/bindings/c/guard.hpp"
#include "miniapp/bindings/c/handles.hpp"
#include "miniapp/bindings/c/options.hpp"
#include "miniapp/bindings/c/rows.hpp"
#include "miniapp/spmv/own_comm.hpp"
#include "miniapp/tune/tuning_file.hpp"

namespace rowhalo::c {

namespace {

/// Collective. Device and precision, where options do not say them.
void settle(const Comm& comm, const rowhalo_csr& csr, OperatorOptions& options) {
  Tuning& named = options.request.named;
  const bool values_on_gpu = memory_kind(csr.values) == MemoryKind::device;
  const bool gpu = max_over_ranks(comm, std::int64_t{values_on_gpu}) != 0;
  const bool wide = max_over_ranks(comm, std::int64_t{csr.value_bytes}) == sizeof(double);
  named.device = options.device.value_or(gpu ? Device::gpu : Device::cpu);
  named.precision = options.precision.value_or(wide ? Precision::fp64 : Precision::fp32);
  options.request.graphs = false;  // applications call products one by one
  agree(comm, [&] {
    if (named.device == Device::gpu && device_count() == 0) {
      throw InputError(
          fmt::format("option device=gpu: rank {} has no GPU; use device=cpu", comm.rank));
    }
  });
}

/// Collective.
Tuning tuning_for(const Comm& comm, const rowhalo_csr& csr, const LocalRows& rows,
                  OperatorOptions& options) {
  const Tuning& named = options.request.named;
  if (!options.tuning_file.empty()) {
    Tuning tuning = read_tuning(options.tuning_file, comm);
    tuning.foreign_vectors = named.foreign_vectors;
    tuning.value_codes = named.value_codes;
    tuning.refillable = named.refillable;
    tuning.timeout_seconds = named.timeout_seconds;
    return tuning;
  }
  settle(comm, csr, options);
  if (!named.format.empty() && !named.transport.empty()) return named;
  return tune(comm, rows, options.request).tuning;
}

/// Collective.
std::unique_ptr<rowhalo_operator> make(const Comm& comm, const rowhalo_csr* csr, const char* text,
                                       rowhalo_operator** result) {
  OperatorOptions options;
  require_same_on_all(comm, text);
  agree(comm, [&] {
    require_argument(result, "op");
    options = operator_options(text);
  });
  TakenRows taken;
  take_rows(comm, csr, taken);
  if (options.transpose) transpose_rows(comm, taken);
  const Tuning tuning = tuning_for(comm, *csr, taken.rows, options);
  Comm caller = comm;
  caller.agreement = nullptr;  // which ends with this function: the operator has its own
  Operator op(caller, taken.rows, tuning);
  std::unique_ptr<rowhalo_operator> made;
  agree(comm, [&] {
    std::string made_with = options_text(op.tuning(), options.transpose);
    made.reset(new rowhalo_operator{std::move(op), std::move(made_with), taken.converted_bytes});
  });
  return made;
}

template <class T>
int apply(rowhalo_operator* op, double alpha, const T* x, double beta, T* y, void* stream) {
  return guarded([&] {
    require_argument(op, "op");
    check_vectors(*op, x, "x", y, "y");  // before others could wait for entries of x
    op->op.apply(alpha, x, beta, y, Stream{stream});
  });
}

}  // namespace

void check_vectors(const rowhalo_operator& of, const void* in, const char* in_name, const void* out,
                   const char* out_name) {
  const LocalMatrix& matrix = of.op.local();
  const bool gpu = of.op.site().device == Device::gpu;
  const auto check = [&](const void* data, const char* name, LocalIndex entries) {
    if (entries == 0) return;
    require_argument(data, name);
    if (gpu && memory_kind(data) == MemoryKind::host) {
      throw InputError(fmt::format(
          "{} is in host memory, but the operator is on a GPU; give a device address", name));
    }
  };
  check(in, in_name, matrix.owned_columns);
  check(out, out_name, matrix.owned_rows);
  if (in != nullptr && in == out) {
    throw InputError(
        fmt::format("{} and {} are the same array; they must not overlap", in_name, out_name));
  }
}

}  // namespace rowhalo::c

using namespace rowhalo;

int rowhalo_create(MPI_Comm handle, const rowhalo_csr* rows, const char* options,
                   rowhalo_operator** op) {
  return c::guarded([&] {
    c::require_mpi();
    if (handle == MPI_COMM_NULL) throw InputError("comm is MPI_COMM_NULL");
    OwnComm comm;
    comm.open(Comm::of(handle));
    std::unique_ptr<rowhalo_operator> made;
    try {
      together(comm.get(), [&] { made = c::make(comm.get(), rows, options, op); });
    } catch (const AgreedError&) {
      comm.close();
      throw;
    }
    comm.close();
    *op = made.release();
  });
}

int rowhalo_create_f(int comm, const rowhalo_csr* rows, const char* options,
                     rowhalo_operator** op) {
  if (const int code = c::guarded([] { c::require_mpi(); }); code != ROWHALO_SUCCESS) return code;
  return rowhalo_create(MPI_Comm_f2c(comm), rows, options, op);
}

int rowhalo_get_info(const rowhalo_operator* op, rowhalo_operator_info* info) {
  return c::guarded([&] {
    c::require_argument(op, "op");
    c::require_argument(info, "info");
    const LocalMatrix& matrix = op->op.local();
    *info = {.rows = matrix.info.rows,
             .columns = matrix.info.columns,
             .owned_rows = matrix.owned_rows,
             .owned_columns = matrix.owned_columns,
             .copied_bytes = op->op.copied_bytes(),
             .converted_bytes = op->converted_bytes,
             .on_gpu = op->op.site().device == Device::gpu,
             .vector_bytes = static_cast<int>(vector_value_bytes(op->op.tuning().precision))};
  });
}

int rowhalo_tuning(const rowhalo_operator* op, const char** options) {
  return c::guarded([&] {
    c::require_argument(op, "op");
    c::require_argument(options, "options");
    *options = op->options.c_str();
  });
}

int rowhalo_apply(rowhalo_operator* op, double alpha, const double* x, double beta, double* y,
                  void* stream) {
  return c::apply(op, alpha, x, beta, y, stream);
}

int rowhalo_apply_float(rowhalo_operator* op, double alpha, const float* x, double beta, float* y,
                        void* stream) {
  return c::apply(op, alpha, x, beta, y, stream);
}

int rowhalo_check(rowhalo_operator* op, void* stream) {
  return c::guarded([&] {
    c::require_argument(op, "op");
    if (op->op.site().device == Device::cpu) return;
    synchronize(Stream{stream});
    op->op.check();
  });
}

int rowhalo_refill(rowhalo_operator* op, const double* values, void* stream) {
  return c::guarded([&] {
    c::require_argument(op, "op");
    if (!op->op.tuning().refillable) {
      throw InputError("the operator takes no new values; make it with the option refillable=on");
    }
    if (op->op.local().offsets.back() > 0) c::require_argument(values, "values");
    if (op->op.site().device == Device::cpu && memory_kind(values) == MemoryKind::device) {
      throw InputError("values are in device memory, but the operator is on the CPU; copy them");
    }
    op->op.refill(values, Stream{stream});
  });
}

int rowhalo_destroy(rowhalo_operator** op) {
  return c::guarded([&] {
    if (op == nullptr || *op == nullptr) return;
    if ((*op)->solvers > 0) {
      throw InputError("the operator has solvers; call rowhalo_solver_destroy() for them first");
    }
    const std::unique_ptr<rowhalo_operator> gone(std::exchange(*op, nullptr));
    gone->op.close();
  });
}

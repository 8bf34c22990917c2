// SPDX-License-Identifier: BSD-3-Clause
//
// The order of a distributed product (distributed_spmv.hpp).
#include "miniapp/distributed_spmv.hpp"

#include <chrono>

namespace rowhalo {

PrecisionBlock::PrecisionBlock(const LocalMatrix& matrix, Precision precision)
    : view_(matrix.view()) {
  if (precision == Precision::fp64) return;
  values_.assign(matrix.values.begin(), matrix.values.end());
  view_.values = values_.data();
  view_.precision = precision;
}

KernelWork LocalKernels::work() const {
  KernelWork work = interior->work();
  if (boundary) {
    const KernelWork more = boundary->work();
    work.bytes += more.bytes;
    work.flops += more.flops;
    work.footprint_bytes += more.footprint_bytes;
    work.setup_seconds += more.setup_seconds;
  }
  return work;
}

LocalKernels make_kernels(const CsrView& block, const LocalMatrix& matrix, Schedule schedule,
                          const Spec& interior_format, const Spec& boundary_format, Device device) {
  LocalKernels kernels;
  kernels.schedule = schedule;
  kernels.rows = block.rows;
  const FormatEntry& interior = find_format(interior_format.name(), device);
  if (schedule == Schedule::blocking) {
    kernels.interior = interior.make(block, all_rows(block.rows), interior_format);
    return kernels;
  }
  const FormatEntry& boundary = find_format(boundary_format.name(), device);
  kernels.interior = interior.make(block, matrix.interior.view(), interior_format);
  kernels.boundary = boundary.make(block, matrix.boundary.view(), boundary_format);
  return kernels;
}

namespace {

enum class Phase { pack, exchange, interior, boundary };

}  // namespace

template <class After>
void DistributedSpmv::product(double alpha, const HaloVector& x, double beta, void* y,
                              Stream stream, After after) const {
  halo_.begin(x, stream);
  after(Phase::pack);
  if (kernels_.schedule == Schedule::overlap) {
    kernels_.interior->apply(alpha, x.data, beta, y, stream);
    after(Phase::interior);
    halo_.finish(x, stream);
    after(Phase::exchange);
    kernels_.boundary->apply(alpha, x.data, beta, y, stream);
    after(Phase::boundary);
  } else {
    halo_.finish(x, stream);
    after(Phase::exchange);
    kernels_.interior->apply(alpha, x.data, beta, y, stream);
    after(Phase::interior);
  }
}

void DistributedSpmv::apply(double alpha, const HaloVector& x, double beta, void* y,
                            Stream stream) const {
  product(alpha, x, beta, y, stream, [](Phase) {});
}

void apply_local(const LocalKernels& kernels, double alpha, const HaloVector& x, double beta,
                 void* y, Stream stream) {
  kernels.interior->apply(alpha, x.data, beta, y, stream);
  if (kernels.boundary) kernels.boundary->apply(alpha, x.data, beta, y, stream);
}

void DistributedSpmv::apply_timed(double alpha, const HaloVector& x, double beta, void* y,
                                  Stream stream, PhaseSeconds& seconds) const {
  using clock = std::chrono::steady_clock;
  clock::time_point last = clock::now();
  product(alpha, x, beta, y, stream, [&](Phase phase) {
    const clock::time_point now = clock::now();
    const double elapsed = std::chrono::duration<double>(now - last).count();
    last = now;
    switch (phase) {
      case Phase::pack:
        seconds.pack += elapsed;
        break;
      case Phase::exchange:
        seconds.exchange += elapsed;
        break;
      case Phase::interior:
        seconds.interior += elapsed;
        break;
      case Phase::boundary:
        seconds.boundary += elapsed;
        break;
    }
  });
}

}  // namespace rowhalo

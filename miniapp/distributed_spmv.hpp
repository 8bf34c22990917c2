// SPDX-License-Identifier: BSD-3-Clause
//
// DistributedSpmv: y = alpha*A*x + beta*y over all ranks. The only place where the order of a
// product stands: begin the exchange, interior rows, finish the exchange, boundary rows.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/formats.hpp"
#include "miniapp/halo/transports.hpp"
#include "partition/local_matrix.hpp"

namespace rowhalo {

enum class Schedule {
  overlap,   ///< begin, interior rows, finish, boundary rows
  blocking,  ///< begin, finish, all rows in one kernel
};

/// The local matrix with its values in the precision of the run. fp64 shares the arrays of
/// `matrix`, which outlives it either way.
class PrecisionBlock {
 public:
  PrecisionBlock(const LocalMatrix& matrix, Precision precision);
  const CsrView& view() const { return view_; }

 private:
  std::vector<float> values_;
  CsrView view_;
};

/// The kernels of one rank: interior and boundary for overlap, all rows in `interior` for blocking.
struct LocalKernels {
  std::unique_ptr<SpmvKernel> interior, boundary;  ///< boundary is null for blocking
  Schedule schedule = Schedule::overlap;
  LocalIndex rows = 0;  ///< of the whole block

  /// Sum of both.
  KernelWork work() const;
};

/// Local. Converts the rows; throws InputError when a format refuses.
LocalKernels make_kernels(const CsrView& block, const LocalMatrix& matrix, Schedule schedule,
                          const Spec& interior_format, const Spec& boundary_format, Device device);

/// One product on this rank alone: the ghosts of `x` are taken as they are.
void apply_local(const LocalKernels& kernels, double alpha, const HaloVector& x, double beta,
                 void* y, Stream stream);

/// Seconds spent in each phase of one or more products on this rank.
struct PhaseSeconds {
  double pack = 0, exchange = 0, interior = 0, boundary = 0;
};

class DistributedSpmv {
 public:
  /// Both outlive the operator.
  DistributedSpmv(const LocalKernels& kernels, HaloExchange& halo)
      : kernels_(kernels), halo_(halo) {}

  /// One product; the ghosts of `x` are brought up to date. y: one entry an owned row.
  void apply(double alpha, const HaloVector& x, double beta, void* y, Stream stream) const;
  /// The same product as apply(), adding the time of each phase to `seconds`.
  void apply_timed(double alpha, const HaloVector& x, double beta, void* y, Stream stream,
                   PhaseSeconds& seconds) const;

 private:
  /// The order of a product; `after(phase)` is called when a phase has ended.
  template <class After>
  void product(double alpha, const HaloVector& x, double beta, void* y, Stream stream,
               After after) const;

  const LocalKernels& kernels_;
  HaloExchange& halo_;
};

}  // namespace rowhalo

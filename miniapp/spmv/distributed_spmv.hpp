// SPDX-License-Identifier: BSD-3-Clause
//
// DistributedSpmv: y = alpha*A*x + beta*y over all ranks. The only place where the order of a
// product stands: begin the exchange, interior rows, finish the exchange, boundary rows; or that of
// another schedule.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/formats.hpp"
#include "kernels/gpu/device/device_csr.hpp"
#include "kernels/gpu/device/device_row_list.hpp"
#include "miniapp/halo/transports.hpp"
#include "miniapp/spmv/disturbance.hpp"
#include "miniapp/spmv/schedule.hpp"
#include "miniapp/spmv/side_stream.hpp"
#include "partition/local_matrix.hpp"

namespace rowhalo {

/// The local matrix as kernels take it: values in the precision of the run, arrays and row lists in
/// the memory of the device. On the host in fp64 it shares the arrays of `matrix`, which outlives
/// it either way.
class LoadedMatrix {
 public:
  /// Copies what must be copied; for a baseline schedule also the two parts that it multiplies by.
  LoadedMatrix(const LocalMatrix& matrix, Precision precision, Device device,
               Schedule schedule = Schedule::overlap);
  ~LoadedMatrix();
  LoadedMatrix(const LoadedMatrix&) = delete;
  LoadedMatrix& operator=(const LoadedMatrix&) = delete;

  const CsrView& view() const { return device_csr_ ? device_csr_->view() : host_view_; }
  RowListView interior() const {
    return lists_ ? lists_->interior.view() : matrix_.interior.view();
  }
  RowListView boundary() const {
    return lists_ ? lists_->boundary.view() : matrix_.boundary.view();
  }
  /// The parts: all rows, with the owned columns alone and with the ghosts alone.
  const CsrView& owned_columns() const;
  const CsrView& ghost_columns() const;
  /// Of all rows.
  LocalStatistics statistics() const;

 private:
  struct DeviceLists {
    DeviceRowList interior, boundary;
  };
  struct Parts;

  const LocalMatrix& matrix_;
  std::vector<std::byte> host_values_;  ///< where they are not stored in fp64
  CsrView host_view_;
  std::optional<DeviceCsr> device_csr_;
  std::optional<DeviceLists> lists_;
  std::unique_ptr<const Parts> parts_;
};

/// The kernels of one rank: interior and boundary for overlap, all rows in `interior` for blocking;
/// for a baseline all rows by their owned columns in `interior`, and in `boundary` what the ghosts
/// add to the boundary rows.
struct LocalKernels {
  std::unique_ptr<SpmvKernel> interior, boundary;  ///< boundary is null for blocking
  /// Where the boundary rows are computed as soon as their ghosts are there, beside the interior
  /// rows: they are few, and by themselves leave a GPU nearly empty. Null: after them.
  std::unique_ptr<const SideStream> side;
  Schedule schedule = Schedule::overlap;
  LocalIndex rows = 0;            ///< of the whole block
  bool repeatable = true;         ///< the same bits every time
  bool canonical = true;          ///< the bits of spmv_kernel.hpp in every row
  std::int64_t reread_bytes = 0;  ///< of y, which the second kernel of a baseline adds to

  /// Sum of both.
  KernelWork work() const;
};

/// Local. The first kernel of make_kernels(): of all rows where the schedule is blocking.
LocalKernels make_interior_kernel(const LoadedMatrix& block, Schedule schedule,
                                  const FormatEntry& format, const Spec& options);
/// Local. The other part, with a stream of its own where that pays; nothing where the schedule is
/// blocking. A refusal leaves `kernels` as they were.
void make_boundary_kernel(const LoadedMatrix& block, const FormatEntry& format, const Spec& options,
                          LocalKernels& kernels);

/// Local. Converts the rows of `block`, which outlives the kernels; throws InputError when a format
/// is unknown or refuses. A vendor's format takes whole matrices only: its schedule is blocking, or
/// a baseline.
LocalKernels make_kernels(const LoadedMatrix& block, Schedule schedule, const Spec& interior_format,
                          const Spec& boundary_format);

/// One product on this rank alone: the ghosts of `x` are taken as they are.
void apply_local(const LocalKernels& kernels, double alpha, const HaloVector& x, double beta,
                 void* y, Stream stream);

/// The phases of a product, in the order of overlap.
enum class Phase { pack, interior, exchange, boundary };
const char* name_of(Phase phase);

class DistributedSpmv {
 public:
  /// All outlive the operator; `disturber` may be null.
  DistributedSpmv(const LocalKernels& kernels, HaloExchange& halo, Device device,
                  Disturber* disturber = nullptr);

  /// One product; the ghosts of `x` are brought up to date. y: one entry an owned row.
  void apply(double alpha, const HaloVector& x, double beta, void* y, Stream stream) const;
  /// The same product, but phases come one after the other: `after(phase)` is called when what
  /// belongs to a phase has been put in.
  void apply(double alpha, const HaloVector& x, double beta, void* y, Stream stream,
             const std::function<void(Phase)>& after) const;

 private:
  /// The order of a product; `apart`: each phase by itself, one after the other.
  template <class After>
  void product(double alpha, const HaloVector& x, double beta, void* y, Stream stream, bool apart,
               After after) const;
  void begin(const HaloVector& x, Stream stream) const;
  void finish(const HaloVector& x, Stream stream) const;
  void exchange(const HaloVector& x, Stream stream) const;
  void end(const HaloVector& x, Stream stream) const;

  const LocalKernels& kernels_;
  HaloExchange& halo_;
  Disturber* disturber_;
  std::optional<StreamHandle> arrival_;  ///< what the host of hpcg-like waits for
};

}  // namespace rowhalo

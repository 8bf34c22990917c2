// SPDX-License-Identifier: BSD-3-Clause
//
// The order of a distributed product (distributed_spmv.hpp).
#include "miniapp/spmv/distributed_spmv.hpp"

#include <stdexcept>

#include "kernels/gpu/device/device_work.hpp"
#include "miniapp/spmv/column_split.hpp"
#include "miniapp/spmv/profiler_range.hpp"
#include "partition/base/numbers.hpp"

namespace rowhalo {

struct LoadedMatrix::Parts {
  Parts(ColumnSplit&& columns, Precision precision, Device device)
      : split(std::move(columns)),
        owned(split.owned, precision, device),
        ghosts(split.ghosts, precision, device) {}

  ColumnSplit split;
  LoadedMatrix owned, ghosts;
};

LoadedMatrix::~LoadedMatrix() = default;

LoadedMatrix::LoadedMatrix(const LocalMatrix& matrix, Precision precision, Device device,
                           Schedule schedule)
    : matrix_(matrix), host_view_(matrix.view()) {
  host_view_.precision = precision;
  if (precision != Precision::fp64) {
    host_values_.resize(matrix.values.size() * matrix_value_bytes(precision));
    store(matrix_type(precision), matrix.values.data(), std::ssize(matrix.values),
          host_values_.data());
    host_view_.values = host_values_.data();
  }
  if (device == Device::gpu) {
    device_csr_.emplace(host_view_);
    lists_.emplace(DeviceLists{DeviceRowList(matrix.interior), DeviceRowList(matrix.boundary)});
    std::vector<std::byte>().swap(host_values_);
  }
  if (entry_of(schedule).baseline) {
    parts_ = std::make_unique<Parts>(split_columns(matrix), precision, device);
  }
}

const CsrView& LoadedMatrix::owned_columns() const {
  if (!parts_) throw std::logic_error("the block was made for another schedule");
  return parts_->owned.view();
}

const CsrView& LoadedMatrix::ghost_columns() const {
  if (!parts_) throw std::logic_error("the block was made for another schedule");
  return parts_->ghosts.view();
}

LocalStatistics LoadedMatrix::statistics() const {
  const RowListView rows = all_rows(host_view_.rows);
  return local_statistics(host_view_, device_csr_ ? row_lengths_on_device(view(), rows)
                                                  : count_row_lengths(view(), rows));
}

KernelWork LocalKernels::work() const {
  KernelWork work = interior->work();
  if (boundary) {
    const KernelWork more = boundary->work();
    work.bytes += more.bytes + reread_bytes;
    work.matrix_bytes += more.matrix_bytes;
    work.stored_entries += more.stored_entries;
    work.flops += more.flops;
    work.footprint_bytes += more.footprint_bytes;
    work.setup_seconds += more.setup_seconds;
    work.coalescing.reset();  // of one kernel only
    work.balance.reset();
    work.parameters.clear();
  }
  return work;
}

namespace {

/// What `schedule` becomes with this format.
Schedule suited(Schedule schedule, const FormatEntry& format) {
  return format.baseline && !entry_of(schedule).baseline ? Schedule::blocking : schedule;
}

/// Whether two streams serve the kernels of `block` better than one.
bool suits_side_stream(const LoadedMatrix& block, const LocalKernels& kernels) {
  return block.view().device == Device::gpu && kernels.schedule == Schedule::overlap &&
         block.interior().count > 0 && block.boundary().count > 0 &&
         !kernels.interior->starts_early() && !kernels.boundary->starts_early();
}

}  // namespace

LocalKernels make_interior_kernel(const LoadedMatrix& block, Schedule schedule,
                                  const FormatEntry& format, const Spec& options) {
  LocalKernels kernels;
  kernels.rows = block.view().rows;
  kernels.repeatable = format.repeatable;
  kernels.schedule = suited(schedule, format);
  const bool overlap = kernels.schedule == Schedule::overlap;
  const bool parts = entry_of(kernels.schedule).baseline;
  kernels.canonical = format.canonical && !parts;
  kernels.interior = make_kernel(format, parts ? block.owned_columns() : block.view(),
                                 overlap ? block.interior() : all_rows(kernels.rows), options);
  return kernels;
}

void make_boundary_kernel(const LoadedMatrix& block, const FormatEntry& format, const Spec& options,
                          LocalKernels& kernels) {
  if (kernels.schedule == Schedule::blocking) return;
  const bool parts = entry_of(kernels.schedule).baseline;
  const RowListView rows = format.baseline ? all_rows(kernels.rows) : block.boundary();
  kernels.boundary =
      make_kernel(format, parts ? block.ghost_columns() : block.view(), rows, options);
  kernels.repeatable = kernels.repeatable && format.repeatable;
  kernels.canonical = kernels.canonical && format.canonical;
  if (parts) {
    kernels.reread_bytes =
        static_cast<std::int64_t>(vector_value_bytes(block.view().precision)) * rows.count;
  }
  kernels.side.reset();
  if (suits_side_stream(block, kernels)) kernels.side = std::make_unique<const SideStream>();
}

LocalKernels make_kernels(const LoadedMatrix& block, Schedule schedule, const Spec& interior_format,
                          const Spec& boundary_format) {
  const Device device = block.view().device;
  const FormatEntry& interior = find_format(interior_format.name(), device);
  const FormatEntry& boundary = find_format(boundary_format.name(), device);
  LocalKernels kernels =
      make_interior_kernel(block, suited(schedule, boundary), interior, interior_format);
  make_boundary_kernel(block, boundary, boundary_format, kernels);
  return kernels;
}

namespace {

void apply_boundary(const LocalKernels& kernels, double alpha, const HaloVector& x, double beta,
                    void* y, Stream stream) {
  const bool add = entry_of(kernels.schedule).baseline;
  kernels.boundary->apply(alpha, x.data, add ? 1.0 : beta, y, stream);
}

}  // namespace

void apply_local(const LocalKernels& kernels, double alpha, const HaloVector& x, double beta,
                 void* y, Stream stream) {
  const Stream edge = kernels.side ? kernels.side->fork(stream) : stream;
  kernels.interior->apply(alpha, x.data, beta, y, stream);
  if (kernels.boundary) apply_boundary(kernels, alpha, x, beta, y, edge);
  if (kernels.side) kernels.side->join(stream);
}

const char* name_of(Phase phase) {
  constexpr const char* names[] = {"pack", "interior", "exchange", "boundary"};
  return names[static_cast<int>(phase)];
}

DistributedSpmv::DistributedSpmv(const LocalKernels& kernels, HaloExchange& halo, Device device,
                                 Disturber* disturber)
    : kernels_(kernels), halo_(halo), disturber_(disturber) {
  if (kernels.schedule == Schedule::hpcg_like && device == Device::gpu) arrival_.emplace();
}

template <class After>
void DistributedSpmv::product(double alpha, const HaloVector& x, double beta, void* y,
                              Stream stream, bool apart, After after) const {
  const auto step = [&](Phase phase, const auto& work) {
    const ProfilerRange range(name_of(phase));
    work();
    after(phase);
  };
  const auto interior = [&] { kernels_.interior->apply(alpha, x.data, beta, y, stream); };
  const bool blocking = kernels_.schedule == Schedule::blocking;
  const bool in_line = blocking && !apart;
  if (!in_line) step(Phase::pack, [&] { begin(x, stream); });
  if (blocking) {
    step(Phase::exchange, [&] { in_line ? exchange(x, stream) : finish(x, stream); });
    step(Phase::interior, interior);
  } else {
    const SideStream* side = apart ? nullptr : kernels_.side.get();
    const Stream edge = side != nullptr ? side->fork(stream) : stream;
    step(Phase::interior, interior);  // before finish(), which may hold up the host
    step(Phase::exchange, [&] { finish(x, edge); });
    step(Phase::boundary, [&] { apply_boundary(kernels_, alpha, x, beta, y, edge); });
    if (side != nullptr) side->join(stream);
  }
  end(x, stream);
}

void DistributedSpmv::begin(const HaloVector& x, Stream stream) const {
  if (disturber_ != nullptr) disturber_->delay(stream);
  if (kernels_.schedule == Schedule::petsc_like) {
    halo_.begin_from_host(x, stream);
  } else {
    halo_.begin(x, stream);
  }
}

void DistributedSpmv::finish(const HaloVector& x, Stream stream) const {
  if (disturber_ != nullptr) disturber_->delay(stream);
  if (arrival_) {
    halo_.finish(x, arrival_->stream());
    arrival_->synchronize();
  } else {
    halo_.finish(x, stream);
  }
}

void DistributedSpmv::exchange(const HaloVector& x, Stream stream) const {
  if (disturber_ != nullptr) disturber_->delay(stream);
  halo_.exchange(x, stream);
  if (disturber_ != nullptr) disturber_->delay(stream);
}

void DistributedSpmv::end(const HaloVector& x, Stream stream) const {
  if (disturber_ != nullptr) disturber_->ghosts_used(x, stream);
  if (arrival_) synchronize(stream);
}

void DistributedSpmv::apply(double alpha, const HaloVector& x, double beta, void* y,
                            Stream stream) const {
  product(alpha, x, beta, y, stream, false, [](Phase) {});
}

void DistributedSpmv::apply(double alpha, const HaloVector& x, double beta, void* y, Stream stream,
                            const std::function<void(Phase)>& after) const {
  product(alpha, x, beta, y, stream, true, after);
}

}  // namespace rowhalo

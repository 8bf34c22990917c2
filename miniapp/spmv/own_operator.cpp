// SPDX-License-Identifier: BSD-3-Clause
//
// How operators are made and closed (operator.hpp): those that own their parts from rows to kernels
// and an exchange, others from what they are given.
#include <fmt/format.h>

#include <optional>
#include <stdexcept>
#include <utility>

#include "miniapp/halo/memory/memory.hpp"
#include "miniapp/halo/site.hpp"
#include "miniapp/spmv/operator.hpp"
#include "miniapp/spmv/own_comm.hpp"
#include "partition/partitioners.hpp"
#include "partition/value_route.hpp"

namespace rowhalo {

namespace {

bool mpi_has_ended() {
  int ended = 0;
  MPI_Finalized(&ended);
  return ended != 0;
}

const TransportEntry& entry_of(const Tuning& tuning, const ComputeSite& site) {
  const TransportEntry& entry =
      tuning.own_transport != nullptr ? *tuning.own_transport : find_transport(tuning.transport);
  const std::string reason = entry.unusable(site);
  if (!reason.empty()) throw InputError(fmt::format("transport {}: {}", entry.name, reason));
  return entry;
}

/// Names where there were none.
Tuning completed(Tuning tuning, const ComputeSite& site) {
  if (tuning.format.empty()) {
    const bool coded = takes(find_format("asell", site.device), tuning.precision);
    tuning.format = coded ? "asell" : "sell";
  }
  if (tuning.own_format != nullptr)
    tuning.format = tuning.boundary_format = tuning.own_format->name;
  if (tuning.boundary_format.empty()) tuning.boundary_format = tuning.format;
  if (tuning.own_transport != nullptr) tuning.transport = tuning.own_transport->name;
  if (tuning.transport.empty()) {
    for (const char* name : {"p2p", "nccl", "mpi"}) {
      tuning.transport = name;
      if (find_transport(name).unusable(site).empty()) break;
    }
  }
  return tuning;
}

LocalKernels kernels_for(const OperatorParts& parts, const Tuning& tuning) {
  const Spec interior = Spec::parse(tuning.format, "format");
  const Spec boundary = Spec::parse(tuning.boundary_format, "boundary format");
  if (tuning.own_format != nullptr && tuning.own_format->device != tuning.device) {
    throw InputError(fmt::format("format {}: is one for {}, but the operator is on {}",
                                 tuning.own_format->name, name_of(tuning.own_format->device),
                                 name_of(tuning.device)));
  }
  if (tuning.own_format == nullptr) {
    return make_local_kernels(parts, tuning.order, interior, boundary);
  }
  LocalKernels kernels = make_interior_kernel(parts, tuning.order, *tuning.own_format, interior);
  make_boundary_kernel(parts, *tuning.own_format, boundary, kernels);
  return kernels;
}

}  // namespace

struct Operator::Storage {
  OwnComm comm;
  Progress progress;
  Tuning tuning;
  ComputeSite site;
  LocalMatrix matrix;
  HaloPlan plan;
  std::optional<LoadedMatrix> block;
  std::optional<LoadedColumns> columns;
  LocalKernels kernels;
  Connections connections;
  ValueRoute route;             ///< of new values
  std::vector<double> arrived;  ///< values from the device that pass through the host

  OperatorParts parts() {
    OperatorParts all{comm.get(), matrix, *block, plan, site};
    all.connections = &connections;
    if (columns) all.columns = &*columns;
    all.foreign_vectors = tuning.foreign_vectors;
    all.vectors = tuning.vectors;
    return all;
  }
  /// Collective.
  LocalMatrix distributed(DistributedCsr&& whole, const std::string& partition) {
    const PartitionerEntry* partitioner = nullptr;
    std::optional<Spec> options;
    agree(comm.get(), [&] {
      options = Spec::parse(partition, "partition");
      partitioner = &find_partitioner(options->name());
    });
    const std::vector<int> owners =
        partitioner->assign(whole, comm.get().size, *options, comm.get(), progress);
    if (tuning.refillable) route = ValueRoute(comm.get(), whole, owners);
    return make_local_matrix(comm.get(), std::move(whole), owners, nullptr, progress);
  }
  /// Local.
  void make_kernels() {
    if (tuning.vectors < 1 || tuning.vectors > most_vectors) {
      throw InputError(fmt::format("Tuning::vectors is {}; a product takes 1 to {}", tuning.vectors,
                                   most_vectors));
    }
    const Precision precision = tuning.precision;
    const NewValues new_values = tuning.refillable ? NewValues::refilled : NewValues::never;
    block.emplace(matrix, precision, tuning.device, tuning.value_codes, 0, new_values);
    if (tuning.order == Order::split) {
      columns.emplace(matrix, precision, tuning.device, tuning.value_codes, new_values);
    }
    kernels = kernels_for(parts(), tuning);
    if (tuning.device == Device::gpu && !route.keeps_order()) arrived.resize(route.given());
  }
  /// Collective where rows move. The values of the matrix on the host.
  void take_values(const double* values, bool on_device, Stream stream) {
    if (on_device) {
      copy_async(arrived.data(), values, arrived.size() * sizeof(double), stream);
      synchronize(stream);
      values = arrived.data();
    }
    route.carry(comm.get(), values, matrix.values.data());
  }
  /// Collective. Puts it where the constructor closes it if something fails afterwards.
  void make_exchange(std::unique_ptr<HaloExchange>& halo) {
    const TransportEntry* entry = nullptr;
    VectorMemory y;  // while places of vectors are tried
    const bool foreign = tuning.foreign_vectors, tries = !foreign && tuning.halo_vectors <= 2;
    agree(comm.get(), [&] {
      entry = &entry_of(tuning, site);
      const auto rows = static_cast<std::size_t>(matrix.owned_rows);
      if (site.device == Device::gpu && tries) {
        y = VectorMemory(site.device, rows * tuning.vectors * vector_value_bytes(tuning.precision));
      }
    });
    const int of_foreign = kernels.layout() == Layout::row ? 2 : 1;  // columns are used in turn
    halo = make_exchanges(
               parts(), kernels,
               {*entry, foreign ? of_foreign : tuning.halo_vectors, tries ? y.data() : nullptr})
               .x;
    take_resources(comm.get(), "vectors", [&] {
      if (site.device == Device::gpu) synchronize_device();  // before y goes
    });
  }
};

Operator::Operator(const Comm& comm, const LocalRows& rows, const Tuning& tuning)
    : Operator(comm, tuning, &rows, nullptr) {}

Operator::Operator(const Comm& comm, DistributedCsr&& matrix, const Tuning& tuning)
    : Operator(comm, tuning, nullptr, &matrix) {}

Operator::Operator(const Comm& comm, const Tuning& tuning, const LocalRows* rows,
                   DistributedCsr* matrix) {
  agree(comm, [this] { storage_ = std::make_unique<Storage>(); });
  Storage& own = *storage_;
  own.comm.open(comm);
  try {
    together(own.comm.get(), [&] {
      own.tuning = tuning;
      own.matrix = rows != nullptr ? make_local_matrix(own.comm.get(), *rows, own.progress)
                                   : own.distributed(std::move(*matrix), tuning.partition);
      if (rows != nullptr && tuning.refillable) {
        agree(own.comm.get(), [&] { own.route = ValueRoute(*rows); });
      }
      own.plan = make_halo_plan(own.comm.get(), own.matrix, own.progress);
      own.site = compute_site(own.comm.get(), tuning.device);
      own.site.timeout_seconds = tuning.timeout_seconds;
      own.tuning = completed(tuning, own.site);
      agree(own.comm.get(), [&] { own.make_kernels(); });
      kernels_ = &own.kernels;
      own.make_exchange(halo_);
      if (!tuning.foreign_vectors) return;
      agree(own.comm.get(),
            [&] { taken_ = std::make_unique<const TakenEntries>(own.parts(), own.kernels); });
      own_vectors_[0] = make_halo_vector();
      if (own.kernels.layout() == Layout::row) own_vectors_[1] = make_halo_vector();
      if (tuning.vectors == 1) return;
      agree(own.comm.get(), [&] {
        const std::size_t entries = std::size_t(own.matrix.owned_rows) * tuning.vectors;
        converted_y_ = VectorMemory(tuning.device, entries * vector_value_bytes(tuning.precision));
      });
    });
  } catch (const AgreedError&) {
    try {
      // Where a rank has none, the others' cannot be closed together: they go with their memory.
      if (max_over_ranks(own.comm.get(), std::int64_t{halo_ == nullptr}) != 0) halo_.reset();
      close();
    } catch (const std::exception&) {  // a device that has failed: the first error says so
    }
    throw;
  }
}

Operator::Operator(const LocalKernels& kernels, Exchanges exchanges)
    : kernels_(&kernels), halo_(std::move(exchanges.x)), sums_(std::move(exchanges.sums)) {}

Operator::~Operator() = default;
Operator::Operator(Operator&& other) noexcept
    : storage_(std::move(other.storage_)),
      kernels_(std::exchange(other.kernels_, nullptr)),
      halo_(std::move(other.halo_)),
      sums_(std::move(other.sums_)),
      sum_vectors_(std::move(other.sum_vectors_)),
      taken_(std::move(other.taken_)),
      own_vectors_{other.own_vectors_[0], other.own_vectors_[1]},
      turn_(other.turn_),
      converted_y_(std::move(other.converted_y_)) {}

const LocalMatrix& Operator::local() const {
  return storage_->matrix;
}
const Tuning& Operator::tuning() const {
  return storage_->tuning;
}
const Comm& Operator::comm() const {
  return storage_->comm.get();
}
const ComputeSite& Operator::site() const {
  return storage_->site;
}

/// Collective. Vectors in column layout are as many of the transport's.
HaloVector Operator::make_halo_vector() {
  const Layout layout = kernels_->layout();
  const auto next = [&] {
    if (sums_) sum_vectors_.push_back(sums_->make_vector());
    return halo_->make_vector();
  };
  HaloVector x = next();
  if (layout == Layout::row) {
    if (x.vectors == kernels_->vectors) return x;
    throw std::logic_error(fmt::format("a transport that exchanges {} vectors at once made {}",
                                       kernels_->vectors, x.vectors));
  }
  for (int k = 1; k < kernels_->vectors; ++k) {
    const HaloVector column = next();
    if (k == 1) x.stride_bytes = column.data - x.data;
    if (column.data == x.data + k * x.stride_bytes && column.slot == x.slot + k) continue;
    throw std::logic_error("a transport does not put one vector after the other");
  }
  x.vectors = kernels_->vectors;
  x.layout = layout;
  return x;
}

HaloVector Operator::make_vector() {
  if (!halo_ || taken_) {
    throw std::logic_error("make_vector() of an operator for foreign vectors, or of a closed one");
  }
  HaloVector x;
  const auto make = [&] { x = make_halo_vector(); };
  if (storage_) {
    together(storage_->comm.get(), make);
  } else {
    make();
  }
  return x;
}

const HaloVector& Operator::lent_vector() const {
  if (!halo_ || !taken_) throw std::logic_error("lent_vector() takes an open foreign operator");
  return own_vectors_[0];
}

ValueOrder Operator::refill_order() const {
  if (storage_->route.moves()) return ValueOrder::moved;
  return storage_->route.keeps_order() ? ValueOrder::kept : ValueOrder::other;
}

void Operator::refill(const double* values, Stream stream) {
  if (kernels_ == nullptr) throw std::logic_error("an operator that was closed was refilled");
  if (!storage_ || !storage_->tuning.refillable) {
    throw std::logic_error("an operator that was not made with Tuning::refillable was refilled");
  }
  Storage& own = *storage_;
  const bool on_device =
      own.tuning.device == Device::gpu && memory_kind(values) >= MemoryKind::managed;
  if (on_device && own.route.keeps_order()) {
    const bool as_stored = own.tuning.precision == Precision::fp64 && !own.columns;
    if (as_stored && own.kernels.copies_values()) return own.kernels.refill_from(values, stream);
    own.block->refill_from_device(values, stream);
  } else {
    own.take_values(values, on_device, stream);
    own.block->refill(stream);
  }
  if (own.columns) own.columns->refill(own.matrix, *own.block, stream);
  own.kernels.refill(stream);
}

void Operator::close() {
  kernels_ = nullptr;
  if (mpi_has_ended()) return;
  const std::unique_ptr<HaloExchange> sums = std::move(sums_), halo = std::move(halo_);
  if (sums) sums->close();
  if (halo) halo->close();
  if (!storage_) return;
  storage_->connections.close();
  storage_->comm.close();
}

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// The rows in local numbers, then one trial after the other (tune.hpp).
#include "miniapp/tune/tune.hpp"

#include <cstddef>
#include <optional>
#include <string>

#include "miniapp/halo/site.hpp"
#include "miniapp/spmv/own_comm.hpp"
#include "miniapp/tune/choose.hpp"
#include "miniapp/tune/trials.hpp"
#include "partition/base/hash.hpp"
#include "partition/base/numbers.hpp"

namespace rowhalo {

namespace {

/// Entries between 1 and 2 by global column, so that ghosts from elsewhere are seen.
std::vector<std::byte> x_of_trials(const LocalMatrix& matrix, Precision precision, int vectors) {
  const NumberType type = vector_type(precision);
  std::vector<double> x;
  x.reserve(matrix.source_columns.size() * vectors);
  for (int k = 0; k < vectors; ++k) {
    for (const GlobalIndex column : matrix.source_columns) {
      x.push_back(1 + static_cast<double>(mix64(column, k) >> 11) * 0x1p-53);
    }
  }
  std::vector<std::byte> stored(x.size() * bytes_of(type));
  store(type, x.data(), std::ssize(x), stored.data());
  return stored;
}

std::string or_auto(const std::string& name) {
  return name.empty() ? "auto" : name;
}

/// Collective.
Tuned try_on(const Comm& comm, const LocalRows& rows, const TuneRequest& request,
             Connections& connections) {
  const Tuning& named = request.named;
  Progress progress;
  const LocalMatrix matrix = make_local_matrix(comm, rows, progress);
  const HaloPlan plan = make_halo_plan(comm, matrix, progress);
  ComputeSite site = compute_site(comm, named.device);
  site.timeout_seconds = named.timeout_seconds;
  const Schedule schedule =
      settled_schedule(comm, matrix, site, or_auto(named.transport), schedule_of(named.order))
          .schedule;
  std::optional<LoadedMatrix> block;
  std::unique_ptr<const LoadedColumns> columns;
  std::vector<std::byte> x;
  std::optional<StreamHandle> stream;
  std::optional<DeviceClock> clock;
  agree(comm, [&] {
    const NewValues new_values = named.refillable ? NewValues::refilled : NewValues::never;
    block.emplace(matrix, named.precision, named.device, named.value_codes, 0, new_values);
    columns =
        columns_for(schedule, matrix, named.precision, named.device, named.value_codes, new_values);
    x = x_of_trials(matrix, named.precision, named.vectors);
    if (named.device == Device::gpu) stream.emplace();
    clock.emplace(named.device, stream ? stream->stream() : Stream{});
  });
  const Measuring measuring{comm, *clock, progress};
  ProductSetting setting{{comm, matrix, *block, plan, site, columns.get(), nullptr, &connections},
                         measuring,
                         stream ? stream->stream() : Stream{},
                         x,
                         {},
                         schedule,
                         named.layout};
  setting.vectors = named.vectors;
  const FormatRequest formats{or_auto(named.format), named.boundary_format,
                              graphs_on(named.device, request.graphs), request.canonical};
  ChosenKernels kernels = choose_kernels(setting, formats);
  ChosenTransport transport =
      choose_transport(setting, or_auto(named.transport), request.graphs, kernels);
  const bool open = named.format.empty() && named.order == Order::overlap;
  const auto other = open ? try_other_schedules(setting, kernels, transport) : nullptr;
  const ChosenKernels& best = other ? other->kernels : kernels;
  Tuned tuned;
  tuned.tuning = named;
  tuned.tuning.format = best.interior;
  tuned.tuning.boundary_format = best.boundary;
  tuned.tuning.transport = transport.name;
  tuned.tuning.order = order_of(best.schedule);
  tuned.graph = transport.graph;
  tuned.formats = best.candidates;
  tuned.transports = std::move(transport.candidates);
  return tuned;
}

}  // namespace

Tuned tune(const Comm& comm, const LocalRows& rows, const TuneRequest& request) {
  OwnComm own;
  own.open(comm);
  Tuned tuned;
  try {
    together(own.get(), [&] {
      Connections connections;
      tuned = try_on(own.get(), rows, request, connections);
      connections.close();
    });
  } catch (const AgreedError&) {
    own.close();
    throw;
  }
  own.close();
  return tuned;
}

}  // namespace rowhalo

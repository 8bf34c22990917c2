// SPDX-License-Identifier: BSD-3-Clause
//
// Nodes and partitions in two levels (nodes.hpp). Rows and columns of a node are numbered in the
// order of the matrix, so its rows are a matrix of their own that is distributed evenly over all
// ranks, for the partitioner to take as any other.
#include "partition/nodes.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "partition/base/text.hpp"
#include "partition/matrix/directory.hpp"
#include "partition/matrix/index_map.hpp"
#include "partition/matrix/migrate.hpp"

namespace rowhalo {

namespace {

/// Where a row (and the column of that number) went at the first level.
struct Place {
  GlobalIndex number = 0;  ///< within its node
  int node = 0;
};

/// Of every row of this rank; `sizes` becomes the rows of each node. Collective.
std::vector<Place> places_of_rows(const Comm& comm, const std::vector<int>& node_of_row, int nodes,
                                  std::vector<GlobalIndex>& sizes) {
  std::vector<GlobalIndex> counts(nodes, 0), next(nodes, 0);
  for (const int node : node_of_row) ++counts[node];
  ROWHALO_MPI(MPI_Exscan(counts.data(), next.data(), nodes, MPI_INT64_T, MPI_SUM, comm.handle));
  if (comm.rank == 0) next.assign(nodes, 0);  // MPI leaves it undefined
  sizes = counts;
  sum_over_ranks(comm, sizes);
  std::vector<Place> places(node_of_row.size());
  for (std::size_t row = 0; row < places.size(); ++row) {
    places[row] = {next[node_of_row[row]]++, node_of_row[row]};
  }
  return places;
}

/// Columns as numbers within the node of their row; those on other nodes become the row itself. A
/// rectangular matrix keeps its columns. Collective.
std::vector<GlobalIndex> columns_in_nodes(const Comm& comm, const DistributedCsr& matrix,
                                          const std::vector<Place>& places) {
  if (matrix.info.rows != matrix.info.columns) return matrix.columns;
  std::vector<GlobalIndex> rows(places.size());
  std::iota(rows.begin(), rows.end(), matrix.first_row);
  const std::vector<Place> share = scatter<Place>(comm, matrix.info.rows, rows, places);
  IndexMap met;
  for (const GlobalIndex column : matrix.columns) met.insert(column);
  const std::vector<Place> met_places =
      gather<Place>(comm, matrix.info.columns, share, met.numbers());

  std::vector<GlobalIndex> columns(matrix.columns.size());
#pragma omp parallel for schedule(static)
  for (std::size_t row = 0; row < places.size(); ++row) {
    for (Offset k = matrix.offsets[row]; k < matrix.offsets[row + 1]; ++k) {
      const Place& place = met_places[met.find(matrix.columns[k])];
      columns[k] = place.node == places[row].node ? place.number : places[row].number;
    }
  }
  return columns;
}

/// The box of the source's grid that the rows of `node` fill, if they do. Collective.
std::optional<Grid> grid_of_node(const Comm& comm, const DistributedCsr& matrix,
                                 const std::vector<Place>& places, int node, GlobalIndex rows) {
  if (!matrix.info.grid || rows == 0) return {};
  const auto& extent = matrix.info.grid->extent;
  constexpr GlobalIndex none = -1;
  // Largest coordinates, and the distances of the smallest from the far end.
  std::array<GlobalIndex, 6> bounds{none, none, none, none, none, none};
  for (std::size_t row = 0; row < places.size(); ++row) {
    if (places[row].node != node) continue;
    GlobalIndex rest = (matrix.first_row + static_cast<GlobalIndex>(row)) / matrix.info.block;
    for (int axis = 0; axis < 3; ++axis) {
      const GlobalIndex at = axis < 2 ? rest % extent[axis] : rest;
      rest /= extent[axis];
      bounds[axis] = std::max(bounds[axis], at);
      bounds[3 + axis] = std::max(bounds[3 + axis], extent[axis] - 1 - at);
    }
  }
  ROWHALO_MPI(MPI_Allreduce(MPI_IN_PLACE, bounds.data(), 6, MPI_INT64_T, MPI_MAX, comm.handle));
  Grid grid;
  for (int axis = 0; axis < 3; ++axis) {
    grid.extent[axis] = bounds[axis] + bounds[3 + axis] + 2 - extent[axis];
  }
  const GlobalIndex points = grid.extent[0] * grid.extent[1] * grid.extent[2];
  if (points * matrix.info.block != rows) return {};
  return grid;
}

/// The rows of one node as a matrix that is distributed evenly over all ranks; `arrived`: how many
/// of this rank's share came from each rank. Collective.
DistributedCsr rows_of_node(const Comm& comm, const DistributedCsr& matrix,
                            const std::vector<Place>& places,
                            const std::vector<GlobalIndex>& columns, int node, GlobalIndex rows,
                            std::vector<std::int64_t>& arrived, Progress& progress) {
  DistributedCsr part;
  part.info = matrix.info;
  part.info.rows = rows;
  if (matrix.info.rows == matrix.info.columns) part.info.columns = rows;
  part.info.grid = grid_of_node(comm, matrix, places, node, rows);
  for (std::size_t row = 0; row < places.size(); ++row) {
    if (places[row].node != node) continue;
    if (part.local_rows() == 0) part.first_row = places[row].number;
    const Offset begin = matrix.offsets[row], end = matrix.offsets[row + 1];
    part.columns.insert(part.columns.end(), columns.begin() + begin, columns.begin() + end);
    part.values.insert(part.values.end(), matrix.values.begin() + begin,
                       matrix.values.begin() + end);
    part.offsets.push_back(static_cast<Offset>(part.columns.size()));
  }

  return evenly_distributed(comm, std::move(part), progress, &arrived);
}

}  // namespace

std::string host_name() {
  char name[256] = "unknown host";
  gethostname(name, sizeof name - 1);
  return valid_utf8(name);
}

NodePlace node_place(const Comm& comm) {
  const NodeMap nodes = node_map(comm, 0);
  const std::vector<int> ranks = ranks_of_nodes(nodes)[nodes.node_of[comm.rank]];
  const auto own = std::ranges::find(ranks, comm.rank);
  return {static_cast<int>(own - ranks.begin()), static_cast<int>(ranks.size())};
}

NodeMap emulated_nodes(int ranks, int ranks_per_node) {
  NodeMap map;
  for (int rank = 0; rank < ranks; ++rank) {
    map.node_of.push_back(ranks_per_node > 0 ? rank / ranks_per_node : 0);
  }
  map.nodes = ranks > 0 ? map.node_of.back() + 1 : 1;
  return map;
}

NodeMap node_map(const Comm& comm, int ranks_per_node) {
  if (ranks_per_node > 0) return emulated_nodes(comm.size, ranks_per_node);
  MPI_Comm node = MPI_COMM_NULL;
  meet(comm);
  ROWHALO_MPI(
      MPI_Comm_split_type(comm.handle, MPI_COMM_TYPE_SHARED, comm.rank, MPI_INFO_NULL, &node));
  int first = comm.rank;
  ROWHALO_MPI(MPI_Bcast(&first, 1, MPI_INT, 0, node));
  ROWHALO_MPI(MPI_Comm_free(&node));

  const std::vector<std::int64_t> firsts = gather_to_all(comm, first);
  NodeMap map;
  map.nodes = 0;
  for (int rank = 0; rank < comm.size; ++rank) {
    map.node_of.push_back(firsts[rank] == rank ? map.nodes++ : map.node_of[firsts[rank]]);
  }
  return map;
}

std::vector<std::vector<int>> ranks_of_nodes(const NodeMap& nodes) {
  std::vector<std::vector<int>> ranks(nodes.nodes);
  for (std::size_t rank = 0; rank < nodes.node_of.size(); ++rank) {
    ranks[nodes.node_of[rank]].push_back(static_cast<int>(rank));
  }
  return ranks;
}

NodeTraffic traffic_between_nodes(const std::vector<Flow>& flows, const NodeMap& nodes) {
  NodeTraffic traffic;
  for (const Flow& flow : flows) {
    if (nodes.node_of[flow.from] != nodes.node_of[flow.to]) traffic.add({1, flow.entries});
  }
  return traffic;
}

std::vector<PartTraffic> traffic_of_parts(const Comm& comm, const std::vector<Flow>& flows,
                                          const NodeMap& nodes) {
  std::vector<PartTraffic> traffic(nodes.node_of.size());
  for (const Flow& flow : flows) {
    const bool inside = nodes.node_of[flow.from] == nodes.node_of[flow.to];
    PartTraffic &from = traffic[flow.from], &to = traffic[flow.to];
    (inside ? from.sent_inside : from.sent_between).add({1, flow.entries});
    (inside ? to.received_inside : to.received_between).add({1, flow.entries});
  }
  constexpr std::size_t numbers = sizeof(PartTraffic) / sizeof(std::int64_t);
  sum_over_ranks(comm, {reinterpret_cast<std::int64_t*>(traffic.data()), numbers * traffic.size()});
  return traffic;
}

std::vector<int> assign_over_nodes(const Comm& comm, const DistributedCsr& matrix,
                                   const PartitionerEntry& entry, const Spec& options,
                                   const NodeMap& nodes, Progress& progress) {
  const std::vector<std::vector<int>> ranks = ranks_of_nodes(nodes);
  for (const std::vector<int>& on_node : ranks) {
    if (on_node.size() == ranks.front().size()) continue;
    throw AgreedError(
        ExitCode::usage,
        fmt::format("--hierarchical: nodes have {} and {} ranks, but the rows of a "
                    "node can only be distributed when all have the same number; start "
                    "as many on each, or leave --hierarchical out",
                    ranks.front().size(), on_node.size()));
  }
  const std::vector<int> node_of_row = entry.assign(matrix, nodes.nodes, options, comm, progress);
  std::vector<GlobalIndex> sizes;
  const std::vector<Place> places = places_of_rows(comm, node_of_row, nodes.nodes, sizes);
  const std::vector<GlobalIndex> columns = columns_in_nodes(comm, matrix, places);

  std::vector<int> owners(node_of_row.size(), 0);
  for (int node = 0; node < nodes.nodes; ++node) {
    std::vector<std::int64_t> arrived;
    const DistributedCsr part =
        rows_of_node(comm, matrix, places, columns, node, sizes[node], arrived, progress);
    const int parts = static_cast<int>(ranks[node].size());
    // Rows came in ascending order and so do the answers go back.
    const std::vector<int> answers =
        exchange(comm, entry.assign(part, parts, options, comm, progress), arrived);
    auto next = answers.begin();
    for (std::size_t row = 0; row < owners.size(); ++row) {
      if (node_of_row[row] == node) owners[row] = ranks[node][*next++];
    }
  }
  return owners;
}

}  // namespace rowhalo

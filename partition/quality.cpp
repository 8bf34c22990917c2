// SPDX-License-Identifier: BSD-3-Clause
//
// Quality of an assignment (quality.hpp). Every rank walks over its rows part after part, so that
// one mark per column tells whether this part has asked for it already; what remains, (column,
// asking part), goes to the rank that keeps the column in the directory, where askers on different
// ranks meet and are counted once. Who owns a column is arithmetic where the owners ascend with the
// rows (rows, nnz), and a question to the directory else.
#include "partition/quality.hpp"

#include <omp.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "partition/matrix/directory.hpp"
#include "partition/matrix/index_map.hpp"
#include "partition/matrix/migrate.hpp"
#include "partition/matrix/threads.hpp"

namespace rowhalo {

namespace {

/// Part `to` needs x at `column`, which another part owns.
struct Need {
  GlobalIndex column;
  int to;

  friend auto operator<=>(const Need&, const Need&) = default;
};

/// What one thread finds in its rows.
struct Walk {
  std::vector<Need> needs;                      ///< each once
  std::vector<std::int64_t> boundary_nonzeros;  ///< one per part
  std::int64_t edge_cut = 0;
};

/// Whether the owners of all rows ascend over all ranks. Collective.
bool owners_ascend(const Comm& comm, const std::vector<int>& owners) {
  const std::vector<std::int64_t> last = gather_to_all(comm, owners.empty() ? 0 : owners.back());
  const auto below = std::span(last).first(comm.rank);
  const bool ascend =
      std::is_sorted(owners.begin(), owners.end()) &&
      (owners.empty() || below.empty() || owners.front() >= std::ranges::max(below));
  return max_over_ranks(comm, std::int64_t{!ascend}) == 0;
}

/// Who owns x. A square matrix: the owners of its rows; else the parts' even shares.
class ColumnParts {
 public:
  /// `rows`: how many rows each part has. Collective.
  ColumnParts(const Comm& comm, const DistributedCsr& matrix, const std::vector<int>& owners,
              const std::vector<std::int64_t>& rows)
      : first_row_(matrix.first_row),
        first_kept_(even_split(matrix.info.columns, 1, comm.size, comm.rank)),
        owners_(owners) {
    const GlobalIndex size = matrix.info.columns;
    if (matrix.info.rows != size) {
      ranges_ = even_ranges(size, matrix.info.block, static_cast<int>(rows.size()));
    } else if (owners_ascend(comm, owners)) {
      ranges_.starts = starts_of(rows);
    } else {
      std::vector<GlobalIndex> numbers(owners.size());
      std::iota(numbers.begin(), numbers.end(), matrix.first_row);
      kept_ = scatter<int>(comm, size, numbers, owners);
      numbers = columns_outside(matrix);
      outside_ = IndexMap(numbers.size());
      for (const GlobalIndex number : numbers) outside_.insert(number);
      outside_parts_ = gather<int>(comm, size, kept_, numbers);
    }
  }

  /// Of a column of this rank's rows.
  bool owns(int part, GlobalIndex column) const {
    if (has_ranges()) return column >= ranges_.starts[part] && column < ranges_.starts[part + 1];
    return part == (is_inside(column) ? owners_[column - first_row_]
                                      : outside_parts_[outside_.find(column)]);
  }
  /// Of a column that this rank keeps in the directory.
  int of_kept(GlobalIndex column) const {
    return has_ranges() ? ranges_.owner(column) : kept_[column - first_kept_];
  }

 private:
  bool has_ranges() const { return !ranges_.starts.empty(); }
  /// Among the rows of this rank, where it needs no hash.
  bool is_inside(GlobalIndex column) const {
    return column >= first_row_ && column < first_row_ + std::ssize(owners_);
  }
  std::vector<GlobalIndex> columns_outside(const DistributedCsr& matrix) const {
    const int threads = omp_get_max_threads();
    const std::vector<GlobalIndex> starts = rows_of_threads(matrix.offsets, threads);
    std::vector<std::vector<GlobalIndex>> met(threads);
#pragma omp parallel for schedule(static, 1)
    for (int thread = 0; thread < threads; ++thread) {
      IndexMap outside;
      for (Offset k = matrix.offsets[starts[thread]]; k < matrix.offsets[starts[thread + 1]]; ++k) {
        if (!is_inside(matrix.columns[k])) outside.insert(matrix.columns[k]);
      }
      met[thread].assign(outside.numbers().begin(), outside.numbers().end());
    }
    return sorted_union(std::move(met));
  }

  GlobalIndex first_row_, first_kept_;
  const std::vector<int>& owners_;
  OwnedRanges ranges_;  ///< none where columns of a part do not follow each other
  // Then the owners of columns by the directory:
  std::vector<int> kept_;  ///< in this rank's share
  IndexMap outside_;       ///< met beyond the rows of this rank
  std::vector<int> outside_parts_;
};

/// Walks over rows [begin, end) of `order`.
Walk find_needs(const DistributedCsr& matrix, const std::vector<int>& owners, int parts,
                const std::vector<GlobalIndex>& order, GlobalIndex begin, GlobalIndex end,
                const ColumnParts& column_parts) {
  Walk walk;
  walk.boundary_nonzeros.assign(parts, 0);
  IndexMap elsewhere;      // columns of other parts
  std::vector<int> asked;  // one for each of them: the last part that did
  for (GlobalIndex at = begin; at < end; ++at) {
    const GlobalIndex row = order.empty() ? at : order[at];
    const int to = owners[row];
    bool boundary = false;
    for (Offset k = matrix.offsets[row]; k < matrix.offsets[row + 1]; ++k) {
      if (column_parts.owns(to, matrix.columns[k])) continue;
      boundary = true;
      ++walk.edge_cut;
      const auto number = static_cast<std::size_t>(elsewhere.insert(matrix.columns[k]));
      if (number == asked.size()) asked.push_back(-1);
      if (asked[number] == to) continue;
      asked[number] = to;
      walk.needs.push_back({matrix.columns[k], to});
    }
    if (boundary) walk.boundary_nonzeros[to] += matrix.offsets[row + 1] - matrix.offsets[row];
  }
  return walk;
}

/// What this rank's rows need, each once, ascending; edge cut and nonzeros of boundary rows are
/// added.
std::vector<Need> local_needs(const DistributedCsr& matrix, const std::vector<int>& owners,
                              const ColumnParts& column_parts, PartitionQuality& quality) {
  const int parts = quality.parts();
  const std::vector<GlobalIndex> order = rows_by_part(owners, parts);
  const int threads = omp_get_max_threads();
  std::vector<GlobalIndex> starts = rows_of_threads(matrix.offsets, threads);
  if (!order.empty()) {
    for (int thread = 0; thread <= threads; ++thread) {
      starts[thread] = even_split(std::ssize(order), 1, threads, thread);
    }
  }
  std::vector<Walk> walks(threads);
#pragma omp parallel for schedule(static, 1)
  for (int thread = 0; thread < threads; ++thread) {
    walks[thread] =
        find_needs(matrix, owners, parts, order, starts[thread], starts[thread + 1], column_parts);
  }
  std::vector<std::vector<Need>> needs;
  for (Walk& walk : walks) {
    quality.edge_cut += walk.edge_cut;
    for (int part = 0; part < parts; ++part) {
      quality.boundary_nonzeros[part] += walk.boundary_nonzeros[part];
    }
    needs.push_back(std::move(walk.needs));
  }
  return sorted_union(std::move(needs));
}

/// The needs for the columns that this rank keeps, each once, ascending. Collective.
std::vector<Need> meet(const Comm& comm, GlobalIndex columns, const std::vector<Need>& needs) {
  std::vector<std::int64_t> counts(comm.size, 0), received_counts;
  EvenOwner keeper_of(columns, comm.size);
  for (const Need& need : needs) ++counts[keeper_of(need.column)];
  const std::vector<Need> received = exchange(comm, needs, counts, received_counts);
  std::vector<std::vector<Need>> from_ranks;
  auto next = received.begin();
  for (const std::int64_t count : received_counts) {
    from_ranks.emplace_back(next, next + count);
    next += count;
  }
  return sorted_union(std::move(from_ranks));
}

/// What each pair of parts exchanges of `kept`, in any order. Local.
std::vector<Flow> count_flows(const std::vector<Need>& kept, const ColumnParts& column_parts,
                              int parts) {
  std::vector<Flow> flows;
  IndexMap pairs;
  for (const Need& need : kept) {
    const int from = column_parts.of_kept(need.column);
    const auto number = static_cast<std::size_t>(pairs.insert(GlobalIndex{from} * parts + need.to));
    if (number == flows.size()) flows.push_back({from, need.to, 0});
    ++flows[number].entries;
  }
  return flows;
}

/// Flows with the same ends become one; ascending.
void merge_flows(std::vector<Flow>& flows) {
  const auto ends = [](const Flow& flow) { return std::pair(flow.from, flow.to); };
  std::sort(flows.begin(), flows.end(),
            [&](const Flow& a, const Flow& b) { return ends(a) < ends(b); });
  std::size_t kept = 0;
  for (const Flow& flow : flows) {
    if (kept > 0 && ends(flows[kept - 1]) == ends(flow)) {
      flows[kept - 1].entries += flow.entries;
    } else {
      flows[kept++] = flow;
    }
  }
  flows.resize(kept);
}

/// Sums the flows of all ranks: those from one part meet on one rank, which keeps them. Collective.
std::vector<Flow> sum_flows(const Comm& comm, std::vector<Flow>&& flows, int parts) {
  merge_flows(flows);
  std::vector<std::int64_t> counts(comm.size, 0);
  for (const Flow& flow : flows) ++counts[even_split_owner(parts, 1, comm.size, flow.from)];
  std::vector<Flow> mine = exchange(comm, flows, counts);
  merge_flows(mine);
  return mine;
}

double largest_over_mean(const std::vector<std::int64_t>& loads) {
  const std::int64_t total = starts_of(loads).back();
  if (total == 0) return 1;
  const std::int64_t most = std::ranges::max(loads);
  return static_cast<double>(most) * static_cast<double>(loads.size()) / static_cast<double>(total);
}

}  // namespace

double PartitionQuality::imbalance() const {
  return largest_over_mean(nonzeros);
}

double PartitionQuality::row_imbalance() const {
  return largest_over_mean(rows);
}

PartitionQuality partition_quality(const Comm& comm, const DistributedCsr& matrix,
                                   const std::vector<int>& owners, int parts, Progress& progress) {
  progress.phase("partition quality");
  PartitionQuality quality;
  std::vector<std::int64_t> loads(2 * static_cast<std::size_t>(parts), 0);  // rows, then nonzeros
  for (std::size_t row = 0; row < owners.size(); ++row) {
    ++loads[owners[row]];
    loads[parts + owners[row]] += matrix.offsets[row + 1] - matrix.offsets[row];
  }
  sum_over_ranks(comm, loads);
  quality.rows.assign(loads.begin(), loads.begin() + parts);
  quality.nonzeros.assign(loads.begin() + parts, loads.end());

  const ColumnParts column_parts(comm, matrix, owners, quality.rows);
  quality.boundary_nonzeros.assign(parts, 0);
  const std::vector<Need> needs = local_needs(matrix, owners, column_parts, quality);
  leave_if_requested(comm, progress);
  quality.edge_cut = sum_over_ranks(comm, quality.edge_cut);
  sum_over_ranks(comm, quality.boundary_nonzeros);
  const std::vector<Need> kept = meet(comm, matrix.info.columns, needs);
  leave_if_requested(comm, progress);
  quality.flows = sum_flows(comm, count_flows(kept, column_parts, parts), parts);
  for (const Flow& flow : quality.flows) quality.halo_entries += flow.entries;
  quality.halo_entries = sum_over_ranks(comm, quality.halo_entries);
  quality.messages = sum_over_ranks(comm, std::ssize(quality.flows));
  leave_if_requested(comm, progress);
  return quality;
}

}  // namespace rowhalo

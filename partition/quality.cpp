// SPDX-License-Identifier: BSD-3-Clause
//
// Quality of an assignment (quality.hpp). Every rank walks over its rows part after part, so that
// one mark per column tells whether this part has asked for it already; what remains, (column,
// asking part), goes to the rank that keeps the column in the directory, where askers on different
// ranks meet and are counted once.
#include "partition/quality.hpp"

#include <omp.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "partition/matrix/directory.hpp"
#include "partition/matrix/index_map.hpp"

namespace rowhalo {

namespace {

/// Part `to` needs x at `column`, which another part owns.
struct Need {
  GlobalIndex column;
  int to;

  friend auto operator<=>(const Need&, const Need&) = default;
};

/// The rows of one thread, in the order of their parts, and the columns outside this rank's own
/// range of rows that it met there.
struct Walk {
  std::span<const GlobalIndex> rows;
  IndexMap outside;
  std::vector<int> outside_parts;  ///< one a number of `outside`
  std::vector<Need> needs;
  std::vector<std::int64_t> boundary_nonzeros;  ///< one a part
  std::int64_t edge_cut = 0;
};

/// Who owns x. A square matrix: the owners of its rows; else the parts' even shares.
class ColumnParts {
 public:
  ColumnParts(const Comm& comm, const DistributedCsr& matrix, const std::vector<int>& owners,
              int parts)
      : comm_(comm),
        size_(matrix.info.columns),
        first_(even_split(size_, 1, comm.size, comm.rank)),
        share_(even_split(size_, 1, comm.size, comm.rank + 1) - first_) {
    if (matrix.info.rows == matrix.info.columns) {
      std::vector<GlobalIndex> rows(owners.size());
      std::iota(rows.begin(), rows.end(), matrix.first_row);
      share_ = scatter<int>(comm, size_, rows, owners);
      return;
    }
    for (std::size_t k = 0; k < share_.size(); ++k) {
      share_[k] =
          even_split_owner(size_, matrix.info.block, parts, first_ + static_cast<GlobalIndex>(k));
    }
  }

  /// Collective.
  std::vector<int> of(std::span<const GlobalIndex> columns) const {
    return gather<int>(comm_, size_, share_, columns);
  }
  /// Local; of a column that this rank keeps.
  int of_kept(GlobalIndex column) const { return share_[column - first_]; }

 private:
  const Comm& comm_;
  GlobalIndex size_, first_;
  std::vector<int> share_;
};

/// Local rows, part after part.
std::vector<GlobalIndex> rows_by_part(const std::vector<int>& owners, int parts) {
  std::vector<GlobalIndex> next(parts + 1, 0), rows(owners.size());
  for (const int owner : owners) ++next[owner + 1];
  std::inclusive_scan(next.begin(), next.end(), next.begin());
  for (std::size_t row = 0; row < owners.size(); ++row) {
    rows[next[owners[row]]++] = static_cast<GlobalIndex>(row);
  }
  return rows;
}

/// Fills needs, boundary_nonzeros and edge_cut. `inside_parts`: of the columns from first_row on.
void find_needs(const DistributedCsr& matrix, const std::vector<int>& owners,
                const std::vector<int>& inside_parts, Walk& walk) {
  const auto inside = static_cast<GlobalIndex>(inside_parts.size());
  std::vector<int> asked(inside + walk.outside.numbers().size(), -1);
  for (const GlobalIndex row : walk.rows) {
    const int to = owners[row];
    bool boundary = false;
    for (Offset k = matrix.offsets[row]; k < matrix.offsets[row + 1]; ++k) {
      GlobalIndex at = matrix.columns[k] - matrix.first_row;
      int from = 0;
      if (at >= 0 && at < inside) {
        from = inside_parts[at];
      } else {
        const LocalIndex number = walk.outside.find(matrix.columns[k]);
        from = walk.outside_parts[number];
        at = inside + number;
      }
      if (from == to) continue;
      boundary = true;
      ++walk.edge_cut;
      if (asked[at] == to) continue;
      asked[at] = to;
      walk.needs.push_back({matrix.columns[k], to});
    }
    if (boundary) walk.boundary_nonzeros[to] += matrix.offsets[row + 1] - matrix.offsets[row];
  }
}

/// What this rank's rows need; their edge cut and nonzeros of boundary rows are added. Collective.
std::vector<Need> local_needs(const DistributedCsr& matrix, const std::vector<int>& owners,
                              int parts, const ColumnParts& column_parts,
                              PartitionQuality& quality) {
  const std::vector<GlobalIndex> rows = rows_by_part(owners, parts);
  // Columns inside the range of rows are looked up without a hash; only a square matrix has them.
  const bool square = matrix.info.rows == matrix.info.columns;
  const std::vector<int> inside_parts = square ? owners : std::vector<int>{};
  const auto inside = static_cast<GlobalIndex>(inside_parts.size());

  const int threads = omp_get_max_threads();
  std::vector<Walk> walks(threads);
#pragma omp parallel for schedule(static, 1)
  for (int thread = 0; thread < threads; ++thread) {
    const GlobalIndex begin = even_split(std::ssize(rows), 1, threads, thread);
    const GlobalIndex end = even_split(std::ssize(rows), 1, threads, thread + 1);
    walks[thread].rows = std::span(rows).subspan(begin, end - begin);
    for (const GlobalIndex row : walks[thread].rows) {
      for (Offset k = matrix.offsets[row]; k < matrix.offsets[row + 1]; ++k) {
        const GlobalIndex at = matrix.columns[k] - matrix.first_row;
        if (at < 0 || at >= inside) walks[thread].outside.insert(matrix.columns[k]);
      }
    }
  }
  std::vector<GlobalIndex> met;
  for (const Walk& walk : walks) {
    met.insert(met.end(), walk.outside.numbers().begin(), walk.outside.numbers().end());
  }
  const std::vector<int> met_parts = column_parts.of(met);
  auto next = met_parts.begin();
  for (Walk& walk : walks) {
    const auto end = next + std::ssize(walk.outside.numbers());
    walk.outside_parts.assign(next, end);
    next = end;
  }
#pragma omp parallel for schedule(static, 1)
  for (int thread = 0; thread < threads; ++thread) {
    walks[thread].boundary_nonzeros.assign(parts, 0);
    find_needs(matrix, owners, inside_parts, walks[thread]);
  }

  std::vector<Need> needs;
  for (Walk& walk : walks) {
    quality.edge_cut += walk.edge_cut;
    for (int part = 0; part < parts; ++part) {
      quality.boundary_nonzeros[part] += walk.boundary_nonzeros[part];
    }
    needs.insert(needs.end(), walk.needs.begin(), walk.needs.end());
    std::vector<Need>().swap(walk.needs);
  }
  return needs;
}

/// The needs for the columns that this rank keeps, each once. Collective.
std::vector<Need> meet(const Comm& comm, GlobalIndex columns, std::vector<Need>&& needs) {
  std::vector<GlobalIndex> numbers(needs.size());
  for (std::size_t k = 0; k < needs.size(); ++k) numbers[k] = needs[k].column;
  const GroupedNumbers grouped = group_by_share(comm, columns, numbers);
  std::vector<Need> ordered(needs.size());
  for (std::size_t k = 0; k < needs.size(); ++k) ordered[grouped.positions[k]] = needs[k];
  std::vector<Need>().swap(needs);
  std::vector<std::int64_t> received_counts;
  std::vector<Need> kept = exchange(comm, ordered, grouped.counts, received_counts);
  std::sort(kept.begin(), kept.end());
  kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
  return kept;
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
  std::vector<std::int64_t> counts(comm.size, 0), received_counts;
  for (const Flow& flow : flows) ++counts[even_split_owner(parts, 1, comm.size, flow.from)];
  std::vector<Flow> mine = exchange(comm, flows, counts, received_counts);
  merge_flows(mine);
  return mine;
}

double largest_over_mean(const std::vector<std::int64_t>& loads) {
  const std::int64_t total = std::accumulate(loads.begin(), loads.end(), std::int64_t{0});
  if (total == 0) return 1;
  const std::int64_t most = *std::max_element(loads.begin(), loads.end());
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
  ROWHALO_MPI(
      MPI_Allreduce(MPI_IN_PLACE, loads.data(), 2 * parts, MPI_INT64_T, MPI_SUM, comm.handle));
  quality.rows.assign(loads.begin(), loads.begin() + parts);
  quality.nonzeros.assign(loads.begin() + parts, loads.end());

  const ColumnParts column_parts(comm, matrix, owners, parts);
  quality.boundary_nonzeros.assign(parts, 0);
  std::vector<Need> needs = local_needs(matrix, owners, parts, column_parts, quality);
  progress.tick();
  quality.edge_cut = sum_over_ranks(comm, quality.edge_cut);
  ROWHALO_MPI(MPI_Allreduce(MPI_IN_PLACE, quality.boundary_nonzeros.data(), parts, MPI_INT64_T,
                            MPI_SUM, comm.handle));
  const std::vector<Need> kept = meet(comm, matrix.info.columns, std::move(needs));
  progress.tick();
  std::vector<Flow> flows;
  flows.reserve(kept.size());
  for (const Need& need : kept) flows.push_back({column_parts.of_kept(need.column), need.to, 1});
  quality.flows = sum_flows(comm, std::move(flows), parts);
  for (const Flow& flow : quality.flows) quality.halo_entries += flow.entries;
  quality.halo_entries = sum_over_ranks(comm, quality.halo_entries);
  quality.messages = sum_over_ranks(comm, std::ssize(quality.flows));
  progress.tick();
  return quality;
}

}  // namespace rowhalo

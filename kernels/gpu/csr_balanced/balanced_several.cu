// SPDX-License-Identifier: BSD-3-Clause
//
// The kernel of csr-balanced for several vectors (several/several.cuh), by the same plan as for one
// (csr_balanced.cu): a warp per share, chunk after chunk. The L lanes that K vectors take are a
// team, and the 32 / L teams of a warp share the 256 entries of a chunk:
//   columns, values   loaded by all lanes, neighbours side by side, then staged in shared memory
//   team t            sums entries 8 L t .. 8 L (t + 1) - 1 one after the other, for the two
//                     vectors of each lane; writes a row that begins and ends among them
//   over teams        a segmented sum of what is left open, as over lanes with one vector
// A row with entries in several shares has K partial sums per share; the share that finishes last
// adds them in a fixed order. Each column of y so depends on no other, and is the same every time.
//
// Bytes: the matrix once, as with one vector; x, y and partial sums K times.
#include "kernels/gpu/csr_balanced/chunk_loads.cuh"
#include "kernels/gpu/several/teams.cuh"
#include "kernels/gpu/warp/scans.cuh"
#include "kernels/gpu/warp/threads.cuh"

namespace rowhalo {
namespace {

template <class Numbers>
struct BalancedSeveral {
  BalancedArguments<Numbers> one;
  SeveralShape shape;
};

constexpr int several_warps = several_threads / warp_size;
/// Thread blocks per multiprocessor that the registers leave room for.
constexpr int several_blocks = 3;

/// The entries of a chunk in shared memory, one place apart from team to team, so that teams read
/// different banks.
template <class Sum>
struct StagedChunk {
  Sum value[chunk_entries + warp_size];
  LocalIndex column[chunk_entries + warp_size];
};

/// Loads a chunk, whichever way it is stored.
template <class Numbers>
__device__ void stage_chunk(const BalancedSeveral<Numbers>& a, std::int64_t chunk,
                            StagedChunk<typename Numbers::Sum>& staged) {
  using Sum = typename Numbers::Sum;
  const BalancedArguments<Numbers>& one = a.one;
  LocalIndex column[lane_entries];
  Sum value[lane_entries];
  const auto take = [&](auto values) {
    values.load(one, chunk);
#pragma unroll
    for (int u = 0; u < lane_entries; ++u) value[u] = values[u];
  };
  if (one.columns16.bases != nullptr) {
    Offset16Columns::Head head;
    Offset16Columns::load(one, chunk, head);
    Offset16Columns::find(one, head, chunk, column);
  } else {
    load_entries(one.indices, one.plan.entries, chunk, column);
  }
  if constexpr (takes_coded_values<Numbers>) {
    if (one.coded.table != nullptr) {
      take(CodedChunkValues<Numbers>(one.coded.table));
    } else if (one.coded.fixed != nullptr) {
      take(FixedChunkValues<Numbers>(nullptr));
    } else {
      take(ChunkValues<Numbers>(nullptr));
    }
  } else {
    take(ChunkValues<Numbers>(nullptr));
  }
  const int lane = threadIdx.x % warp_size, team_log2 = 3 + a.shape.lanes_log2;
  static_assert(lane_entries == 1 << 3);
#pragma unroll
  for (int u = 0; u < lane_entries; ++u) {
    const int e = u * warp_size + lane, place = e + (e >> team_log2);
    staged.column[place] = column[u] < 0 ? cached(one.hubs + ~column[u]) : column[u];
    staged.value[place] = value[u];
  }
  __syncwarp();
}

template <class Numbers>
__device__ LocalIndex row_of(const BalancedArguments<Numbers>& one, LocalIndex ordinal) {
  return one.plan.rows != nullptr ? cached(one.plan.rows + ordinal) : ordinal;
}

/// The rows that end in a chunk, by their ordinals, from that which ends first in the calling
/// lane's team on.
struct EndingRows {
  LocalIndex ordinal, end;  ///< of the first; one beyond the last of the chunk

  /// The `next`-th, or any if there is none: asked for well before it is written, since it is
  /// loaded.
  template <class Numbers>
  __device__ LocalIndex row(const BalancedArguments<Numbers>& one, int next) const {
    return row_of(one, ordinal + next < end ? ordinal + next : 0);
  }
};

/// Sums the entries of the calling lane's team.
template <class Numbers, class Lane>
__device__ TeamSums<typename Numbers::Sum> sum_team(
    const BalancedSeveral<Numbers>& a, const StagedChunk<typename Numbers::Sum>& staged,
    unsigned mark, EndingRows rows, const Lane& lane) {
  using Sum = typename Numbers::Sum;
  const int team = static_cast<int>(threadIdx.x) % warp_size >> a.shape.lanes_log2;
  const int lanes = a.shape.lanes();
  TeamSums<Sum> sums;
  int count = 0;       // of rows that have ended
  LocalIndex row = 0;  // that ends next, after the first
#pragma unroll 1
  for (int j = 0; j < lanes; ++j) {
    const unsigned lasts = __shfl_sync(all_lanes, mark, team * lanes + j);
    const int first = (team * lanes + j) * lane_entries + team;
    typename Lane::Pair factor[lane_entries];
#pragma unroll
    for (int u = 0; u < lane_entries; ++u) {
      factor[u] = lane.load(a.one.x, staged.column[first + u]);
    }
#pragma unroll
    for (int u = 0; u < lane_entries; ++u) {
      const Sum value = staged.value[first + u];
      Sum(&open)[lane_vectors] = sums.open.at;
      open[0] = fused_multiply_add(value, widened<Sum>(factor[u].x), open[0]);
      open[1] = fused_multiply_add(value, widened<Sum>(factor[u].y), open[1]);
      if ((lasts >> u & 1) == 0) continue;
      if (sums.ends) lane.finish(a.one.alpha, open, a.one.beta, a.one.y, row);
      if (!sums.ends) sums.first = sums.open;
      sums.ends = true, sums.open = {};
      row = rows.row(a.one, ++count);
    }
    __syncwarp();
  }
  return sums;
}

/// Where a lane keeps its partial sums of a share: at its begin, or at its end.
template <class Numbers>
__device__ typename Numbers::Sum* part_of(const BalancedSeveral<Numbers>& a, std::int64_t share,
                                          int at_end) {
  const int of_team = static_cast<int>(threadIdx.x) & (a.shape.lanes() - 1);
  return a.one.partial_sums + (2 * share + at_end) * most_vectors + of_team * lane_vectors;
}

/// Writes the split rows of which `share` is the last to arrive.
template <class Numbers, class Lane>
__device__ void finish_split_rows_of(const BalancedSeveral<Numbers>& a, std::int64_t share,
                                     const Lane& lane) {
  using Sum = typename Numbers::Sum;
  const BalancedArguments<Numbers>& one = a.one;
  const int number = threadIdx.x % warp_size, lanes = a.shape.lanes();
  for (int at_end = 0; at_end < 2; ++at_end) {
    const std::int32_t split = one.plan.open[share + at_end];
    if (split < 0) continue;
    const SplitRow row = one.plan.split_rows[split];
    if (at_end == 0 && row.last != share) continue;  // goes on at the end, too
    const auto others = static_cast<unsigned>(row.last - row.first);
    __threadfence();
    __syncwarp();
    // At `others` the counter wraps to 0, ready for the next product.
    const bool complete = number == 0 && atomicInc(one.arrived + split, others) == others;
    if (!__any_sync(all_lanes, complete)) continue;
    __threadfence();
    TwoSums<Sum> sum;
    for (std::int64_t k = row.first + (number >> a.shape.lanes_log2); k <= row.last;
         k += warp_size >> a.shape.lanes_log2) {
      const Sum* part = part_of(a, k, k == row.last ? 0 : 1);
      sum += {__ldcg(part), __ldcg(part + 1)};
    }
    for (int offset = warp_size / 2; offset >= lanes; offset /= 2) {
      sum += {__shfl_down_sync(all_lanes, sum.at[0], offset),
              __shfl_down_sync(all_lanes, sum.at[1], offset)};
    }
    if (number < lanes) {
      lane.finish(one.alpha, sum.at, one.beta, one.y, row_of(one, row.ordinal));
    }
  }
}

template <class Numbers, class Lane>
__device__ void finish_empty_rows_of(const BalancedSeveral<Numbers>& a, std::int64_t unit,
                                     const Lane& lane) {
  using Sum = typename Numbers::Sum;
  const BalancedArguments<Numbers>& one = a.one;
  const int team = static_cast<int>(threadIdx.x) % warp_size >> a.shape.lanes_log2;
  const Sum none[lane_vectors] = {};
  const std::int64_t end = one.plan.units.begin(unit + 1);
  for (std::int64_t word = one.plan.units.begin(unit); word < end; ++word) {
    const unsigned empty = cached(one.plan.empty + word);
    for (int bit = team; bit < warp_size; bit += warp_size >> a.shape.lanes_log2) {
      if ((empty >> bit & 1) == 0) continue;
      const auto k = static_cast<LocalIndex>(word * warp_size + bit);
      lane.finish(one.alpha, none, one.beta, one.y, one.plan.listed[k]);
    }
  }
}

template <class Numbers, Access access>
__global__ void __launch_bounds__(several_threads, several_blocks)
    balanced_several_kernel(BalancedSeveral<Numbers> a) {
  using Sum = typename Numbers::Sum;
  __shared__ StagedChunk<Sum> staged_of_warps[several_warps];
  StagedChunk<Sum>& staged = staged_of_warps[threadIdx.x / warp_size];
  const BalancedArguments<Numbers>& one = a.one;
  const LaneVectors<typename Numbers::Vector, access> lane(a.shape);
  const std::int64_t share = thread_index() / warp_size;
  const int number = threadIdx.x % warp_size, lanes = a.shape.lanes();
  if (one.plan.empty != nullptr && share < one.plan.units.parts) {
    finish_empty_rows_of(a, share, lane);
  }
  if (share >= one.plan.shares.parts) return;
  const bool begins_split = one.plan.open[share] >= 0;
  TwoSums<Sum> open;
  LocalIndex split_ordinal = -1;
  const std::int64_t begin = one.plan.shares.begin(share), end = one.plan.shares.begin(share + 1);
  for (std::int64_t chunk = begin; chunk < end; ++chunk) {
    const unsigned mark = cached(one.plan.marks + chunk * warp_size + number);
    const LocalIndex ended = cached(one.plan.ended + chunk);
    const LocalIndex ended_after = cached(one.plan.ended + chunk + 1);
    if (chunk == begin && begins_split) split_ordinal = ended;
    stage_chunk(a, chunk, staged);
    const unsigned before = __shfl_sync(all_lanes, mark, number & ~(lanes - 1)) >> lane_entries;
    const LocalIndex ordinal = ended + static_cast<LocalIndex>(before);
    const EndingRows rows{ordinal, ended_after};
    const LocalIndex row = rows.row(one, 0);
    const TeamSums<Sum> sums = sum_team(a, staged, mark, rows, lane);
    TwoSums<Sum> sum = join_teams(a.shape, sums, open);
    if (sums.ends) {
      sum += sums.first;
      if (ordinal == split_ordinal) {
        Sum* part = part_of(a, share, 0);
        part[0] = sum.at[0], part[1] = sum.at[1];
      } else {
        lane.finish(one.alpha, sum.at, one.beta, one.y, row);
      }
    }
    __syncwarp();  // all have read the chunk
  }
  if (number < lanes) {
    Sum* part = part_of(a, share, 1);
    part[0] = open.at[0], part[1] = open.at[1];
  }
  finish_split_rows_of(a, share, lane);
}

}  // namespace

template <class Numbers>
void launch_balanced_several(const BalancedArguments<Numbers>& arguments,
                             const LocalProduct& product, cudaStream_t stream) {
  const SeveralShape shape(product);
  auto* kernel = shape.pairs ? balanced_several_kernel<Numbers, Access::pairs>
                             : balanced_several_kernel<Numbers, Access::singles>;
  const std::int64_t warps =
      std::max<std::int64_t>(arguments.plan.shares.parts, arguments.plan.units.parts);
  kernel<<<blocks_for(warps * warp_size, several_threads), several_threads, 0, stream>>>(
      {arguments, shape});
}

#define ROWHALO_BALANCED_SEVERAL(...)                                                    \
  template void launch_balanced_several(const BalancedArguments<__VA_ARGS__>& arguments, \
                                        const LocalProduct& product, cudaStream_t stream);
ROWHALO_BALANCED_SEVERAL(NumberTypes<double, double, double>)
ROWHALO_BALANCED_SEVERAL(NumberTypes<float, float, float>)
ROWHALO_BALANCED_SEVERAL(NumberTypes<float, double, double>)
#undef ROWHALO_BALANCED_SEVERAL

}  // namespace rowhalo

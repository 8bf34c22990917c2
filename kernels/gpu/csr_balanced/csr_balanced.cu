// SPDX-License-Identifier: BSD-3-Clause
//
// The kernel of csr-balanced, a nonzero split: every lane has the same number of entries, however
// long rows are (the format: csr_balanced.cpp, what it reads: balanced_plan.hpp). A chunk is 256
// entries, 8 for each of 32 lanes; a share is a few chunks in succession, which one warp sums.
// Drawn: a chunk of 3 lanes with 4 entries each. It has rows a, b, c and the begin of row d:
//
//   entry       0  1  2  3    4  5  6  7    8  9 10 11
//   row         a  a  a  b    b  b  b  b    b  c  c  d
//   loaded by   0  1  2  0    1  2  0  1    2  0  1  2    lane e mod 3: neighbours side by side
//   products    p0 p1 p2 p3   p4 p5 p6 p7   p8 p9 .. p11  staged in shared memory (place_of)
//   summed by   lane 0        lane 1        lane 2
//   marks       0100, 0       0000, 1       0101, 1       low bits: bit j is set if entry j ends
//               its row, entry 0 rightmost; bits above: how many rows ended in lanes before
//
//   lane 0      sums[0] = p0 + p1 + p2 (row a), left over p3
//   lane 1      no row ends: left over p4 + p5 + p6 + p7
//   lane 2      sums[1] = p8, sums[2] = p9 + p10 (row c), left over p11
//   over lanes  a segmented sum of what is left over: p3 + (p4 + .. + p7) joins the next row that
//               ends, sums[1] (row b); p11 stays open for the next chunk
//   written     y of a, b, c by lanes 0, 1, 2, side by side; if a began in an earlier
//               share, what this share has of it goes to partial_sums instead
//
// Persistent warps: of W warps, warp w takes the shares at places w, w + W, ... (share_at). Lanes
// with rows of any length have the same work (yaSpMV, Yan et al., PPoPP 2014, flags row ends too).
// With 16-bit columns, a chunk in which no row ends skips shared memory: each lane keeps a running
// sum, and the 32 sums are added when the row or the share ends. The other variants do not, because
// gathers limit them and the extra registers cost more. Columns and marks of the next chunk are
// loaded while this one is summed. A split row has entries in several shares. partial_sums[2 s] is
// what share s has of the row open at its begin, if that ends in it; [2 s + 1], of the row open at
// its end. Each share counts its arrival at its split rows; the last to arrive adds the parts of
// the row in a fixed order: the same bits every time.
#include "kernels/gpu/csr_balanced/balanced_tuning.hpp"
#include "kernels/gpu/csr_balanced/chunk_loads.cuh"
#include "kernels/gpu/csr_balanced/csr_balanced.hpp"
#include "kernels/gpu/warp/bits.cuh"
#include "kernels/gpu/warp/scans.cuh"

namespace rowhalo {
namespace {

/// Where entry e of a chunk is staged: within its line, which spans all banks once, its position is
/// XORed with the line's number mod 8. Thus entries that follow each other, which lanes write at
/// once, share no bank, nor do the j-th entries of all lanes, read at once (of 16 lanes in fp64).
template <class Sum>
__device__ unsigned place_of(unsigned e) {
  constexpr unsigned line = 128 / sizeof(Sum);
  return e ^ (e / line % lane_entries);
}

/// What is loaded of a chunk ahead of its time.
template <class Columns>
struct ChunkHead {
  typename Columns::Head columns;
  unsigned mark;
  LocalIndex ended, ended_after;
};

template <class Numbers, class Columns>
__device__ void load_head(const BalancedArguments<Numbers>& a, std::int64_t chunk,
                          ChunkHead<Columns>& head) {
  Columns::load(a, chunk, head.columns);
  head.mark = cached(a.plan.marks + chunk * warp_size + threadIdx.x % warp_size);
  head.ended = cached(a.plan.ended + chunk);
  head.ended_after = cached(a.plan.ended + chunk + 1);
}

/// Loads the values of a chunk and the entries of x that they meet.
template <class Numbers, class Columns, class Values>
__device__ void load_factors(const BalancedArguments<Numbers>& a, const ChunkHead<Columns>& head,
                             std::int64_t chunk, const typename Numbers::Vector* hubs,
                             Values& value, typename Numbers::Vector* factor) {
  LocalIndex column[lane_entries];
  Columns::find(a, head.columns, chunk, column);
#pragma unroll
  for (int u = 0; u < lane_entries; ++u) factor[u] = Columns::factor(a.x, hubs, column[u]);
  value.load(a, chunk);
}

/// The products of a chunk, of which each lane gets eight that follow each other.
template <class Sum, class Values, class Vector>
__device__ void multiply(const Values& value, const Vector* factor, Sum* staged, Sum* product) {
  const unsigned lane = threadIdx.x % warp_size;
#pragma unroll
  for (int u = 0; u < lane_entries; ++u) {
    staged[place_of<Sum>(u * warp_size | lane)] =
        rounded_product(value[u], widened<Sum>(factor[u]));
  }
  __syncwarp();
#pragma unroll
  for (unsigned j = 0; j < lane_entries; ++j) {
    product[j] = staged[place_of<Sum>(lane * lane_entries | j)];
  }
  __syncwarp();  // all have theirs before sums of rows take the place of products
}

/// The sums of the rows that end in the chunk, one after the other in `sums`. `open` is what
/// earlier chunks have of the first row, then what this one leaves for the next.
template <class Sum>
__device__ void sum_chunk_rows(const Sum* product, unsigned mark, Sum& open, Sum* sums) {
  const int lane = threadIdx.x % warp_size;
  const unsigned lasts = mark & 0xff, before = mark >> lane_entries;
  Sum sum = 0;
  Sum* next = sums + before;
#pragma unroll
  for (int j = 0; j < lane_entries; ++j) {
    sum += product[j];
    if ((lasts >> j & 1) != 0) {
      *next++ = sum;
      sum = 0;
    }
  }
  if (lane == 0 && lasts == 0) sum += open;
  // Lanes since the last one in which a row ended: those that this lane's open row lies in.
  const unsigned ending = __ballot_sync(all_lanes, lasts != 0);
  const int reach = lanes_since(ending);
  if (ending != all_lanes) sum = sum_of_reach(sum, reach);
  Sum coming_in = __shfl_up_sync(all_lanes, sum, 1);
  if (lane == 0) coming_in = open;
  open = __shfl_sync(all_lanes, sum, warp_size - 1);
  if (lasts != 0) sums[before] += coming_in;
  __syncwarp();
}

/// What each lane has of the open row, where whole chunks belong to it.
template <class Sum>
struct LaneSums {
  Sum sum = 0;
  bool some = false;  ///< the same in all lanes

  template <class Values, class Vector>
  __device__ void add(const Values& value, const Vector* factor) {
#pragma unroll
    for (int u = 0; u < lane_entries; ++u) {
      sum = fused_multiply_add(value[u], widened<Sum>(factor[u]), sum);
    }
    some = true;
  }
  /// Adds them to `open`, in the first lane.
  __device__ void join(Sum& open) {
    if (!some) return;
    open += sum_of_lanes(sum);
    sum = 0, some = false;
  }
};

template <class Numbers>
__device__ void finish_empty_rows(const BalancedArguments<Numbers>& a, std::int64_t unit) {
  using Sum = typename Numbers::Sum;
  const int lane = threadIdx.x % warp_size;
  const std::int64_t end = a.plan.units.begin(unit + 1);
  for (std::int64_t word = a.plan.units.begin(unit); word < end; ++word) {
    if ((cached(a.plan.empty + word) >> lane & 1) == 0) continue;
    const auto k = static_cast<LocalIndex>(word * warp_size + lane);
    finish_row(a.alpha, Sum{0}, a.beta, a.y[a.plan.listed[k]]);
  }
}

/// The sum of a split row over its shares, by one lane (0 of 1) or by all lanes of a warp.
template <class Sum>
__device__ Sum sum_of_shares(const Sum* partial_sums, const SplitRow& row, int lane, int lanes) {
  constexpr int unroll = 8;
  Sum sum = 0;
  for (std::int32_t share = row.first + lane; share <= row.last; share += unroll * lanes) {
    Sum part[unroll];
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      const std::int64_t at = share + u * lanes;
      part[u] = at > row.last ? Sum{0} : __ldcg(partial_sums + 2 * at + (at == row.last ? 0 : 1));
    }
#pragma unroll
    for (int u = 0; u < unroll; ++u) sum += part[u];
  }
  return sum;
}

/// Counts the arrival of the warp's shares at their split rows, and finishes the rows of which all
/// shares have arrived. Two lanes per share: for the row open at its begin, and at its end.
template <class Numbers, class Columns>
__device__ void finish_split_rows(const BalancedArguments<Numbers>& a, std::int64_t next_place,
                                  std::int64_t warps) {
  const int lane = threadIdx.x % warp_size;
  const auto number_of = [&](LocalIndex ordinal) {
    return a.plan.rows ? a.plan.rows[ordinal] : ordinal;
  };
  for (; next_place < a.plan.shares.parts; next_place += warp_size / 2 * warps) {
    const std::int64_t place = next_place + lane / 2 * warps;
    const bool is_share = place < a.plan.shares.parts;
    const int share = is_share ? Columns::share_at(a, static_cast<int>(place)) : 0;
    const bool at_end = lane % 2 == 1;
    std::int32_t split = is_share ? a.plan.open[share + (at_end ? 1 : 0)] : -1;
    const SplitRow row = split >= 0 ? a.plan.split_rows[split] : SplitRow{0, 0, 0};
    if (!at_end && row.last != share) split = -1;  // goes on at the end, too
    __threadfence();
    __syncwarp();
    const auto others = static_cast<unsigned>(row.last - row.first);
    // At `others` the counter wraps to 0, ready for the next product.
    const bool complete = split >= 0 && atomicInc(a.arrived + split, others) == others;
    if (!__any_sync(all_lanes, complete)) continue;
    __threadfence();
    const bool few = others < static_cast<unsigned>(warp_size);
    if (complete && few) {
      finish_row(a.alpha, sum_of_shares(a.partial_sums, row, 0, 1), a.beta,
                 a.y[number_of(row.ordinal)]);
    }
    for (unsigned left = __ballot_sync(all_lanes, complete && !few); left != 0; left &= left - 1) {
      const int from = __ffs(static_cast<int>(left)) - 1;
      const SplitRow long_row{__shfl_sync(all_lanes, row.ordinal, from),
                              __shfl_sync(all_lanes, row.first, from),
                              __shfl_sync(all_lanes, row.last, from)};
      const auto sum = sum_of_lanes(sum_of_shares(a.partial_sums, long_row, lane, warp_size));
      if (lane == 0) finish_row(a.alpha, sum, a.beta, a.y[number_of(long_row.ordinal)]);
    }
  }
}

/// The table of the thread block, if values have one.
template <class Values, class Numbers>
__device__ void load_table(const BalancedArguments<Numbers>& a, typename Numbers::Sum* table) {
  if constexpr (Values::table_room > 0) {
    for (int k = static_cast<int>(threadIdx.x); k < a.coded.table_size;
         k += static_cast<int>(blockDim.x)) {
      table[k] = cached(a.coded.table + k);
    }
    __syncthreads();
  }
}

/// The shares of a warp, chunk by chunk.
template <class Columns>
struct ShareWalk {
  int place, share, following;
  std::int64_t chunk, end;  ///< of the share

  template <class Numbers>
  __device__ ShareWalk(const BalancedArguments<Numbers>& a, int warp, int warps)
      : place(warp),
        share(Columns::share_at(a, warp)),
        following(Columns::share_at(a, warp + warps)),
        chunk(a.plan.shares.begin(share)),
        end(a.plan.shares.begin(share + 1)) {}

  /// The share of the next chunk.
  template <class Numbers>
  __device__ int step(const BalancedArguments<Numbers>& a, int warps) {
    if (++chunk != end) return share;
    const int next = following;
    place += warps;
    following = Columns::share_at(a, place + warps);
    chunk = a.plan.shares.begin(next);
    end = a.plan.shares.begin(next + 1);
    return next;
  }
};

/// Writes y of the `count` rows from ordinal `ended` on, whose sums are there; of the split row the
/// share keeps its part. `row`: the first of the calling lane.
template <class Numbers>
__device__ void write_rows(const BalancedArguments<Numbers>& a, const typename Numbers::Sum* sums,
                           LocalIndex ended, LocalIndex count, LocalIndex row,
                           LocalIndex split_ordinal, int share) {
  const int lane = threadIdx.x % warp_size;
#pragma unroll 1
  for (LocalIndex k = lane; k < count; k += warp_size) {
    if (ended + k == split_ordinal) {
      a.partial_sums[2 * std::int64_t{share}] = sums[k];
    } else {
      if (k != lane) row = a.plan.rows ? cached(a.plan.rows + ended + k) : ended + k;
      finish_row(a.alpha, sums[k], a.beta, a.y[row]);
    }
  }
  __syncwarp();
}

template <class Numbers, class Columns, class Values>
__global__ void __launch_bounds__(most_balanced_threads<Numbers>, 1)
    csr_balanced_kernel(BalancedArguments<Numbers> a) {
  using Sum = typename Numbers::Sum;
  using Vector = typename Numbers::Vector;
  extern __shared__ double shared[];
  const int lane = threadIdx.x % warp_size, block_warps = static_cast<int>(blockDim.x) / warp_size;
  Sum* const staged = reinterpret_cast<Sum*>(shared) + threadIdx.x / warp_size * chunk_entries;
  Sum* const table = reinterpret_cast<Sum*>(shared) + block_warps * chunk_entries;
  Vector* const hubs = reinterpret_cast<Vector*>(table + Values::table_room);
  const int warps = static_cast<int>(gridDim.x) * block_warps;
  const int warp = static_cast<int>(blockIdx.x * block_warps + threadIdx.x / warp_size);
  const int shares = a.plan.shares.parts;
  ShareWalk<Columns> walk(a, warp, warps);
  ChunkHead<Columns> head;
  LocalIndex split_ordinal = -1;  // of the row that is open where the share begins, if any is
  if (walk.share < shares) {
    load_head(a, walk.chunk, head);
    if (a.plan.open[walk.share] >= 0) split_ordinal = head.ended;
  }
  load_table<Values>(a, table);
  Columns::start(a, hubs);
  Sum open = 0;
  LaneSums<Sum> lane_sums;
  while (walk.share < shares) {
    Values value(table);
    Vector factor[lane_entries];
    load_factors(a, head, walk.chunk, hubs, value, factor);
    const LocalIndex ended = head.ended, count = head.ended_after - ended;
    const unsigned mark = head.mark;
    LocalIndex row = ended + lane;
    if (a.plan.rows != nullptr && lane < count) row = cached(a.plan.rows + row);
    const int next_share = walk.step(a, warps);
    if (next_share < shares) load_head(a, walk.chunk, head);
    if (Columns::keeps_lane_sums && count == 0) {
      lane_sums.add(value, factor);
    } else {
      lane_sums.join(open);
      Sum product[lane_entries];
      multiply(value, factor, staged, product);
      sum_chunk_rows(product, mark, open, staged);
      write_rows(a, staged, ended, count, row, split_ordinal, walk.share);
    }
    if (next_share == walk.share) continue;
    lane_sums.join(open);
    if (lane == 0) a.partial_sums[2 * std::int64_t{walk.share} + 1] = open;
    open = 0;
    if (a.plan.empty != nullptr) finish_empty_rows(a, walk.share);
    walk.share = next_share;
    split_ordinal = next_share < shares && a.plan.open[next_share] >= 0 ? head.ended : -1;
  }
  if (a.plan.empty != nullptr) {
    for (; walk.place < a.plan.units.parts; walk.place += warps) finish_empty_rows(a, walk.place);
  }
  finish_split_rows<Numbers, Columns>(a, warp, warps);
}

template <class Numbers, class Values>
std::size_t shared_bytes(BalancedGrid grid, std::int32_t hub_count) {
  const auto threads = static_cast<std::size_t>(grid.threads);
  return (threads * lane_entries + Values::table_room) * sizeof(typename Numbers::Sum) +
         static_cast<std::size_t>(hub_count) * sizeof(typename Numbers::Vector);
}

/// More than 48 KB of shared memory have to be asked for: as much as any product of the kernel may
/// want, since the limit is the kernel's and holds for all of them.
template <class Numbers, class Columns, class Values>
void allow_shared_memory() {
  ROWHALO_CUDA(cudaFuncSetAttribute(csr_balanced_kernel<Numbers, Columns, Values>,
                                    cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin)));
}

template <class Numbers, class Values>
void launch(const BalancedArguments<Numbers>& a, BalancedGrid grid, cudaStream_t stream) {
  auto* kernel = csr_balanced_kernel<Numbers, PlainColumns, Values>;
  if (a.hub_count > 0) kernel = csr_balanced_kernel<Numbers, HubOrPlainColumns, Values>;
  if (a.columns16.bases) kernel = csr_balanced_kernel<Numbers, Offset16Columns, Values>;
  kernel<<<grid.blocks, grid.threads, shared_bytes<Numbers, Values>(grid, a.hub_count), stream>>>(
      a);
}

}  // namespace

template <class Numbers>
void prepare_balanced() {
  allow_shared_memory<Numbers, HubOrPlainColumns, ChunkValues<Numbers>>();
  if constexpr (takes_coded_values<Numbers>) {
    allow_shared_memory<Numbers, PlainColumns, CodedChunkValues<Numbers>>();
    allow_shared_memory<Numbers, HubOrPlainColumns, CodedChunkValues<Numbers>>();
    allow_shared_memory<Numbers, Offset16Columns, CodedChunkValues<Numbers>>();
    allow_shared_memory<Numbers, HubOrPlainColumns, FixedChunkValues<Numbers>>();
  }
}

template <class Numbers>
void launch_balanced(const BalancedArguments<Numbers>& arguments, BalancedGrid grid,
                     cudaStream_t stream) {
  if constexpr (takes_coded_values<Numbers>) {
    if (arguments.coded.table != nullptr) {
      return launch<Numbers, CodedChunkValues<Numbers>>(arguments, grid, stream);
    }
    if (arguments.coded.fixed != nullptr) {
      return launch<Numbers, FixedChunkValues<Numbers>>(arguments, grid, stream);
    }
  }
  launch<Numbers, ChunkValues<Numbers>>(arguments, grid, stream);
}

#define ROWHALO_BALANCED(...)                                                                 \
  template void prepare_balanced<__VA_ARGS__>();                                              \
  template void launch_balanced<__VA_ARGS__>(const BalancedArguments<__VA_ARGS__>& arguments, \
                                             BalancedGrid grid, cudaStream_t stream);
ROWHALO_BALANCED(NumberTypes<double, double, double>)
ROWHALO_BALANCED(NumberTypes<float, float, float>)
ROWHALO_BALANCED(NumberTypes<float, double, double>)
ROWHALO_BALANCED(NumberTypes<__half, __half, float>)
ROWHALO_BALANCED(NumberTypes<__nv_bfloat16, __nv_bfloat16, float>)
#undef ROWHALO_BALANCED

}  // namespace rowhalo

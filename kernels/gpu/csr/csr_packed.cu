// SPDX-License-Identifier: BSD-3-Clause
//
// csr-packed: for small matrices with rows of any lengths: whole rows are packed into thread blocks
// (CSR-Stream: Greathouse, Daga, Efficient sparse matrix-vector multiplication on GPUs using the
// CSR storage format, SC 2014), so that nothing passes between thread blocks:
//
//   slots      a a a b | b c c c | c c - d | d d e .    letters are rows, | stands between lanes;
//   row ends       *     *           * *       * *      -: an empty row (column -1), .: left over
//   lane       sums its rows; what it leaves open goes on in the next one: a segmented sum over the
//              lanes of a warp, then over the warps of the thread block
//   y_i = alpha * (sum of row i) + beta * y_i, where the row ends
//
// Entries lie as lanes load them, 16 bytes at once; one word per lane says where rows end and which
// is the first. All of that is loaded before the product before has ended (early_start.cuh): the
// chain of loads is x, y. Order of sums and bits depend on the matrix alone.
//
// At most 256 distinct values take 8 bits each, a single one none; values that all are exact in 16
// bits (fixed_point.hpp) or, of fp64, in fp32 are stored as that. By default that is done where it
// saves 4 MB; codes=on: always, codes=off: never. A row has at most 4096 entries, a local matrix
// 2^22 slots.
//
// Bytes of the matrix: (v + 4 + 1) s + rows: value, column, and a word per lane; s are the slots:
// n, one per empty row, and what is left over in each thread block; v is 1, 0, 2 or 4 where coded.

#include "kernels/gpu/conversion/row_walks.cuh"
#include "kernels/gpu/csr/packed_slots.cuh"
#include "kernels/gpu/device/device_format.hpp"
#include "kernels/gpu/device/early_start.cuh"
#include "kernels/gpu/device/listed_rows.hpp"
#include "kernels/gpu/several/teams.cuh"
#include "kernels/gpu/values/exact_values.hpp"
#include "kernels/gpu/warp/bits.cuh"
#include "kernels/gpu/warp/scans.cuh"
#include "kernels/gpu/warp/threads.cuh"

namespace rowhalo {
namespace {

constexpr int fewest_threads = 128, most_threads = 1024;
constexpr int most_warps = most_threads / warp_size;
constexpr Offset most_slots = 1 << 22;  ///< the host packs them; beyond, bytes count, not latency

/// What a lane, then a warp, leaves to those behind it.
template <class Sum>
struct Open {
  Sum sum;    ///< of the row that goes on
  bool ends;  ///< a row ended here
};

/// Sums `open` over the lanes since the last one in which a row ended, `ending` has their bits;
/// returns what comes in to the calling lane from those before it in the warp.
template <class Sum>
__device__ Sum carry_over_lanes(unsigned ending, Open<Sum>& open) {
  const int lane = threadIdx.x % warp_size;
  open.sum = sum_of_reach(open.sum, lanes_since(ending));
  const Sum before = __shfl_up_sync(all_lanes, open.sum, 1);
  open.ends = ending != 0;
  return lane == 0 ? Sum{0} : before;
}

/// What comes in from the warps before this one.
template <class Sum>
__device__ Sum carry_over_warps(const Open<Sum>* of_warps, int warp) {
  Sum sum = 0;
  bool ended = false;
  for (int before = warp - 1; before >= 0 && !ended; --before) {
    sum += of_warps[before].sum;
    ended = of_warps[before].ends;
  }
  return sum;
}

template <class Numbers, class Values, Start start>
__global__ void __launch_bounds__(most_threads)
    csr_packed_kernel(PackedArguments<Numbers, Values> a) {
  using Sum = typename Numbers::Sum;
  __shared__ Open<Sum> of_warps[most_warps];
  const std::int64_t item = thread_index();
  const unsigned word = a.words[item];
  const FourOf<LocalIndex> column = a.columns[item];
  const FourOf<typename Numbers::Matrix> value = a.values.of(item);
  if constexpr (start == Start::early) {
    wait_for_stream();
    let_next_start();
  }
  typename Numbers::Vector factor[lane_slots] = {};
#pragma unroll
  for (int j = 0; j < lane_slots; ++j) {
    if (column.at[j] >= 0) factor[j] = a.x[column.at[j]];
  }
  const auto first_row = static_cast<LocalIndex>(word >> lane_slots);
  LocalIndex row = first_row;
  Open<Sum> open{0, false};
  Sum first_sum = 0;  // of the row that was open when the lane began
#pragma unroll
  for (int j = 0; j < lane_slots; ++j) {
    const Sum next =
        fused_multiply_add(widened<Sum>(value.at[j]), widened<Sum>(factor[j]), open.sum);
    if (column.at[j] >= 0) open.sum = next;
    if ((word >> j & 1) == 0) continue;
    if (open.ends) {
      finish_row(a.alpha, open.sum, a.beta, a.y[a.rows[row]]);
    } else {
      first_sum = open.sum;
    }
    open = {0, true};
    ++row;
  }
  const bool ends = open.ends;
  const unsigned ending = __ballot_sync(all_lanes, ends);
  Sum incoming = carry_over_lanes(ending, open);
  const int lane = threadIdx.x % warp_size, warp = static_cast<int>(threadIdx.x) / warp_size;
  if (lane == warp_size - 1) of_warps[warp] = open;
  __syncthreads();
  if (!ends) return;
  // Of the lanes with an end, the first of a warp continues what the warps before it left open.
  if ((ending & ((1u << lane) - 1)) == 0) incoming += carry_over_warps(of_warps, warp);
  finish_row(a.alpha, first_sum + incoming, a.beta, a.y[a.rows[first_row]]);
}

template <class Numbers, class Values>
struct PackedSeveral {
  PackedArguments<Numbers, Values> one;
  SeveralShape shape;
};

/// Several vectors: a team of lanes sums the slots of as many lanes, one after the other.
template <class Numbers, class Values, class Lane>
__device__ TeamSums<typename Numbers::Sum> sum_packed_team(const PackedSeveral<Numbers, Values>& a,
                                                           std::int64_t first_item,
                                                           const Lane& lane,
                                                           LocalIndex& first_row) {
  using Sum = typename Numbers::Sum;
  TeamSums<Sum> sums;
  for (int j = 0; j < a.shape.lanes(); ++j) {
    const std::int64_t item = first_item + j;
    const unsigned word = a.one.words[item];
    const FourOf<LocalIndex> column = a.one.columns[item];
    const FourOf<typename Numbers::Matrix> value = a.one.values.of(item);
    auto row = static_cast<LocalIndex>(word >> lane_slots);
    typename Lane::Pair factor[lane_slots];
#pragma unroll
    for (int t = 0; t < lane_slots; ++t) factor[t] = lane.load(a.one.x, max(column.at[t], 0));
#pragma unroll
    for (int t = 0; t < lane_slots; ++t) {
      Sum(&open)[lane_vectors] = sums.open.at;
      if (column.at[t] >= 0) {
        open[0] = fused_multiply_add(widened<Sum>(value.at[t]), widened<Sum>(factor[t].x), open[0]);
        open[1] = fused_multiply_add(widened<Sum>(value.at[t]), widened<Sum>(factor[t].y), open[1]);
      }
      if ((word >> t & 1) == 0) continue;
      if (sums.ends) {
        lane.finish(a.one.alpha, open, a.one.beta, a.one.y, a.one.rows[row]);
      } else {
        sums.first = sums.open, first_row = row;
      }
      sums.ends = true, sums.open = {};
      ++row;
    }
  }
  return sums;
}

template <class Numbers, class Values>
__global__ void __launch_bounds__(most_threads)
    packed_several_kernel(PackedSeveral<Numbers, Values> a) {
  using Sum = typename Numbers::Sum;
  __shared__ TwoSums<Sum> open_of_warps[most_warps][most_vectors / lane_vectors];
  __shared__ bool ends_of_warps[most_warps];
  const LaneVectors<typename Numbers::Vector, Access::either> lane(a.shape);
  const int number = threadIdx.x % warp_size, warp = static_cast<int>(threadIdx.x) / warp_size;
  const int lanes = a.shape.lanes(), of_team = number & (lanes - 1), before = number - of_team;
  LocalIndex row = 0;
  const TeamSums<Sum> sums = sum_packed_team(a, thread_index() - of_team, lane, row);
  TwoSums<Sum> open, coming_in = join_teams(a.shape, sums, open);
  const unsigned ending = __ballot_sync(all_lanes, sums.ends);
  if (number < lanes) open_of_warps[warp][number] = open;
  if (number == 0) ends_of_warps[warp] = ending != 0;
  __syncthreads();
  if (!sums.ends) return;
  // Of the teams with an end, the first of a warp continues what the warps before it left open.
  if ((ending & ((1u << before) - 1)) == 0) {
    bool ended = false;
    for (int w = warp - 1; w >= 0 && !ended; --w) {
      coming_in += open_of_warps[w][of_team];
      ended = ends_of_warps[w];
    }
  }
  coming_in += sums.first;
  lane.finish(a.one.alpha, coming_in.at, a.one.beta, a.one.y, a.one.rows[row]);
}

// ---- set-up

/// Where each row begins, as slots; how many slots all thread blocks have.
struct Packing {
  std::vector<Offset> begins;
  Offset slots = 0;
};

/// Rows one after the other; one that does not fit into a thread block any more begins the next.
Packing pack(const std::vector<Offset>& lengths, Offset block_slots) {
  Packing packing;
  packing.begins.reserve(lengths.size());
  Offset place = 0;
  for (const Offset length : lengths) {
    const Offset taken = std::max<Offset>(length, 1), used = place % block_slots;
    if (used + taken > block_slots) place += block_slots - used;
    packing.begins.push_back(place);
    place += taken;
  }
  packing.slots = (place + block_slots - 1) / block_slots * block_slots;
  return packing;
}

/// Each row tells its lanes its number where it begins in them, or goes on. `begins`: of the rows,
/// in slots.
void fill_packed_structure(const CsrView& matrix, RowListView rows, const Offset* begins,
                           LocalIndex* columns, unsigned* words) {
  const auto mark = [=] __device__(std::int64_t k, Offset slot, bool last) {
    unsigned bits = last ? 1u << slot % lane_slots : 0;
    if (slot % lane_slots == 0) bits |= static_cast<unsigned>(k) << lane_slots;
    if (bits != 0) atomicOr(words + slot / lane_slots, bits);
  };
  for_each_row(matrix, rows, [=] __device__(std::int64_t k, const RowEntries& row) {
    if (row.length() == 0) mark(k, begins[k], true);
  });
  for_each_entry(matrix, rows, [=] __device__(std::int64_t k, const RowEntries& row, Offset e) {
    const Offset slot = begins[k] + (e - row.begin);
    columns[slot] = matrix.indices[e];
    mark(k, slot, e + 1 == row.end);
  });
}

void fill_packed_values(const CsrView& matrix, RowListView rows, const Offset* begins, void* values,
                        Stream stream) {
  const std::size_t bytes = matrix_value_bytes(matrix.precision);
  const auto copy = [=] __device__(std::int64_t k, const RowEntries& row, Offset e) {
    copy_number(bytes, matrix.values, e, values, begins[k] + (e - row.begin));
  };
  for_each_entry(matrix, rows, copy, {native(stream)});
}

int chosen_threads(const Spec& options, Offset longest) {
  // Where rows are as long as half a thread block, it would stay half empty before them.
  int fitting =
      longest > Offset{fewest_threads} * lane_slots / 2 ? 2 * fewest_threads : fewest_threads;
  while (fitting < most_threads && longest > Offset{fitting} * lane_slots) fitting *= 2;
  const auto threads = static_cast<int>(options.integer("block", fitting, warp_size, most_threads));
  if (threads % warp_size != 0) options.fail("block must be a multiple of 32, at most 1024");
  if (longest > Offset{threads} * lane_slots) {
    options.fail("a row has " + std::to_string(longest) + " entries, a block " +
                 std::to_string(threads * lane_slots) + " slots; use csr-balanced");
  }
  return threads;
}

template <class Numbers>
class CsrPackedKernel final : public DeviceFormat {
 public:
  CsrPackedKernel(const CsrView& matrix, RowListView rows, const Spec& options, ExactValues exact)
      : DeviceFormat(matrix, rows), in_fp32_(exact.singles.bytes() > 0) {
    const Offset fewest = std::max<Offset>(listed_nonzeros_on_device(matrix, rows), rows.count);
    if (fewest > most_slots) {
      options.fail(std::to_string(fewest) + " slots at least, of 2^22 at most; use csr-balanced");
    }
    const RowLengths lengths = row_lengths_on_device(matrix, rows);
    threads_ = chosen_threads(options, lengths.longest);
    if (rows.count == 0) return;
    fill(exact);
    if (!can_start_early(csr_packed_kernel<Numbers, StoredValues<Numbers>, Start::early>)) {
      start_ = Start::in_turn;
    }
    if (!matrix.refillable) csr_.values = nullptr;  // they may be those of `exact`
  }

  bool starts_early() const override { return start_ == Start::early; }
  bool takes_several() const override { return has_several<Numbers>; }

 private:
  void launch_product(const LocalProduct& product, cudaStream_t stream) const override {
    with_values([&](const auto& values) { launch(product, values, stream); });
  }
  void launch_several(const LocalProduct& product, cudaStream_t stream) const override {
    if constexpr (has_several<Numbers>) {
      with_values([&]<class Values>(const Values& values) {
        packed_several_kernel<Numbers, Values>
            <<<blocks_for(words_.size(), threads_), threads_, 0, stream>>>(
                {arguments(product, values), SeveralShape(product)});
      });
    }
  }
  template <class Visit>
  void with_values(const Visit& visit) const {
    if constexpr (takes_coded_values<Numbers>) {
      if (codes_.distinct > 0) {
        const CodedValues<Numbers> coded{
            reinterpret_cast<const Matrix*>(codes_.table.data()),
            reinterpret_cast<const unsigned*>(codes_.positions.data())};
        return visit(coded);
      }
      if (codes_) {
        const FixedValues<Numbers> fixed{
            reinterpret_cast<const FourOf<std::uint16_t>*>(codes_.fixed.data()),
            FixedPointCode<Matrix>(codes_.point)};
        return visit(fixed);
      }
    }
    visit(StoredValues<Numbers>{reinterpret_cast<const FourOf<Matrix>*>(values_.data())});
  }
  void refill_values(const CsrView& matrix, Stream stream) override {
    fill_packed_values(matrix, rows_, begins_.data(), values_.data(), stream);
  }
  bool copies_values() const override { return true; }

  using Matrix = typename Numbers::Matrix;

  Offset slots() const { return columns_.size(); }

  template <class Values>
  PackedArguments<Numbers, Values> arguments(const LocalProduct& product,
                                             const Values& values) const {
    return {product, reinterpret_cast<const FourOf<LocalIndex>*>(columns_.data()), values,
            words_.data(), rows_};
  }
  template <class Values>
  void launch(const LocalProduct& product, const Values& values, cudaStream_t stream) const {
    auto* kernel = csr_packed_kernel<Numbers, Values, Start::in_turn>;
    if (start_ == Start::early) kernel = csr_packed_kernel<Numbers, Values, Start::early>;
    launch_kernel(kernel, blocks_for(words_.size(), threads_), threads_, start_, stream,
                  arguments(product, values));
  }

  void fill(const ExactValues& exact) {
    const Packing packing = pack(row_lengths(csr_, rows_).to_host(), Offset{threads_} * lane_slots);
    columns_ = filled_array<LocalIndex>(packing.slots, 0xff);  // -1
    values_ = filled_array<Matrix>(packing.slots);
    words_ = filled_array<unsigned>(packing.slots / lane_slots);
    DeviceArray<Offset> begins = device_array(packing.begins);
    fill_packed_structure(csr_, rows_, begins.data(), columns_.data(), words_.data());
    fill_packed_values(csr_, rows_, begins.data(), values_.data(), {});
    synchronize_device();  // before `begins` go
    if (csr_.refillable) begins_ = std::move(begins);
    if constexpr (takes_coded_values<Numbers>) {
      codes_ =
          value_codes<Matrix, Matrix>(values_.data(), packing.slots, exact, CodeOrder::of_entries);
      if (codes_) values_ = {};
    }
  }

  std::int64_t stored_entries() const override { return slots(); }
  std::int64_t matrix_bytes(const RowCounts& counts) const override {
    return footprint_bytes() - begins_.bytes() + counts.row_list_bytes;
  }
  std::int64_t footprint_bytes() const override {
    return columns_.bytes() + values_.bytes() + codes_.bytes() + words_.bytes() + begins_.bytes();
  }
  std::string parameters() const override {
    std::string text = "block=";
    text += std::to_string(threads_);
    if (codes_) text.append(",").append(codes_.text());
    if (in_fp32_) text += ",values=fp32";
    return text;
  }

  bool in_fp32_;  ///< fp64 values are stored as fp32
  int threads_ = fewest_threads;
  Start start_ = Start::early;
  DeviceArray<LocalIndex> columns_;
  DeviceArray<Matrix> values_;  ///< if they are not coded
  ValueCodes codes_;            ///< else
  DeviceArray<unsigned> words_;
  DeviceArray<Offset> begins_;  ///< first slot of each row, if values will change
};

}  // namespace

const FormatParts csr_packed_format{
    make_with_exact_values<CsrPackedKernel, least_saved_of_csr>,
    {"block", "codes"},
    [](const LocalStatistics& s) {
      const double slots = std::max(cost::nonzeros(s), static_cast<double>(s.rows));
      return Prediction{.bytes = (cost::value_bytes(s) + 5) * slots + cost::y_bytes(s),
                        .starts_early = true,
                        .saved_bytes = cost::saved_by_codes(s)};
    }};

}  // namespace rowhalo

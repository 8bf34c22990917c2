// SPDX-License-Identifier: BSD-3-Clause
//
// ell-vector: ELLPACK for products so short that they take as long as their chain of dependent
// loads. Every listed row has as many slots as the longest, filled up to a multiple of T; T = 1, 2,
// .. 32 threads share a row, and a step holds T slots of every row, one row after the other:
//   for group k of T threads: i = rows[k]
//     thread l: s_l = +0; for step in [0, width / T): slot = (step * count + k) * T + l
//       if indices[slot] >= 0: s_l = fma(values[slot], x[indices[slot]], s_l)
//     s = tree sum of s_0 .. s_(T-1); thread 0 writes y_i
// Nothing has to say where a row begins: the chain is index -> x -> y. `steps_at_once` steps are
// loaded before the first x; they do not depend on what stands before in the stream, so small
// matrices start early (early_start.cuh). The order of summation depends on T alone: the same bits
// every time (T = 1: those of csr).
//
// Bytes of the matrix: (v + 4) m L + rows, with L the longest row, up to the next multiple of the
// threads per row.
#include "kernels/choice.hpp"
#include "kernels/gpu/device/device_format.hpp"
#include "kernels/gpu/device/early_start.cuh"
#include "kernels/gpu/ell/ell_slots.cuh"
#include "kernels/gpu/warp/bits.cuh"
#include "kernels/gpu/warp/scans.cuh"
#include "kernels/gpu/warp/threads.cuh"

namespace rowhalo {
namespace {

constexpr int steps_at_once = 5;
constexpr std::int64_t most_early_slots = 1 << 18;  ///< with more, an early start is in the way

template <class Numbers>
struct EllVectorSlots {
  const LocalIndex* indices;
  const typename Numbers::Matrix* values;
  LocalIndex steps;  ///< slots per row over threads per row
  RowListView rows;
};

/// What the first loads need comes first, in one line of constant memory: waiting for a second line
/// takes 2 to 4 % of a product of 1 us.
template <class Numbers>
struct EllVectorArguments : EllVectorSlots<Numbers>, ProductOf<Numbers> {};

template <class Numbers, Start start, int threads>
__global__ void ell_vector_kernel(EllVectorArguments<Numbers> a) {
  using Sum = typename Numbers::Sum;
  const std::int64_t k = thread_index() / threads;
  const int lane = threadIdx.x % threads;
  // Threads beyond the last row stay for the shuffles.
  const bool has_row = k < a.rows.count;
  const int steps = has_row ? a.steps : 0;
  const std::int64_t apart = std::int64_t{a.rows.count} * threads;  // a step from the next
  const LocalIndex* indices = a.indices + (k * threads + lane);
  const auto* values = a.values + (k * threads + lane);
  LocalIndex row = 0;
  Sum sum = 0;
#pragma unroll 1
  for (int first = 0; first == 0 || first < a.steps; first += steps_at_once) {
    LocalIndex column[steps_at_once];
    typename Numbers::Matrix value[steps_at_once] = {};
    typename Numbers::Vector factor[steps_at_once] = {};
    // By the read-only path the compiler would put some of these loads off until after the wait.
#pragma unroll
    for (int u = 0; u < steps_at_once; ++u) {
      column[u] = first + u < steps ? streamed(indices + u * apart) : -1;
      if (first + u < steps) value[u] = streamed(values + u * apart);
    }
    if (first == 0) {
      if (has_row) row = a.rows[static_cast<LocalIndex>(k)];
      if constexpr (start == Start::early) {  // a wait in vain takes 0.2 to 1 us
        wait_for_stream();
        let_next_start();
      }
    }
#pragma unroll
    for (int u = 0; u < steps_at_once; ++u) {
      if (column[u] >= 0) factor[u] = a.x[column[u]];
    }
#pragma unroll
    for (int u = 0; u < steps_at_once; ++u) {
      const Sum next = fused_multiply_add(widened<Sum>(value[u]), widened<Sum>(factor[u]), sum);
      sum = column[u] >= 0 ? next : sum;
    }
    indices += steps_at_once * apart;
    values += steps_at_once * apart;
  }
  sum = sum_of_lanes<threads>(sum);
  if (has_row && lane == 0) finish_row(a.alpha, sum, a.beta, a.y[row]);
}

/// Without threads=: the fewest whose loads are all under way at once. Measured on an H200 on 8
/// matrices of 400 to 210000 nonzeros: with fewer, loads wait for others; with more, warps do.
int fitting_threads(const RowLengths& lengths) {
  int threads = 1;
  while (threads < warp_size && lengths.longest > steps_at_once * threads) threads *= 2;
  return threads;
}

template <class Numbers>
class EllVectorKernel final : public DeviceFormat {
 public:
  EllVectorKernel(const CsrView& matrix, RowListView rows, const Spec& options)
      : DeviceFormat(matrix, rows), block_(block_option(options, product_threads)) {
    const RowLengths lengths = row_lengths_on_device(matrix, rows);
    threads_ = one_of(options, "threads", {1, 2, 4, 8, 16, 32}, fitting_threads(lengths));
    steps_ = static_cast<LocalIndex>((lengths.longest + threads_ - 1) / threads_);
    const Offset slots = Offset{steps_} * threads_ * rows.count;
    check_padding(options, {slots, lengths.nonzeros, matrix},
                  std::to_string(rows.count) + " rows as long as the longest",
                  "use hyb, sell or csr-vector");
    const bool few = slots <= most_early_slots;
    if (few && can_start_early(ell_vector_kernel<Numbers, Start::early, 1>)) start_ = Start::early;
    slots_ = EllSlots<Matrix>(matrix, rows, Offset{steps_} * threads_, threads_);
  }

  bool starts_early() const override { return start_ == Start::early; }

 private:
  void launch_product(const LocalProduct& product, cudaStream_t stream) const override {
    const EllVectorArguments<Numbers> arguments{
        {slots_.indices.data(), slots_.values.data(), steps_, rows_}, product};
    const std::int64_t threads = std::int64_t{rows_.count} * threads_;
    with_choice<1, 2, 4, 8, 16, 32>(threads_, [&](auto t) {
      auto* kernel = ell_vector_kernel<Numbers, Start::in_turn, t>;
      if (start_ == Start::early) kernel = ell_vector_kernel<Numbers, Start::early, t>;
      launch_kernel(kernel, blocks_for(threads, block_), block_, start_, stream, arguments);
    });
  }
  void refill_values(const CsrView& matrix, Stream stream) override {
    slots_.refill(matrix, rows_, stream);
  }
  bool copies_values() const override { return true; }

  using Matrix = typename Numbers::Matrix;

  std::int64_t stored_entries() const override { return slots_.indices.size(); }
  std::int64_t footprint_bytes() const override { return slots_.bytes(); }
  std::string parameters() const override { return "threads=" + std::to_string(threads_); }

  int block_, threads_ = 1;
  LocalIndex steps_ = 0;
  Start start_ = Start::in_turn;
  EllSlots<Matrix> slots_;
};

}  // namespace

const FormatParts ell_vector_format{
    make_with_numbers<EllVectorKernel>,
    {"threads", "max_padding", "block"},
    [](const LocalStatistics& s) {
      const bool few = s.lengths.longest * static_cast<std::int64_t>(s.rows) <= most_early_slots;
      return Prediction{.bytes = cost::padded_bytes(s, cost::longest_row(s) * s.rows),
                        .serial_entries = cost::longest_row(s) / warp_size,
                        .starts_early = few};
    }};

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// bsr: blocked CSR, b = 2..8 (block_rows.hpp), a group of 32 (or 8) lanes a block row, of which the
// largest multiple of b^2 works (of b, where b^2 is more than the group):
//   for lane l: r = l % b; s = +0
//     for v = l, step lanes, below b * b * blocks of the block row: block v / b^2, column c = v / b
//     % b
//       s = fma(values[v], x[b * columns[block] + c], s)       (entry (r, c): columns one after the
//       other)
//   row r: the sums of lanes r, r + b, r + 2b ... in that order; lane r writes y
// A load of a group is one stretch of memory; an index is read for b * b entries. The order of
// summation depends on the blocks alone: the same bits every time. Bytes of a product: 8 b^2 (fp32:
// 4 b^2) and 4 a block (12 where blocks have gaps), 8 a block row, the row list, x and y once.
#include "kernels/formats.hpp"
#include "kernels/gpu/bits.cuh"
#include "kernels/gpu/block_rows.hpp"
#include "kernels/gpu/device_format.hpp"
#include "kernels/gpu/launch.hpp"
#include "kernels/gpu/number_types.hpp"
#include "kernels/options.hpp"

namespace rowhalo {
namespace {

constexpr int block_threads = 128;
constexpr int small_group = 8;

template <class Numbers>
struct BsrArguments {
  const Offset* offsets;
  const LocalIndex* columns;
  const typename Numbers::Matrix* values;
  const unsigned long long* masks;  ///< null: no gaps
  LocalIndex block_rows;
  RowListView rows;
  typename Numbers::Sum alpha;
  const typename Numbers::Vector* x;
  typename Numbers::Sum beta;
  typename Numbers::Vector* y;
};

/// Lanes of a group that work: as many whole blocks, or else columns of a block, as it has room
/// for.
constexpr int working_lanes(int b, int group) {
  return b * b <= group ? group / (b * b) * (b * b) : group / b * b;
}

/// What one lane of a block row sums; its slots lie working_lanes apart.
template <class Sum, int b, int lanes, class Matrix, class Vector>
__device__ Sum lane_sum_of_blocks(const LocalIndex* columns, const Matrix* values,
                                  const unsigned long long* masks, LocalIndex slots, int lane,
                                  const Vector* x) {
  constexpr int flight = 4;
  constexpr bool whole_blocks = lanes % (b * b) == 0;  // a lane then keeps its place in the blocks
  Sum sum = 0;
  for (LocalIndex v = lane; v < slots; v += flight * lanes) {
    LocalIndex column[flight];
    Matrix value[flight];
    Vector factor[flight];
    bool there[flight];
#pragma unroll
    for (int u = 0; u < flight; ++u) {
      there[u] = v + u * lanes < slots;
      const LocalIndex slot = there[u] ? v + u * lanes : v;
      const LocalIndex block = slot / (b * b);
      const LocalIndex place = whole_blocks ? lane % (b * b) : slot % (b * b);
      column[u] = cached(columns + block) * b + place / b;
      value[u] = streamed(values + slot);
      if (masks != nullptr) there[u] = there[u] && (cached(masks + block) >> place & 1) != 0;
    }
#pragma unroll
    for (int u = 0; u < flight; ++u) factor[u] = cached(x + (there[u] ? column[u] : 0));
#pragma unroll
    for (int u = 0; u < flight; ++u) {
      const Sum next = fused_multiply_add(widened<Sum>(value[u]), widened<Sum>(factor[u]), sum);
      sum = there[u] ? next : sum;
    }
  }
  return sum;
}

template <class Numbers, int b, int group>
__global__ void bsr_kernel(BsrArguments<Numbers> a) {
  using Sum = typename Numbers::Sum;
  constexpr int lanes = working_lanes(b, group);
  const std::int64_t block_row = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / group;
  const int lane = threadIdx.x % group;
  // Groups beyond the last block row stay for the shuffles.
  const bool works = block_row < a.block_rows && lane < lanes;
  Sum sum = 0;
  if (works) {
    const Offset first = a.offsets[block_row];
    const auto slots = static_cast<LocalIndex>((a.offsets[block_row + 1] - first) * b * b);
    sum = lane_sum_of_blocks<Sum, b, lanes>(a.columns + first, a.values + first * b * b,
                                            a.masks == nullptr ? nullptr : a.masks + first, slots,
                                            lane, a.x);
  }
  Sum total = sum;
#pragma unroll
  for (int other = b; other < lanes; other += b) {
    total += __shfl_down_sync(0xffffffffu, sum, other, group);
  }
  const std::int64_t k = block_row * b + lane;
  if (works && lane < b && k < a.rows.count) {
    finish_row(a.alpha, total, a.beta, a.y[a.rows[static_cast<LocalIndex>(k)]]);
  }
}

template <class Numbers>
using BsrLaunch = void (*)(const BsrArguments<Numbers>& arguments, cudaStream_t stream);

template <class Numbers, int b, int group>
void launch(const BsrArguments<Numbers>& arguments, cudaStream_t stream) {
  const std::int64_t threads = std::int64_t{arguments.block_rows} * group;
  bsr_kernel<Numbers, b, group>
      <<<blocks_for(threads, block_threads), block_threads, 0, stream>>>(arguments);
}

template <class Numbers>
BsrLaunch<Numbers> launch_of(int size, int group) {
  constexpr BsrLaunch<Numbers> small[] = {
      launch<Numbers, 2, small_group>, launch<Numbers, 3, small_group>,
      launch<Numbers, 4, small_group>, launch<Numbers, 5, small_group>,
      launch<Numbers, 6, small_group>, launch<Numbers, 7, small_group>,
      launch<Numbers, 8, small_group>};
  constexpr BsrLaunch<Numbers> large[] = {
      launch<Numbers, 2, warp_size>, launch<Numbers, 3, warp_size>, launch<Numbers, 4, warp_size>,
      launch<Numbers, 5, warp_size>, launch<Numbers, 6, warp_size>, launch<Numbers, 7, warp_size>,
      launch<Numbers, 8, warp_size>};
  return (group == small_group ? small : large)[size - smallest_block_size];
}

template <class Numbers>
class BsrGpuKernel final : public DeviceFormat {
 public:
  BsrGpuKernel(const CsrView& matrix, RowListView rows, const Spec& options)
      : DeviceFormat(matrix, rows),
        blocks_(make_block_rows(matrix, rows, block_size_option(matrix, rows, options), options)) {
    // A whole warp pays where each of its lanes gets a few entries.
    const bool short_rows = blocks_.slots() < std::int64_t{blocks_.count} * 2 * warp_size;
    if (short_rows) group_ = small_group;
    launch_ = launch_of<Numbers>(blocks_.size, group_);
    stop_clock();
  }

  void apply(double alpha, const void* x, double beta, void* y, Stream stream) const override {
    if (rows_.count == 0) return;
    using Sum = typename Numbers::Sum;
    launch_({blocks_.offsets.data(), blocks_.columns.data(),
             reinterpret_cast<const typename Numbers::Matrix*>(blocks_.values.data()),
             blocks_.masks.data(), blocks_.count, rows_, static_cast<Sum>(alpha),
             static_cast<const typename Numbers::Vector*>(x), static_cast<Sum>(beta),
             static_cast<typename Numbers::Vector*>(y)},
            native(stream));
    ROWHALO_CUDA(cudaGetLastError());
  }

 private:
  std::int64_t stored_entries() const override { return blocks_.slots(); }
  std::int64_t matrix_bytes(const DeviceCounts& counts) const override {
    return blocks_.bytes() + counts.row_list_bytes;
  }
  std::int64_t footprint_bytes() const override { return blocks_.bytes(); }

  /// Entries over the lanes of all steps of all groups.
  LaneUse lanes() const override {
    const std::vector<Offset> offsets = blocks_.offsets.to_host();
    const std::int64_t slots = blocks_.size * blocks_.size;
    const std::int64_t working = working_lanes(blocks_.size, group_);
    std::int64_t steps = 0;
    for (LocalIndex k = 0; k < blocks_.count; ++k) {
      steps += ((offsets[k + 1] - offsets[k]) * slots + working - 1) / working;
    }
    const Offset nonzeros = listed_nonzeros_on_device(csr_, rows_);
    if (steps == 0) return {};
    return {1, static_cast<double>(nonzeros) / static_cast<double>(steps * group_)};
  }
  std::string parameters() const override { return "b=" + std::to_string(blocks_.size); }

  BlockRows blocks_;
  int group_ = warp_size;
  BsrLaunch<Numbers> launch_ = nullptr;
};

}  // namespace

std::unique_ptr<SpmvKernel> make_gpu_bsr(const CsrView& matrix, RowListView rows,
                                         const Spec& options) {
  check_format_options(options, {"b", "max_padding"});
  return with_numbers(matrix.precision, [&]<class Numbers>() -> std::unique_ptr<SpmvKernel> {
    return std::make_unique<BsrGpuKernel<Numbers>>(matrix, rows, options);
  });
}

}  // namespace rowhalo

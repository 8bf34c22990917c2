// SPDX-License-Identifier: BSD-3-Clause
//
// bsr: dense blocks of b x b, b = 2..8, in slices of 32 block rows (block_rows.hpp: sliced ELLPACK
// whose entries are blocks; the layout within a block as in Eberhardt, Hoemmen: Optimization of
// block sparse matrix-vector multiplication on shared-memory parallel architectures, IPDPSW 2016).
// A step of a slice is one block of each of its block rows, here for b = 3 in fp64, where one load
// of 16 bytes fetches 2 columns:
//
//              block row 0                   block row 1                 ...  block row 31
//              thread 0  thread 1  thread 2  thread 3  thread 4  thread 5
//   columns    a00 a01   a10 a11   a20 a21   a00 a01   a10 a11   a20 a21 ...  16 bytes per thread
//   0, 1
//   column 2   a02       a12       a22       a02       a12       a22     ...  8 bytes per thread
//
//   value(c, p, r) is at values[c0 * 32 * b + (p * b + r) * w + c - c0] of its step, where w
//   columns from c0 (16 bytes or less) are one load and p counts block rows within the slice.
//
// One thread per row, b warps per slice:
//   for thread k: p = k / b, r = k % b; i = the row; s = +0
//     for each block of block row p, for c in [0, b):
//       if value(c, p, r) is no hole: s = fma(value(c, p, r), x[column + c], s)
// A hole is a place of a block, or a block of padding, without an entry: x is loaded for it, and
// the product discarded. Neighbouring threads read neighbouring values; b of them share an index.
// Rows keep their stored order and have one accumulator: the bits of csr. `unroll` blocks are
// loaded before the first is summed. Several vectors at once: bsr_several.cu.
//
// blocked-ell: the same blocks in one slice: as many in every block row as in the longest, and step
// s of all block rows side by side:
//   for thread k: R = k / b, r = k % b; s = +0
//     for step in [0, width): column = columns[step * block rows + R]; for c in [0, b):
//       value = values[((step * b + c) * block rows + R) * b + r]
//       if value is no hole: s = fma(value, x[column + c], s)
//
// Bytes of the matrix (blocked-ell): B (b b v + 4) + rows, with B = m / b times the longest block
// row.
//
// Bytes of the matrix (bsr): B (b b v + 2) + 12 slices + rows, or B (b b v + 4) + 8 slices + rows
// if any slice spans 2^16 columns, with B counting the padding of slices of 32 block rows; 4 m / b
// where they are sorted.
#include "kernels/gpu/bsr/bsr_blocks.cuh"
#include "kernels/gpu/device/device_format.hpp"
#include "kernels/gpu/warp/holes.cuh"
#include "kernels/gpu/warp/lane_sum.cuh"
#include "kernels/gpu/warp/threads.cuh"

namespace rowhalo {
namespace {

/// Blocks under way, measured on an H200: 8 to 15 values per thread.
constexpr int unroll_of(int b) {
  constexpr int depths[] = {6, 4, 3, 3, 2, 2, 1};
  return depths[b - smallest_block_size];
}

/// Adds the next `unroll` of the `steps` blocks that a row has left.
template <int unroll, Batch batch, int b, class Index, class Matrix, class Vector, class Sum>
__device__ void add_blocks(const Index* columns, const Matrix* values, int lane, int steps,
                           LocalIndex base, LocalIndex last_column, const Vector* x, Sum& sum) {
  LocalIndex column[unroll];
  Matrix value[unroll][b];
  Vector factor[unroll][b];
#pragma unroll
  for (int u = 0; u < unroll; ++u) {
    const int step = batch == Batch::whole || u < steps ? u : steps - 1;
    column[u] = base + static_cast<LocalIndex>(streamed(columns + step * slice_size));
    load_row<b>(values + step * slice_size * b * b, lane, value[u]);
  }
#pragma unroll
  for (int u = 0; u < unroll; ++u) {
#pragma unroll
    for (int c = 0; c < b; ++c) factor[u][c] = cached(x + min(column[u] + c, last_column));
  }
#pragma unroll
  for (int u = 0; u < unroll; ++u) {
#pragma unroll
    for (int c = 0; c < b; ++c) {
      const Sum next =
          fused_multiply_add(widened<Sum>(value[u][c]), widened<Sum>(factor[u][c]), sum);
      sum = (batch == Batch::whole || u < steps) && !is_hole(value[u][c]) ? next : sum;
    }
  }
}

template <class Numbers, class Index, int b>
__global__ void bsr_kernel(BsrArguments<Numbers> a) {
  constexpr int lanes = slice_size * b;
  const std::int64_t thread = thread_index();
  const std::int64_t slice = thread / lanes;
  const auto lane = static_cast<int>(thread - slice * lanes);
  const std::int64_t place = slice * slice_size + lane / b;
  if (place >= a.block_rows) return;
  const Offset begin = a.begins[slice];
  auto steps = static_cast<int>((a.begins[slice + 1] - begin) / slice_size);
  const std::int64_t block_row = a.order == nullptr ? place : a.order[place];
  const std::int64_t k = block_row * b + lane % b;
  if (k >= a.rows.count) return;
  const LocalIndex base = a.bases == nullptr ? 0 : a.bases[slice];
  const Index* columns = static_cast<const Index*>(a.columns) + begin + lane / b;
  const typename Numbers::Matrix* values = a.values + begin * (b * b);
  typename Numbers::Sum sum = 0;
  constexpr int unroll = unroll_of(b);
  for (; steps >= unroll; steps -= unroll) {
    add_blocks<unroll, Batch::whole, b>(columns, values, lane, steps, base, a.last_column, a.x,
                                        sum);
    columns += unroll * slice_size;
    values += unroll * slice_size * b * b;
  }
  if (steps > 0) {
    add_blocks<unroll, Batch::partial, b>(columns, values, lane, steps, base, a.last_column, a.x,
                                          sum);
  }
  finish_row(a.alpha, sum, a.beta, a.y[a.rows[static_cast<LocalIndex>(k)]]);
}

template <class T>
struct BlockedArguments : ProductArguments<T> {
  const LocalIndex* columns;
  const T* values;
  int size;
  LocalIndex width, block_rows, last_column;
  RowListView rows;
};

template <class T>
__global__ void blocked_ell_kernel(BlockedArguments<T> a) {
  const std::int64_t k = thread_index();
  if (k >= a.rows.count) return;
  const std::int64_t lanes = std::int64_t{a.block_rows} * a.size;
  T sum = 0;
  for (LocalIndex step = 0; step < a.width; ++step) {
    const LocalIndex column = cached(a.columns + std::int64_t{step} * a.block_rows + k / a.size);
    for (int c = 0; c < a.size; ++c) {
      const T value = streamed(a.values + (std::int64_t{step} * a.size + c) * lanes + k);
      const T factor = cached(a.x + min(column + c, a.last_column));
      const T next = fused_multiply_add(value, factor, sum);
      sum = is_hole(value) ? sum : next;
    }
  }
  finish_row(a.alpha, sum, a.beta, a.y[a.rows[static_cast<LocalIndex>(k)]]);
}

/// What formats of blocks have in common.
class BlockFormat : public DeviceFormat {
 protected:
  BlockFormat(const CsrView& matrix, RowListView rows, const SliceLayout& layout,
              const Spec& options)
      : DeviceFormat(matrix, rows), blocks_(make_block_rows(matrix, rows, layout, options)) {}

  void refill_values(const CsrView& matrix, Stream stream) final {
    fill_block_values(matrix, rows_, blocks_, stream);
  }
  bool copies_values() const final { return true; }
  std::int64_t stored_entries() const override { return blocks_.values_count; }
  std::int64_t footprint_bytes() const override { return blocks_.bytes(); }
  std::string parameters() const override {
    return blocks_.parameters(listed_nonzeros_on_device(csr_, rows_));
  }

  const BlockRows blocks_;
};

template <class Numbers>
class BsrGpuKernel final : public BlockFormat {
 public:
  BsrGpuKernel(const CsrView& matrix, RowListView rows, const Spec& options)
      : BlockFormat(matrix, rows,
                    {.slice = slice_size, .widest_chunk = widest_chunk<typename Numbers::Matrix>},
                    options) {}

  bool takes_several() const override { return has_several<Numbers>; }

 private:
  BsrArguments<Numbers> arguments(const LocalProduct& product) const {
    return {product,
            blocks_.begins.data(),
            blocks_.bases.data(),
            blocks_.columns.data(),
            reinterpret_cast<const typename Numbers::Matrix*>(blocks_.values.data()),
            blocks_.order.data(),
            blocks_.slices(),
            blocks_.count,
            csr_.columns - 1,
            rows_};
  }
  void launch_product(const LocalProduct& product, cudaStream_t stream) const override {
    with_block_size(blocks_.size, [&](auto b) {
      auto* kernel = bsr_kernel<Numbers, std::uint32_t, b>;
      if (blocks_.bases.size() > 0) kernel = bsr_kernel<Numbers, std::uint16_t, b>;
      const std::int64_t threads = blocks_.slices() * slice_size * b;
      kernel<<<blocks_for(threads, bsr_threads), bsr_threads, 0, stream>>>(arguments(product));
    });
  }
  void launch_several(const LocalProduct& product, cudaStream_t stream) const override {
    if constexpr (has_several<Numbers>) {
      launch_bsr_several(arguments(product), blocks_.size, product, stream);
    }
  }

  std::int64_t matrix_bytes(const RowCounts& counts) const override {
    return rows_.count == 0 ? 0 : blocks_.bytes() + counts.row_list_bytes;
  }
};

template <class T>
class BlockedEllKernel final : public BlockFormat {
 public:
  BlockedEllKernel(const CsrView& matrix, RowListView rows, const Spec& options)
      : BlockFormat(matrix, rows, {.slice = 0, .columns16 = false, .sort = false}, options) {}

 private:
  void launch_product(const LocalProduct& product, cudaStream_t stream) const override {
    const auto blocks = static_cast<std::int64_t>(blocks_.columns.bytes() / sizeof(LocalIndex));
    blocked_ell_kernel<T><<<blocks_for(rows_.count, bsr_threads), bsr_threads, 0, stream>>>(
        {product, reinterpret_cast<const LocalIndex*>(blocks_.columns.data()),
         reinterpret_cast<const T*>(blocks_.values.data()), blocks_.size,
         static_cast<LocalIndex>(blocks / blocks_.count), blocks_.count, csr_.columns - 1, rows_});
  }

  std::int64_t matrix_bytes(const RowCounts& counts) const override {
    return blocks_.columns.bytes() + blocks_.values.bytes() + counts.row_list_bytes;
  }
};

}  // namespace

const FormatParts gpu_bsr_format{
    make_with_numbers<BsrGpuKernel>, {"b", "max_padding"}, [](const LocalStatistics& s) {
      // One thread per row, blocks without masks.
      BlockSamples without_masks = s.blocks;
      for (BlockSample& sample : without_masks) sample.masks = 0;
      const double per_nonzero = best_blocks(without_masks, cost::value_bytes(s)).bytes;
      return Prediction{per_nonzero * cost::nonzeros(s) + cost::y_bytes(s), cost::longest_row(s)};
    }};

const FormatParts blocked_ell_format{make_with_wide_numbers<BlockedEllKernel>,
                                     {"b", "max_padding"}};

}  // namespace rowhalo

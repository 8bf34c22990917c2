// SPDX-License-Identifier: BSD-3-Clause
//
// dia: diagonals. Slot (d, k) holds the entry of listed row k on the d-th diagonal that any of them
// has, and a bit says whether there is one; without one, x[0] is loaded and the product discarded:
//   for thread k: i = rows[k]; s = +0; for d in [0, diagonals):
//     if bit k of masks[d]: s = fma(values[d * count + k], x[i + shifts[d]], s)
// Diagonals ascend, so a row is summed by ascending local column. Several vectors at once: the same
// with some lanes per row and a few rows per lane (several/several.cuh).
//
// Bytes of the matrix: d m (v + 1/8) + 4 d + rows, with d diagonals.
#include "kernels/gpu/conversion/row_walks.cuh"
#include "kernels/gpu/conversion/sort_and_scan.hpp"
#include "kernels/gpu/device/device_format.hpp"
#include "kernels/gpu/several/several.cuh"
#include "kernels/gpu/values/positions.cuh"
#include "kernels/gpu/warp/bits.cuh"
#include "kernels/gpu/warp/threads.cuh"

namespace rowhalo {
namespace {

template <class T>
struct DiaArguments : ProductArguments<T> {
  const LocalIndex* shifts;  ///< column minus row
  const unsigned* masks;
  const T* values;
  LocalIndex diagonals;
  RowListView rows;
};

__host__ __device__ std::int64_t words_of(LocalIndex rows) {
  return (std::int64_t{rows} + warp_size - 1) / warp_size;
}

template <class T>
__global__ void dia_kernel(DiaArguments<T> a) {
  const std::int64_t k = thread_index();
  if (k >= a.rows.count) return;
  const LocalIndex row = a.rows[static_cast<LocalIndex>(k)];
  const std::int64_t words = words_of(a.rows.count);
  T sum = 0;
#pragma unroll 4
  for (LocalIndex d = 0; d < a.diagonals; ++d) {
    const bool there = a.masks[d * words + k / warp_size] >> (k % warp_size) & 1;
    const T value = streamed(a.values + std::int64_t{d} * a.rows.count + k);
    // In range for every entry that is there; elsewhere x[0] is loaded in its place.
    const T factor = cached(a.x + (there ? row + a.shifts[d] : 0));
    const T next = fused_multiply_add(value, factor, sum);
    sum = there ? next : sum;
  }
  finish_row(a.alpha, sum, a.beta, a.y[row]);
}

template <class T>
struct DiaSeveral {
  DiaArguments<T> one;
  SeveralShape shape;
};

/// The diagonals for the rows of a lane, in the form that sum_steps() takes.
template <class T, int groups>
struct DiaSource {
  const LocalIndex* shifts;
  const unsigned* masks;  ///< of the slice; those of a diagonal lie `words` apart
  const T* values;        ///< of the slice; those of a diagonal lie `count` apart
  std::int64_t words, count;
  int place[groups];  ///< of its rows within the slice
  LocalIndex row[groups];

  template <int unroll>
  __device__ void load(int left, LocalIndex (&column)[unroll][groups], T (&value)[unroll][groups]) {
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      const bool some = u < left;
      const LocalIndex shift = some ? cached(shifts + u) : 0;
      const unsigned mask = some ? cached(masks + u * words) : 0;
#pragma unroll
      for (int g = 0; g < groups; ++g) {
        const bool there = (mask >> place[g] & 1) != 0;
        column[u][g] = there ? row[g] + shift : -1;
        value[u][g] = there ? read_once(values + (u * count + place[g])) : T{0};
      }
    }
    shifts += unroll, masks += unroll * words, values += unroll * count;
  }
};

template <class T, int groups, Access access>
__global__ void __launch_bounds__(several_threads) dia_several_kernel(DiaSeveral<T> a) {
  const SlicePart<groups> part(a.shape, thread_index() / warp_size);
  const RowListView rows = a.one.rows;
  const std::int64_t first = part.slice * warp_size;
  if (first >= rows.count) return;
  DiaSource<T, groups> source{a.one.shifts, a.one.masks + part.slice, a.one.values + first,
                              words_of(rows.count), rows.count};
#pragma unroll
  for (int g = 0; g < groups; ++g) {
    const std::int64_t k = first + part.place(g);
    source.place[g] = part.place(g);
    source.row[g] = k < rows.count ? rows[static_cast<LocalIndex>(k)] : -1;
  }
  const LaneVectors<T, access> lane(a.shape);
  T sum[groups][lane_vectors] = {};
  sum_steps<several_unroll(groups), groups, T>(a.one.diagonals, source, a.one.x, lane, sum);
#pragma unroll
  for (int g = 0; g < groups; ++g) {
    if (source.row[g] >= 0) lane.finish(a.one.alpha, sum[g], a.one.beta, a.one.y, source.row[g]);
  }
}

/// Which of all diagonals have an entry: that of column - row at its place behind the lowest.
DeviceArray<std::int64_t> used_diagonals(const CsrView& matrix, RowListView rows) {
  const auto used = filled_array<unsigned char>(std::int64_t{matrix.rows} + matrix.columns);
  for_each_entry(matrix, rows,
                 [=, used = used.data()] __device__(std::int64_t, const RowEntries& row, Offset e) {
                   used[std::int64_t{matrix.indices[e]} - row.row + matrix.rows - 1] = 1;
                 });
  return places_of_flags(used);
}

void set_shifts(const DeviceArray<std::int64_t>& places, LocalIndex rows, LocalIndex* shifts) {
  for_each_item(places.size(), [=, places = places.data()] __device__(std::int64_t d) {
    shifts[d] = static_cast<LocalIndex>(places[d] - rows + 1);
  });
}

/// The entries, each to its diagonal, which is searched for; without `masks` values alone.
template <class T>
void fill_diagonals(const CsrView& matrix, RowListView rows, const DeviceArray<LocalIndex>& shifts,
                    unsigned* masks, T* values, Stream stream) {
  const auto put = [=, shifts = shifts.data(), diagonals = shifts.size()] __device__(
                       std::int64_t k, const RowEntries& row, Offset e) {
    const std::int64_t d = count_below(matrix.indices[e] - row.row, shifts, diagonals);
    values[d * rows.count + k] = static_cast<const T*>(matrix.values)[e];
    if (masks == nullptr) return;
    atomicOr(&masks[d * words_of(rows.count) + k / warp_size], 1u << (k % warp_size));
  };
  for_each_entry(matrix, rows, put, {native(stream)});
}

template <class T>
class DiaGpuKernel final : public DeviceFormat {
 public:
  DiaGpuKernel(const CsrView& matrix, RowListView rows, const Spec& options)
      : DeviceFormat(matrix, rows), block_(block_option(options, product_threads)) {
    if (rows.count == 0) return;
    const DeviceArray<std::int64_t> places = used_diagonals(matrix, rows);
    const std::int64_t diagonals = places.size();
    const Offset nonzeros = listed_nonzeros_on_device(matrix, rows);
    check_padding(
        options, {diagonals * rows.count, nonzeros, matrix},
        std::to_string(diagonals) + " diagonals of " + std::to_string(rows.count) + " rows",
        "use sell or csr-vector");
    shifts_ = DeviceArray<LocalIndex>(diagonals);
    masks_ = filled_array<unsigned>(diagonals * words_of(rows.count));
    values_ = filled_array<T>(diagonals * rows.count);
    set_shifts(places, matrix.rows, shifts_.data());
    fill_diagonals(matrix, rows, shifts_, masks_.data(), values_.data(), {});
    synchronize_device();  // before `places` go
  }

  bool takes_several() const override { return true; }

 private:
  DiaArguments<T> arguments(const LocalProduct& product) const {
    return {product,
            shifts_.data(),
            masks_.data(),
            values_.data(),
            static_cast<LocalIndex>(shifts_.size()),
            rows_};
  }
  void launch_product(const LocalProduct& product, cudaStream_t stream) const override {
    dia_kernel<T><<<blocks_for(rows_.count, block_), block_, 0, stream>>>(arguments(product));
  }
  void launch_several(const LocalProduct& product, cudaStream_t stream) const override {
    const SeveralShape shape(product);
    with_groups_and_access(shape, [&](auto groups, auto access) {
      const std::int64_t threads = threads_of_parts<groups>(shape, rows_.count);
      dia_several_kernel<T, groups, access>
          <<<blocks_for(threads, several_threads), several_threads, 0, stream>>>(
              {arguments(product), shape});
    });
  }
  void refill_values(const CsrView& matrix, Stream stream) override {
    fill_diagonals(matrix, rows_, shifts_, nullptr, values_.data(), stream);
  }
  bool copies_values() const override { return true; }

  std::int64_t stored_entries() const override { return values_.size(); }
  std::int64_t footprint_bytes() const override {
    return shifts_.bytes() + masks_.bytes() + values_.bytes();
  }

  int block_;
  DeviceArray<LocalIndex> shifts_;
  DeviceArray<unsigned> masks_;
  DeviceArray<T> values_;
};

}  // namespace

const FormatParts gpu_dia_format{
    make_with_wide_numbers<DiaGpuKernel>, {"max_padding", "block"}, [](const LocalStatistics& s) {
      return Prediction{cost::diagonal_bytes(s)};
    }};

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// From CSR to blocks (block_rows.hpp): the (block row, block column) of every entry as one 64-bit
// key, radix-sorted and made unique; a binary search then takes each entry to its block.
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_select.cuh>

#include <string>

#include "kernels/gpu/block_rows.hpp"
#include "kernels/gpu/device_work.hpp"
#include "kernels/gpu/launch.hpp"
#include "kernels/gpu/scratch.cuh"
#include "kernels/gpu/words.hpp"
#include "kernels/options.hpp"

namespace rowhalo {
namespace {

constexpr int block_threads = 256;
using Key = unsigned long long;

__device__ std::int64_t thread_index() {
  return std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
}

__global__ void find_split_blocks(RowListView rows, int size, int* found) {
  const std::int64_t item = thread_index();
  if (item >= rows.count) return;
  const auto k = static_cast<LocalIndex>(item);
  if (rows[k] - rows[k - k % size] != k % size) *found = 1;
}

__device__ Key key_of(LocalIndex position, LocalIndex column, int size) {
  return static_cast<Key>(position / size) << 32 | static_cast<Key>(column / size);
}

/// A warp a row; the keys of all listed entries, in any order.
__global__ void write_keys(CsrView matrix, RowListView rows, int size, unsigned long long* next,
                           Key* keys) {
  const std::int64_t k = thread_index() / warp_size;
  if (k >= rows.count) return;
  const LocalIndex row = rows[static_cast<LocalIndex>(k)];
  const Offset begin = matrix.offsets[row], length = matrix.offsets[row + 1] - begin;
  unsigned long long place = 0;
  if (threadIdx.x % warp_size == 0) {
    place = atomicAdd(next, static_cast<unsigned long long>(length));
  }
  place = __shfl_sync(0xffffffffu, place, 0);
  for (Offset e = threadIdx.x % warp_size; e < length; e += warp_size) {
    keys[place + e] = key_of(static_cast<LocalIndex>(k), matrix.indices[begin + e], size);
  }
}

/// The first of the ascending `keys` that is not below `wanted`.
__device__ std::int64_t lower_bound(const Key* keys, std::int64_t count, Key wanted) {
  std::int64_t low = 0, high = count;
  while (low < high) {
    const std::int64_t middle = (low + high) / 2;
    if (keys[middle] < wanted) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

__global__ void write_offsets(const Key* keys, std::int64_t blocks, LocalIndex block_rows,
                              Offset* offsets) {
  const std::int64_t k = thread_index();
  if (k <= block_rows) offsets[k] = lower_bound(keys, blocks, static_cast<Key>(k) << 32);
}

__global__ void write_columns(const Key* keys, std::int64_t blocks, LocalIndex* columns) {
  const std::int64_t k = thread_index();
  if (k < blocks) columns[k] = static_cast<LocalIndex>(keys[k] & 0xffffffffu);
}

/// A warp a row.
template <class Word>
__global__ void fill_blocks(CsrView matrix, RowListView rows, int size, const Key* keys,
                            const Offset* offsets, Word* values, unsigned long long* masks) {
  const std::int64_t k = thread_index() / warp_size;
  if (k >= rows.count) return;
  const LocalIndex row = rows[static_cast<LocalIndex>(k)];
  const std::int64_t block_row = k / size;
  const auto r = static_cast<int>(k % size);
  const Offset first = offsets[block_row], count = offsets[block_row + 1] - first;
  const Offset end = matrix.offsets[row + 1];
  for (Offset e = matrix.offsets[row] + threadIdx.x % warp_size; e < end; e += warp_size) {
    const LocalIndex column = matrix.indices[e];
    const Offset block =
        first + lower_bound(keys + first, count, key_of(static_cast<LocalIndex>(k), column, size));
    const int place = column % size * size + r;
    values[block * size * size + place] = static_cast<const Word*>(matrix.values)[e];
    atomicOr(&masks[block], 1ull << place);
  }
}

__global__ void find_gaps(const unsigned long long* masks, std::int64_t blocks,
                          unsigned long long full, int* found) {
  const std::int64_t k = thread_index();
  if (k < blocks && masks[k] != full) *found = 1;
}

/// Whether `launch(flag)` raises the flag.
template <class Launch>
bool raises_flag(const Launch& launch) {
  const DeviceArray<int> flag(1);
  set_bytes_async(flag.data(), 0, sizeof(int), Stream{});
  launch(flag.data());
  ROWHALO_CUDA(cudaGetLastError());
  return flag.to_host()[0] != 0;
}

/// Unique keys of the blocks, ascending.
DeviceArray<Key> keys_of_blocks(const CsrView& matrix, RowListView rows, int size) {
  const Offset nonzeros = listed_nonzeros_on_device(matrix, rows);
  if (nonzeros == 0) return {};
  DeviceArray<Key> keys(nonzeros), sorted(nonzeros);
  const DeviceArray<Key> next(1);
  set_bytes_async(next.data(), 0, sizeof(Key), Stream{});
  const std::int64_t threads = std::int64_t{rows.count} * warp_size;
  write_keys<<<blocks_for(threads, block_threads), block_threads>>>(matrix, rows, size, next.data(),
                                                                    keys.data());
  ROWHALO_CUDA(cudaGetLastError());
  with_scratch([&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(scratch, bytes, keys.data(), sorted.data(), nonzeros);
  });
  const DeviceArray<std::int64_t> found(1);
  with_scratch([&](void* scratch, std::size_t& bytes) {
    return cub::DeviceSelect::Unique(scratch, bytes, sorted.data(), keys.data(), found.data(),
                                     nonzeros);
  });
  DeviceArray<Key> unique(found.to_host()[0]);
  copy_now(unique.data(), keys.data(), static_cast<std::size_t>(unique.bytes()));
  return unique;
}

}  // namespace

int block_size_option(const CsrView& matrix, RowListView rows, const Spec& options) {
  const auto size = static_cast<int>(options.integer("b", matrix.block, 1, largest_block_size));
  if (size < smallest_block_size) {
    options.fail("the matrix has no blocks by itself; give their size, b=2 to b=8");
  }
  if (rows.groups != nullptr && rows.count > 0) {
    const bool split = raises_flag([&](int* found) {
      find_split_blocks<<<blocks_for(rows.count, block_threads), block_threads>>>(rows, size,
                                                                                  found);
    });
    if (split) {
      options.fail("the listed rows are not whole blocks of " + std::to_string(size) +
                   "; give the run --block " + std::to_string(size) +
                   ", or use --schedule blocking");
    }
  }
  return size;
}

BlockRows make_block_rows(const CsrView& matrix, RowListView rows, int size, const Spec& options) {
  BlockRows result;
  result.size = size;
  result.count = (rows.count + size - 1) / size;
  const DeviceArray<Key> keys = keys_of_blocks(matrix, rows, size);
  const std::int64_t blocks = keys.size();
  check_padding(options,
                {blocks * size * size, listed_nonzeros_on_device(matrix, rows), matrix.nonzeros},
                "blocks of " + std::to_string(size) + " x " + std::to_string(size),
                "use another b=, sell or csr-vector");
  result.offsets = DeviceArray<Offset>(std::int64_t{result.count} + 1);
  result.columns = DeviceArray<LocalIndex>(blocks);
  result.masks = DeviceArray<Key>(blocks);
  const std::size_t value_bytes = matrix_value_bytes(matrix.precision);
  result.values = DeviceMemory(static_cast<std::size_t>(result.slots()) * value_bytes);
  write_offsets<<<blocks_for(result.offsets.size(), block_threads), block_threads>>>(
      keys.data(), blocks, result.count, result.offsets.data());
  ROWHALO_CUDA(cudaGetLastError());
  if (blocks == 0) {
    synchronize_device();
    return result;
  }
  write_columns<<<blocks_for(blocks, block_threads), block_threads>>>(keys.data(), blocks,
                                                                      result.columns.data());
  set_bytes_async(result.masks.data(), 0, static_cast<std::size_t>(result.masks.bytes()), Stream{});
  set_bytes_async(result.values.data(), 0, result.values.bytes(), Stream{});
  const std::int64_t threads = std::int64_t{rows.count} * warp_size;
  with_word(value_bytes, [&]<class Word>(Word) {
    fill_blocks<<<blocks_for(threads, block_threads), block_threads>>>(
        matrix, rows, size, keys.data(), result.offsets.data(),
        reinterpret_cast<Word*>(result.values.data()), result.masks.data());
  });
  ROWHALO_CUDA(cudaGetLastError());
  const Key full = size == 8 ? ~Key{0} : (Key{1} << (size * size)) - 1;
  const bool gaps = raises_flag([&](int* found) {
    find_gaps<<<blocks_for(blocks, block_threads), block_threads>>>(result.masks.data(), blocks,
                                                                    full, found);
  });
  if (!gaps) result.masks = {};
  return result;
}

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// The gather kernel of gather.hpp:
//   for k in [0, count): out[k] = x[indices[k]]
// One thread per entry: indices and out are read and written side by side, x wherever the boundary
// of the rank lies. 4 bytes of index and twice the entry move for each.
#include "kernels/gpu/device/launch.hpp"
#include "miniapp/halo/element_word.hpp"
#include "miniapp/halo/gather.hpp"

namespace rowhalo {

namespace {

template <class Word>
__global__ void gather(std::int64_t count, const LocalIndex* __restrict__ indices,
                       const Word* __restrict__ x, Word* __restrict__ out) {
  const std::int64_t k = std::int64_t{blockIdx.x} * conversion_threads + threadIdx.x;
  if (k < count) out[k] = x[indices[k]];
}

template <class Word>
__global__ void copy_entries(std::int64_t count, const LocalIndex* __restrict__ indices,
                             const Word* __restrict__ from, Word* __restrict__ to) {
  const std::int64_t k = std::int64_t{blockIdx.x} * conversion_threads + threadIdx.x;
  if (k < count) to[indices[k]] = from[indices[k]];
}

}  // namespace

void gather_on_device(NumberType type, std::int64_t count, const LocalIndex* indices,
                      const void* from, void* to, Landing landing, Stream stream) {
  with_element_word(type, [&]<class Word>(Word) {
    [[maybe_unused]] static const bool prepared = (make_room_for_products(gather<Word>), true);
    const auto kernel = landing == Landing::packed ? gather<Word> : copy_entries<Word>;
    kernel<<<blocks_for(count, conversion_threads), conversion_threads, 0, native(stream)>>>(
        count, indices, static_cast<const Word*>(from), static_cast<Word*>(to));
  });
  ROWHALO_CUDA(cudaGetLastError());
}

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// The gather kernels of gather.hpp:
//   for k in [0, count): out[k] = x[indices[k]]
// One thread per word of an element (wide_word.cuh): indices and out are read and written side by
// side, x wherever the boundary of the rank lies. 4 bytes of index and twice the element move for
// each.
#include "kernels/gpu/device/launch.hpp"
#include "miniapp/halo/gather.hpp"
#include "miniapp/halo/wide_word.cuh"

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

/// The same for elements of `words` words; a thread block has whole elements.
template <class Word>
__global__ void gather_elements(std::int64_t count, unsigned words,
                                const LocalIndex* __restrict__ indices,
                                const Word* __restrict__ from, Word* __restrict__ to,
                                Landing landing) {
  const unsigned at_once = conversion_threads / words;
  const unsigned own = threadIdx.x / words, word = threadIdx.x % words;
  const std::int64_t k = std::int64_t{blockIdx.x} * at_once + own;
  if (own >= at_once || k >= count) return;
  const std::int64_t index = indices[k];
  to[(landing == Landing::packed ? k : index) * words + word] = from[index * words + word];
}

}  // namespace

void gather_on_device(NumberType type, int vectors, std::int64_t count, const LocalIndex* indices,
                      const void* from, void* to, Landing landing, Stream stream) {
  with_wide_words(type, vectors, [&]<class Word>(Word, unsigned words) {
    const auto* source = static_cast<const Word*>(from);
    auto* target = static_cast<Word*>(to);
    if (words > 1) {
      [[maybe_unused]] static const bool ready =
          (make_room_for_products(gather_elements<Word>), true);
      const auto at_once = static_cast<int>(conversion_threads / words);
      gather_elements<<<blocks_for(count, at_once), conversion_threads, 0, native(stream)>>>(
          count, words, indices, source, target, landing);
      return;
    }
    [[maybe_unused]] static const bool prepared = (make_room_for_products(gather<Word>), true);
    const auto kernel = landing == Landing::packed ? gather<Word> : copy_entries<Word>;
    kernel<<<blocks_for(count, conversion_threads), conversion_threads, 0, native(stream)>>>(
        count, indices, source, target);
  });
  ROWHALO_CUDA(cudaGetLastError());
}

}  // namespace rowhalo

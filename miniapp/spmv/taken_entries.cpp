// SPDX-License-Identifier: BSD-3-Clause
//
// Copies of a caller's entries (taken_entries.hpp).
#include "miniapp/spmv/taken_entries.hpp"

#include <algorithm>
#include <cstring>

#include "miniapp/halo/element_word.hpp"
#include "miniapp/halo/gather.hpp"

namespace rowhalo {

namespace {

constexpr std::int64_t worth_threads = 1 << 14;  ///< entries

/// Marks what the order reads from the transport's vector.
std::vector<char> needed_entries(const OperatorParts& parts, Order order) {
  const LocalMatrix& matrix = parts.matrix;
  std::vector<char> needed(static_cast<std::size_t>(matrix.owned_columns), 0);
  for (const LocalIndex index : parts.plan.send_indices) needed[index] = 1;
  if (order == Order::split) return needed;
  const RowListView boundary = matrix.boundary.view();
  for (LocalIndex k = 0; k < boundary.count; ++k) {
    const LocalIndex row = boundary[k];
    for (Offset e = matrix.offsets[row]; e < matrix.offsets[row + 1]; ++e) {
      if (matrix.indices[e] < matrix.owned_columns) needed[matrix.indices[e]] = 1;
    }
  }
  return needed;
}

}  // namespace

TakenEntries::TakenEntries(const OperatorParts& parts, const LocalKernels& kernels)
    : all_(kernels.order == Order::blocking),
      owned_(parts.matrix.owned_columns),
      type_(parts.type()),
      vectors_(kernels.layout() == Layout::row ? kernels.vectors : 1) {
  if (all_) return;
  const std::vector<char> needed = needed_entries(parts, kernels.order);
  count_ = std::count(needed.begin(), needed.end(), 1);
  all_ = 2 * count_ > owned_;
  if (all_) return;
  indices_.reserve(static_cast<std::size_t>(count_));
  for (LocalIndex k = 0; k < owned_; ++k) {
    if (needed[k] != 0) indices_.push_back(k);
  }
  if (parts.site.device == Device::gpu) {
    device_indices_ = DeviceArray<LocalIndex>(std::span<const LocalIndex>(indices_));
    std::vector<LocalIndex>().swap(indices_);
  }
}

void TakenEntries::take(ConstVectorView from, const HaloVector& to, Stream stream) const {
  if (all_) return take_all(from, to, stream);
  if (to.device == Device::gpu) {
    if (count_ == 0) return;
    gather_on_device(type_, vectors_, count_, device_indices_.data(), from.data, to.data,
                     Landing::in_place, stream);
    return;
  }
  with_element_word(type_, [&]<class Word>(Word) {
    const auto* source = static_cast<const Word*>(from.data);
    auto* target = reinterpret_cast<Word*>(to.data);
    if (vectors_ == 1) {
#pragma omp parallel for schedule(static) if (count_ > worth_threads)
      for (std::int64_t k = 0; k < count_; ++k) target[indices_[k]] = source[indices_[k]];
      return;
    }
#pragma omp parallel for schedule(static) if (count_ * vectors_ > worth_threads)
    for (std::int64_t k = 0; k < count_; ++k) {
      const std::int64_t first = std::int64_t{indices_[k]} * vectors_;
      std::copy_n(source + first, vectors_, target + first);
    }
  });
}

void TakenEntries::take_all(ConstVectorView from, const HaloVector& to, Stream stream) const {
  const std::size_t bytes = static_cast<std::size_t>(owned_) * to.element_bytes();
  if (to.device == Device::gpu) {
    if (bytes > 0) copy_async(to.data, from.data, bytes, stream);
    return;
  }
  const auto* source = static_cast<const std::byte*>(from.data);
  constexpr std::size_t piece = 1 << 16;
#pragma omp parallel for schedule(static) if (owned_ > worth_threads)
  for (std::size_t begin = 0; begin < bytes; begin += piece) {
    std::memcpy(to.data + begin, source + begin, std::min(piece, bytes - begin));
  }
}

std::int64_t TakenEntries::bytes() const {
  const auto entry = static_cast<std::int64_t>(2 * vectors_ * bytes_of(type_));
  if (all_) return entry * owned_;
  return count_ * (entry + static_cast<std::int64_t>(sizeof(LocalIndex)));
}

}  // namespace rowhalo

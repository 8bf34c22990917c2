// SPDX-License-Identifier: BSD-3-Clause
//
// The values of CSR rows in fewer bytes, each with all its bits, in the order of the entries: a
// position of one byte where at most 256 are distinct (value_codes.hpp), 16 bits where that is
// exact (fixed_point.hpp), fp32 where that loses nothing of fp64. Worth on csr-omp (2 threads of a
// virtual machine, time with all bytes over time with fewer): positions 1.13 to 1.16 on rmat:18
// and 1.05 to 1.09 on rmat:20, both of ones; fp32 1.09 to 1.13 on random and 1.11 to 1.17 on web,
// both of integers, and 16 bits 1.03 to 1.05 more; 1.0 where the matrix is in L3.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/cpu/buffer.hpp"
#include "kernels/cpu/parts.hpp"
#include "kernels/cpu/value_codes.hpp"
#include "kernels/fixed_point.hpp"
#include "kernels/options.hpp"
#include "kernels/work.hpp"

namespace rowhalo {

template <class T>
class CodedValues {
 public:
  /// As they are in `matrix`.
  explicit CodedValues(const CsrView& matrix) : full_(matrix.values) {}
  /// Of the listed rows, by the threads that multiply the parts between `bounds`. Without codes=on
  /// only where it saves four megabytes: smaller matrices stay in a cache.
  CodedValues(const CsrView& matrix, RowListView rows, const std::vector<std::int64_t>& bounds,
              const Spec& options);

  bool are_positions() const { return codes_.bytes() > 0; }
  bool are_fixed() const { return fixed_.bytes() > 0; }
  bool are_singles() const { return singles_.bytes() > 0; }
  /// By entry of the matrix, those of the listed rows: std::uint8_t, std::uint16_t, float or T.
  const void* data() const {
    if (are_positions()) return codes_.data();
    if (are_fixed()) return fixed_.data();
    return are_singles() ? singles_.data() : full_;
  }
  /// What the positions stand for.
  const T* distinct() const { return distinct_.data(); }
  /// What 16 bits stand for.
  FixedPointCode<T> fixed_code() const { return fixed_code_; }
  std::int64_t bytes_each() const {
    if (are_positions()) return 1;
    if (are_fixed()) return 2;
    return are_singles() ? std::int64_t{sizeof(float)} : std::int64_t{sizeof(T)};
  }
  std::int64_t table_bytes() const { return std::ssize(distinct_) * std::int64_t{sizeof(T)}; }
  /// Beside the matrix; of arrays as long as its values, what the listed rows use.
  std::int64_t footprint_bytes() const {
    return data() == full_ ? 0 : nonzeros_ * bytes_each() + table_bytes();
  }
  /// "1 value", "3 values", "16-bit values", "fp32" or nothing.
  std::string text() const {
    if (distinct_.size() == 1) return "1 value";
    if (are_positions()) return std::to_string(distinct_.size()) + " values";
    if (are_fixed()) return "16-bit values";
    return are_singles() ? "fp32" : "";
  }

 private:
  const void* full_;
  Offset nonzeros_ = 0;  ///< of the listed rows
  Buffer<std::uint8_t> codes_;
  Buffer<std::uint16_t> fixed_;
  FixedPointCode<T> fixed_code_;
  Buffer<float> singles_;
  std::vector<T> distinct_;
};

template <class T>
CodedValues<T>::CodedValues(const CsrView& matrix, RowListView rows,
                            const std::vector<std::int64_t>& bounds, const Spec& options)
    : CodedValues(matrix) {
  if (!wants_value_codes(matrix, options)) return;
  constexpr std::int64_t least_saved = 4'000'000;
  nonzeros_ = listed_nonzeros(matrix, rows);
  const auto pays = [&](std::size_t bytes) {
    return nonzeros_ > 0 &&
           (options.has("codes") ||
            nonzeros_ * static_cast<std::int64_t>(sizeof(T) - bytes) >= least_saved);
  };
  const auto* values = static_cast<const T*>(matrix.values);
  const auto for_each_row = [&](const auto& work) {
    for_each_part(bounds, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t k = begin; k < end; ++k) {
        const LocalIndex row = rows[static_cast<LocalIndex>(k)];
        work(matrix.offsets[row], matrix.offsets[row + 1]);
      }
    });
  };
  if (!pays(1)) return;
  constexpr std::size_t most = 256;
  if (const ValueTable<T> table(matrix, rows, most); table.size() > 0) {
    codes_ = Buffer<std::uint8_t>(matrix.nonzeros);
    for (std::size_t k = 0; k < table.size(); ++k) distinct_.push_back(table[k]);
    for_each_row([&](Offset begin, Offset end) {
      for (Offset e = begin; e < end; ++e) codes_[e] = table.code(values[e]);
    });
    return;
  }
  if (!pays(sizeof(std::uint16_t))) return;
  if (const auto fixed = fixed_point_of<T>(matrix, rows)) {
    fixed_code_ = FixedPointCode<T>(*fixed);
    fixed_ = Buffer<std::uint16_t>(matrix.nonzeros);
    for_each_row([&](Offset begin, Offset end) {
      for (Offset e = begin; e < end; ++e) fixed_[e] = fixed_code_.code(values[e]);
    });
    return;
  }
  if (sizeof(T) == sizeof(float) || !pays(sizeof(float))) return;
  using Bits = typename ValueTable<T>::Bits;
  std::atomic<bool> exact = true;
  for_each_row([&](Offset begin, Offset end) {
    if (!exact.load(std::memory_order_relaxed)) return;
    for (Offset e = begin; e < end; ++e) {
      const T back = static_cast<float>(values[e]);
      if (std::bit_cast<Bits>(back) == std::bit_cast<Bits>(values[e])) continue;
      exact.store(false, std::memory_order_relaxed);
      break;
    }
  });
  if (!exact) return;
  singles_ = Buffer<float>(matrix.nonzeros);
  for_each_row([&](Offset begin, Offset end) {
    for (Offset e = begin; e < end; ++e) singles_[e] = static_cast<float>(values[e]);
  });
}

}  // namespace rowhalo

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

#include "kernels/cpu/cpu_format.hpp"
#include "kernels/cpu/value_codes.hpp"

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

  /// Of a value: 1 (a position), 2 (a code of fixed_code()), 4 (a float) or those of T.
  std::size_t bytes_each() const { return bytes_each_; }
  /// By entry of the matrix, those of the listed rows.
  const void* data() const { return is_coded() ? coded_.data() : full_; }
  /// What the positions stand for.
  const T* distinct() const { return distinct_.data(); }
  /// What 16 bits stand for.
  FixedPointCode<T> fixed_code() const { return fixed_code_; }
  std::int64_t table_bytes() const { return std::ssize(distinct_) * std::int64_t{sizeof(T)}; }
  /// Beside the matrix; of an array as long as its values, what the listed rows use.
  std::int64_t footprint_bytes() const {
    if (!is_coded()) return 0;
    return nonzeros_ * static_cast<std::int64_t>(bytes_each_) + table_bytes();
  }
  /// "1 value", "3 values", "16-bit values", "fp32" or nothing.
  std::string text() const {
    if (distinct_.size() == 1) return "1 value";
    if (!distinct_.empty()) return std::to_string(distinct_.size()) + " values";
    if (bytes_each_ == sizeof(std::uint16_t)) return "16-bit values";
    return is_coded() ? "fp32" : "";
  }

 private:
  bool is_coded() const { return bytes_each_ < sizeof(T); }

  const void* full_;
  std::size_t bytes_each_ = sizeof(T);
  Offset nonzeros_ = 0;  ///< of the listed rows
  Buffer<std::byte> coded_;
  FixedPointCode<T> fixed_code_;
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
    return nonzeros_ > 0 && bytes < sizeof(T) &&
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
  const auto store = [&]<class Stored>(Stored, const auto& code) {
    bytes_each_ = sizeof(Stored);
    coded_ = Buffer<std::byte>(matrix.nonzeros * std::int64_t{sizeof(Stored)});
    auto* stored = reinterpret_cast<Stored*>(coded_.data());
    for_each_row([&](Offset begin, Offset end) {
      for (Offset e = begin; e < end; ++e) stored[e] = code(values[e]);
    });
  };
  if (!pays(sizeof(std::uint8_t))) return;
  if (const ValueTable<T> table(matrix, rows, most_distinct_values); table.size() > 0) {
    for (std::size_t k = 0; k < table.size(); ++k) distinct_.push_back(table[k]);
    store(std::uint8_t{}, [&](T value) { return table.code(value); });
    return;
  }
  if (!pays(sizeof(std::uint16_t))) return;
  if (const auto fixed = fixed_point_of<T>(matrix, rows)) {
    fixed_code_ = FixedPointCode<T>(*fixed);
    store(std::uint16_t{}, [&](T value) { return fixed_code_.code(value); });
    return;
  }
  if (!pays(sizeof(float))) return;
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
  if (exact) store(float{}, [](T value) { return static_cast<float>(value); });
}

}  // namespace rowhalo

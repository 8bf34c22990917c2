// SPDX-License-Identifier: BSD-3-Clause
//
// Products of K vectors at once on the CPU, Y = alpha A X + beta Y in row layout: what the formats
// share. An entry of the matrix is read once and multiplies a row of X, which lies in one piece:
//   for each entry of row i in stored order, for k < K: sum[k] = fma(a_ij, X[j][k], sum[k])
//   Y[i][k] from sum[k]
// So the lanes of a register are vectors, not rows. The K sums of a row stay in registers
// (RowSums). Each column of Y has the order of sums, and so the bits, of the row alone.
// Any K: K entries are registers of the largest power of two that fits, and the last register ends
// with the row; where it overlaps the one before both hold the same sums. No byte beyond the row is
// read or written, and no K needs code of its own.
#pragma once

#include <algorithm>
#include <cstring>

#include "kernels/asell_code.hpp"
#include "kernels/cpu/isa.hpp"
#include "kernels/cpu/lanes.hpp"
#include "kernels/cpu/several_lanes.hpp"
#include "kernels/product_arguments.hpp"

namespace rowhalo {

/// Y that a thread writes does not stay in a cache where it has more bytes.
inline constexpr std::int64_t streamed_from_bytes = 8'000'000;

/// What a product of several vectors is asked for.
template <class T>
struct SeveralArguments : ProductArguments<T> {
  std::int64_t vectors;
  bool streams;  ///< Y is large and not read: it goes past the caches

  /// rows: consecutive ones that a thread writes; 0 where they are not.
  SeveralArguments(const LocalProduct& product, std::int64_t rows)
      : ProductArguments<T>(product),
        vectors(product.vectors),
        streams(product.beta == 0 &&
                rows * vectors * std::int64_t{sizeof(T)} > streamed_from_bytes) {}
};

/// The sums of a row in `count` registers of `width` vectors.
template <class T, int vector_bytes, int width, int count>
struct RowSums {
  /// Rows of a slice that are summed side by side: their entries lie so, and their sums are chains
  /// of dependent fma's.
  static constexpr int rows = count <= 2 ? 4 : count <= 4 ? 2 : 1;

  T sums[count * width] = {};

  /// Where a register's vectors begin.
  [[gnu::always_inline]] static int begin(int v, std::int64_t vectors) {
    return v == count - 1 ? vectors - width : v * width;
  }
  [[gnu::always_inline]] static void add_scaled(T value, const T* x, T* to) {
#if defined(__x86_64__)
    if constexpr (vector_bytes == 64) avx512::add_scaled<width>(value, x, to);
    if constexpr (vector_bytes == 32) avx2::add_scaled<width>(value, x, to);
#endif
  }
  [[gnu::always_inline]] static void scale(T factor, const T* x, T* to) {
#if defined(__x86_64__)
    if constexpr (vector_bytes == 64) avx512::scale<width>(factor, x, to);
    if constexpr (vector_bytes == 32) avx2::scale<width>(factor, x, to);
#endif
  }

  /// x: a row of X.
  [[gnu::always_inline]] void add(T value, const T* x, std::int64_t vectors) {
#pragma GCC unroll 8
    for (int v = 0; v < count; ++v) add_scaled(value, x + begin(v, vectors), sums + v * width);
  }

  /// y: a row of Y.
  [[gnu::always_inline]] void finish(T alpha, T beta, T* y, std::int64_t vectors) {
#pragma GCC unroll 8
    for (int v = 0; v < count; ++v) {
      T own[width];
      if (beta == 0) {
        scale(alpha, sums + v * width, own);
      } else {
        scale(beta, y + begin(v, vectors), own);
        add_scaled(alpha, sums + v * width, own);
      }
      std::memcpy(sums + v * width, own, sizeof(own));
    }
    store(y, vectors);
  }

  [[gnu::always_inline]] void load(const T* from, std::int64_t vectors) {
#pragma GCC unroll 8
    for (int v = 0; v < count; ++v) {
      std::memcpy(sums + v * width, from + begin(v, vectors), width * sizeof(T));
    }
  }
  [[gnu::always_inline]] void store(T* to, std::int64_t vectors) const {
#pragma GCC unroll 8
    for (int v = 0; v < count; ++v) {
      std::memcpy(to + begin(v, vectors), sums + v * width, width * sizeof(T));
    }
  }
};

/// The same without vector instructions: K is known only when it runs.
template <class T>
struct PlainRowSums {
  static constexpr int rows = 1;

  T sums[most_vectors] = {};

  [[gnu::always_inline]] void add(T value, const T* x, std::int64_t vectors) {
    for (std::int64_t k = 0; k < vectors; ++k) sums[k] = fused_multiply_add(value, x[k], sums[k]);
  }
  [[gnu::always_inline]] void finish(T alpha, T beta, T* y, std::int64_t vectors) {
    for (std::int64_t k = 0; k < vectors; ++k) finish_row(alpha, sums[k], beta, y[k]);
  }
  [[gnu::always_inline]] void load(const T* from, std::int64_t vectors) {
    std::copy_n(from, vectors, sums);
  }
  [[gnu::always_inline]] void store(T* to, std::int64_t vectors) const {
    std::copy_n(sums, vectors, to);
  }
};

/// Calls Loops::run<Sums>(arguments, begin, end) with the RowSums of arguments.vectors.
template <class Loops, class T, int vector_bytes, int width = vector_bytes / sizeof(T),
          int count = 1>
[[gnu::always_inline]] inline void run_with_row_sums(const typename Loops::Arguments& arguments,
                                                     std::int64_t begin, std::int64_t end) {
  constexpr int widest = vector_bytes / sizeof(T);
  constexpr int most = width == widest ? most_vectors : 2 * width - 1;
  if constexpr (vector_bytes == 16) {
    Loops::template run<PlainRowSums<T>>(arguments, begin, end);
  } else {
    if constexpr (width > 2 && count == 1) {
      if (arguments.vectors < width) {
        return run_with_row_sums<Loops, T, vector_bytes, width / 2>(arguments, begin, end);
      }
    }
    if constexpr (count * width < most) {
      if (arguments.vectors > count * width) {
        return run_with_row_sums<Loops, T, vector_bytes, width, count + 1>(arguments, begin, end);
      }
    }
    Loops::template run<RowSums<T, vector_bytes, width, count>>(arguments, begin, end);
  }
}

/// A body for for_isa() (isa.hpp) of Loops: its Arguments begin with SeveralArguments<Value>, and
/// run<Sums>(arguments, begin, end) multiplies items [begin, end) with the sums of a row in a Sums.
template <class Loops>
struct SeveralBody {
  using Arguments = typename Loops::Arguments;
  template <int vector_bytes>
  [[gnu::always_inline]] static void run(const Arguments& arguments, std::int64_t begin,
                                         std::int64_t end) {
    run_with_row_sums<Loops, typename Loops::Value, vector_bytes>(arguments, begin, end);
  }
};

/// Where sums of rows go: Y, or, where Y is streamed, a buffer that stays in L1 and has the rows of
/// one piece.
template <class T>
struct RowsOfY {
  T* data;
  LocalIndex first;  ///< the row that stands there

  [[gnu::always_inline]] T* operator()(LocalIndex row, std::int64_t vectors) const {
    return data + (std::int64_t{row} - first) * vectors;
  }
};

inline constexpr std::int64_t cache_line = 64, streamed_bytes = 4096;

/// Copies past the caches; both begin equally far behind a cache line.
template <class T>
[[gnu::always_inline]] inline void stream_lines(const T* from, T* to, std::int64_t size) {
#if defined(__x86_64__)
  const auto skew = reinterpret_cast<std::uintptr_t>(to) % cache_line;
  const std::int64_t head = std::min<std::int64_t>(
      size, skew == 0 ? 0 : static_cast<std::int64_t>((cache_line - skew) / sizeof(T)));
  std::copy_n(from, head, to);
  constexpr std::int64_t line = cache_line / sizeof(T), part = 16 / sizeof(T);
  std::int64_t k = head;
  for (; k + line <= size; k += line) {
    for (std::int64_t l = k; l < k + line; l += part) {
      _mm_stream_si128(reinterpret_cast<__m128i*>(to + l),
                       _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + l)));
    }
  }
  std::copy(from + k, from + size, to + k);
#else
  std::copy_n(from, size, to);
#endif
}

/// Behind the last stream_lines() of a thread, before another one reads.
inline void finish_streams() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

/// Calls work(begin, end, rows_of_y) for rows [begin, end) that are consecutive from first_row on,
/// in pieces where Y is streamed.
template <class T, class Work>
[[gnu::always_inline]] inline void for_consecutive_rows(const SeveralArguments<T>& a,
                                                        LocalIndex first_row, std::int64_t begin,
                                                        std::int64_t end, const Work& work) {
  alignas(cache_line) T buffer[(streamed_bytes + cache_line) / sizeof(T)];
  const std::int64_t piece =
      a.streams ? streamed_bytes / std::int64_t{sizeof(T)} / a.vectors : end - begin;
  for (std::int64_t k = begin; k < end; k += piece) {
    const std::int64_t rows = std::min(piece, end - k);
    const auto row = static_cast<LocalIndex>(first_row + (k - begin));
    T* y = a.y + row * a.vectors;
    T* own = buffer + reinterpret_cast<std::uintptr_t>(y) % cache_line / sizeof(T);
    work(k, k + rows, RowsOfY<T>{a.streams ? own : y, row});
    if (a.streams) stream_lines(own, y, rows * a.vectors);
  }
}

}  // namespace rowhalo

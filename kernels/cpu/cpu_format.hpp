// SPDX-License-Identifier: BSD-3-Clause
//
// What CPU formats have in common beside format_kernel.hpp: the parts of their rows or slices, one
// per thread (parts.hpp), the loop over them in the instructions of this CPU (isa.hpp), and the
// factory. A format includes this for all of these.
#pragma once

#include <fmt/format.h>

#include "kernels/bits.hpp"
#include "kernels/cpu/buffer.hpp"
#include "kernels/cpu/isa.hpp"
#include "kernels/cpu/parts.hpp"
#include "kernels/cpu/several.hpp"
#include "kernels/format_kernel.hpp"

namespace rowhalo {

class CpuFormat : public FormatKernel {
 protected:
  CpuFormat(const CsrView& matrix, RowListView rows) : FormatKernel(matrix, rows) {}

  /// Cuts `items` rows, slices or the like into parts of even cost (balanced_split).
  template <class Cost>
  void cut_parts(std::int64_t items, const Cost& cost_before) {
    bounds_ = balanced_split(items, parts_for(items), cost_before);
  }

  /// run(arguments, begin, end) for every part.
  template <class Run, class Arguments>
  void run_parts(Run run, const Arguments& arguments) const {
    for_each_part(bounds_,
                  [&](std::int64_t begin, std::int64_t end) { run(arguments, begin, end); });
  }

  /// The same in pieces of `piece` items where `product` asks for dots in fp64: after each, while
  /// its rows are in the cache, dot(begin, end, x, y) of them; the parts' sums.
  template <class T, class Run, class Arguments, class Dot>
  void run_parts_with_dot(const LocalProduct& product, Run run, const Arguments& arguments,
                          std::int64_t piece, const Dot& dot) const {
    if (product.dot_parts == nullptr) return run_parts(run, arguments);
    if constexpr (std::is_same_v<T, double>) {
      for_each_numbered_part(bounds_, [&](int part, std::int64_t begin, std::int64_t end) {
        double sum = 0;
        for (std::int64_t first = begin; first < end; first += piece) {
          const std::int64_t last = std::min(first + piece, end);
          run(arguments, first, last);
          sum += dot(first, last, arguments.x, arguments.y);
        }
        product.dot_parts[part] = sum;
      });
    }
  }
  template <class T>
  std::optional<std::int64_t> parts_of_dot() const {
    return std::is_same_v<T, double> ? std::optional(std::ssize(bounds_) - 1) : std::nullopt;
  }

  /// The same of SeveralArguments.
  template <class Run, class Arguments>
  void run_several_parts(Run run, const Arguments& arguments) const {
    for_each_part(bounds_, [&](std::int64_t begin, std::int64_t end) {
      run(arguments, begin, end);
      if (arguments.streams) finish_streams();
    });
  }

  /// Consecutive rows that a thread writes, about; 0 where a list says which.
  std::int64_t streamable_rows() const {
    return rows_.groups == nullptr ? rows_.count / (std::ssize(bounds_) - 1) : 0;
  }

  /// Of the arrays that the format made, each of which a product reads.
  virtual std::int64_t held_bytes() const = 0;
  std::int64_t matrix_bytes(const RowCounts& counts) const override {
    return held_bytes() + counts.row_list_bytes;
  }
  std::int64_t footprint_bytes() const override {
    return held_bytes() + static_cast<std::int64_t>(bounds_.size() * sizeof(bounds_[0]));
  }

  std::vector<std::int64_t> bounds_;
};

/// Kernel<T>(matrix, rows, options, more...), with T double or float as `matrix` holds.
template <template <class> class Kernel, auto... more>
std::unique_ptr<SpmvKernel> make_cpu_format(const CsrView& matrix, RowListView rows,
                                            const Spec& options) {
  return matrix.precision == Precision::fp64
             ? make_timed<Kernel<double>>(0, matrix, rows, options, more...)
             : make_timed<Kernel<float>>(0, matrix, rows, options, more...);
}

}  // namespace rowhalo

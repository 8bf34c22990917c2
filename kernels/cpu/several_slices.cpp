// SPDX-License-Identifier: BSD-3-Clause
//
// Slices and long rows times several vectors (several_slices.hpp), compiled once for all formats.
#include "kernels/cpu/several_slices.hpp"

#include "kernels/cpu/several_csr.hpp"

namespace rowhalo {
namespace {

template <class T>
struct LongRowsLoops {
  using Value = T;
  using Arguments = LongRowsArguments<T>;
  struct Entries : LongRowsView<T> {
    [[gnu::always_inline]] T value(Offset entry) const { return this->values[entry]; }
  };

  template <class Sums>
  [[gnu::always_inline]] static void run(const Arguments& arguments, std::int64_t begin,
                                         std::int64_t end) {
    const SeveralArguments<T> a = arguments;
    const Entries entries{arguments.rows};
    multiply_csr<Sums>(
        a, entries, entries.groups[begin], entries.groups[end],
        RowsOfY<T>{a.y, 0}, [&](std::int64_t k) __attribute__((always_inline)) {
          return entries.rows[k];
        });
  }
};

}  // namespace

template <class T>
SeveralFunctions<T> several_functions(Isa isa) {
  return {for_isa<SeveralBody<SliceLoops<T>>>(isa), for_isa<SeveralBody<LongRowsLoops<T>>>(isa)};
}
template SeveralFunctions<double> several_functions(Isa isa);
template SeveralFunctions<float> several_functions(Isa isa);

}  // namespace rowhalo

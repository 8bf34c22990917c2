// SPDX-License-Identifier: BSD-3-Clause
//
// No product depends on what the kernels before it left in shared memory, and no conversion does.
#include "kernels/gpu/device/shared_memory.hpp"
#include "tests/kernels/gpu_battery.hpp"

using namespace rowhalo;
using namespace rowhalo::battery;

namespace {

void leave_in_shared_memory(std::uint32_t word) {
  fill_shared_memory(word, Stream{});
  synchronize_device();
}

template <class T>
void check_all_formats(const Matrix& matrix) {
  const Typed<T> typed(matrix);
  const NamedList list = row_lists(matrix.rows()).front();
  const DeviceProblem<T> problem(typed, list);
  const auto x = integers<T>(matrix.columns, 1), before = integers<T>(matrix.rows(), 2);
  const auto right = by_the_bits<T>(typed, list.rows, 2, x, -1, before);
  for (const std::string& spec : gpu_specs(Baselines::left_out)) {
    INFO(spec << ", " << matrix.name << ", " << sizeof(T) << " bytes");
    // No more rows, a NaN; a row, an entry; 1.0F.
    for (const std::uint32_t word : {0xffffffffU, 31U, 0x3f800000U}) {
      leave_in_shared_memory(word);
      const auto kernel = make_or_refuse(spec, problem);
      if (!kernel) break;
      leave_in_shared_memory(word);
      CHECK(device_product<T>(*kernel, 2, x, -1, before) == right);
    }
  }
}

/// 32 rows of `length` entries, and what an earlier kernel may have counted.
template <class T>
void check_cusparse(const std::string& spec, int length) {
  const Matrix matrix = with_lengths(std::vector<int>(32, length), 97, 1);
  const Typed<T> typed(matrix);
  const NamedList list = row_lists(matrix.rows()).front();
  const DeviceProblem<T> problem(typed, list);
  const auto x = integers<T>(matrix.columns, 1), before = integers<T>(matrix.rows(), 2);
  const auto right = by_the_bits<T>(typed, list.rows, 2, x, -1, before);
  for (int entry = 31 * length; entry <= 32 * length; ++entry) {
    INFO(spec << ", " << sizeof(T) << " bytes, rows of " << length << ", entry " << entry);
    leave_in_shared_memory(static_cast<std::uint32_t>(entry));
    const auto kernel = make_or_refuse(spec, problem);
    CHECK(device_product<T>(*kernel, 2, x, -1, before) == right);
  }
}

}  // namespace

TEST_CASE("products do not depend on what shared memory held") {
  for (const Matrix& matrix : {stencil(7, 6, 5), blocked(30), random(301, 257),
                               pattern("full", 45, 70, [](auto, auto) { return true; })}) {
    check_all_formats<double>(matrix);
    check_all_formats<float>(matrix);
  }
}

TEST_CASE("cuSPARSE finds clean shared memory in its first product") {
  for (const char* spec : {"cusparse-csr1", "cusparse-csr2"}) {
    for (const int length : {3, 14, 27}) {
      check_cusparse<double>(spec, length);
      check_cusparse<float>(spec, length);
    }
  }
}

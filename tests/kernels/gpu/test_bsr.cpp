// SPDX-License-Identifier: BSD-3-Clause
//
// bsr and blocked-ell on the GPU beyond the battery: every block size, full and with gaps, aligned
// and not; sizes that are measured; the limit of 16-bit columns; sorted slices; entries that look
// like holes.
#include <cstring>

#include "tests/kernels/gpu_battery.hpp"

using namespace rowhalo;
using namespace rowhalo::battery;

namespace {

enum class Fill { full, gaps };

/// Blocks of b x b in a seventh of all places, the first column of each `shift` off.
Matrix blocks_of(LocalIndex b, Fill fill, LocalIndex shift = 0) {
  const LocalIndex block_rows = 70, size = block_rows * b + shift;
  const auto has = [=](LocalIndex i, LocalIndex j) {
    if (j < shift || i >= block_rows * b) return false;
    const bool block = mix64(i / b, (j - shift) / b) % 7 == 0 || i / b == (j - shift) / b;
    return block && (fill == Fill::full || mix64(j, i) % 19 != 0);
  };
  return with_random_values(pattern("blocks", size, size, has));
}

template <class T>
struct Product {
  std::vector<T> y, right;
  std::string parameters;
};

/// All rows by `spec`, and by the bits. x is NaN in columns that no entry refers to.
template <class T>
Product<T> product_of(const std::string& spec, const Typed<T>& typed) {
  const NamedList list = row_lists(typed.matrix.rows()).front();
  const DeviceProblem<T> problem(typed, list);
  const auto kernel = make_or_refuse(spec, problem);
  REQUIRE(kernel);
  std::vector<T> x(static_cast<std::size_t>(typed.matrix.columns),
                   std::numeric_limits<T>::quiet_NaN());
  for (const LocalIndex j : typed.matrix.indices) x[j] = static_cast<T>(uniform_value(3, j));
  const auto before = uniform<T>(typed.matrix.rows(), 2);
  const T alpha = static_cast<T>(0.7), beta = static_cast<T>(-1.3);
  return {device_product(*kernel, alpha, x, beta, before),
          by_the_bits(typed, list.rows, alpha, x, beta, before), kernel->work().parameters};
}

std::string parameters(const std::string& spec, const Matrix& matrix) {
  const Typed<double> typed(matrix);
  const Product<double> product = product_of(spec, typed);
  CHECK(same_bits(product.y, product.right));
  return product.parameters;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Two blocks of 2 x 2 in each block row, `distance` columns apart.
Matrix far_blocks(LocalIndex distance) {
  return with_random_values(pattern(
      "far", 70, distance + 2, [=](LocalIndex, LocalIndex j) { return j < 2 || j >= distance; }));
}

}  // namespace

TEST_CASE("bsr on the GPU has the bits of csr for every block size", "[short]") {
  for (const Fill fill : {Fill::full, Fill::gaps}) {
    for (LocalIndex b = 2; b <= 8; ++b) {
      for (const LocalIndex shift : {0, 1}) {
        const Matrix matrix = blocks_of(b, fill, shift);
        const Typed<double> wide(matrix);
        const Typed<float> single(matrix);
        for (const char* name : {"bsr", "blocked-ell"}) {
          const std::string spec = std::string(name) + ":b=" + std::to_string(b);
          INFO(spec << ", shift " << shift << ", gaps " << (fill == Fill::gaps));
          const Product<double> in_fp64 = product_of(spec, wide);
          const Product<float> in_fp32 = product_of(spec, single);
          CHECK(same_bits(in_fp64.y, in_fp64.right));
          CHECK(same_bits(in_fp32.y, in_fp32.right));
        }
      }
    }
  }
}

TEST_CASE("bsr on the GPU measures the block size where nobody tells it") {
  for (LocalIndex b = 2; b <= 8; ++b) {
    const std::string text = parameters("bsr", blocks_of(b, Fill::gaps));
    INFO(text);
    CHECK(contains(text, "b=" + std::to_string(b) + " "));
  }
  CHECK(contains(parameters("bsr:b=3", blocked(320)), "fill=0.95"));
}

TEST_CASE("bsr on the GPU refuses where blocks would store more than CSR") {
  const Matrix scattered = random(301, 257);  // CSR: 12 bytes per entry, 8 per row
  const Typed<double> typed(scattered);
  const DeviceProblem<double> problem(typed, row_lists(301).front());
  const Spec spec = Spec::parse("bsr", "--format");
  try {
    find_format("bsr", Device::gpu).make(problem.csr.view(), problem.view(), spec);
    FAIL("accepted");
  } catch (const InputError& error) {
    const std::string message = error.what();
    INFO(message);
    for (const char* part : {"2 x 2 and ", " % full", "per nonzero instead of 12.", "say b=2"}) {
      CHECK(contains(message, part));
    }
  }
}

TEST_CASE("columns of bsr take 16 bits up to 65535 columns from the lowest of a slice") {
  CHECK(contains(parameters("bsr:b=2", far_blocks(65535)), "columns=16"));
  CHECK(contains(parameters("bsr:b=2", far_blocks(65536)), "columns=32"));
}

TEST_CASE("ragged block rows of bsr are sorted, and y stays in order", "[short]") {
  const Matrix ragged = with_random_values(
      pattern("ragged", 601, 300, [](auto i, auto j) { return j / 3 <= (i / 3 * 37) % 50; }));
  CHECK(contains(parameters("bsr:b=3", ragged), "sorted"));
  CHECK(contains(parameters("bsr:b=3", blocks_of(3, Fill::full)), "b=3"));
  CHECK_FALSE(contains(parameters("bsr:b=3", far_blocks(9)), "sorted"));
}

TEST_CASE("rows of bsr keep a stored order that does not ascend") {
  Matrix matrix = reversed(blocks_of(3, Fill::full));
  CHECK(contains(parameters("bsr:b=3,max_padding=1e9", matrix), "b=3"));
}

TEST_CASE("entries of bsr with all bits set are entries", "[short]") {
  const Matrix matrix = pattern("pairs", 8, 8, [](auto i, auto j) { return i / 2 == j / 2; });
  Typed<double> wide(matrix);
  Typed<float> single(matrix);
  std::memset(&wide.values[5], 0xff, sizeof(double));
  std::memset(&single.values[5], 0xff, sizeof(float));
  const Product<double> in_fp64 = product_of("bsr:b=2,max_padding=1e9", wide);
  const Product<float> in_fp32 = product_of("bsr:b=2,max_padding=1e9", single);
  CHECK(std::isnan(in_fp64.y[2]));
  CHECK(same_bits(in_fp64.y, in_fp64.right));
  CHECK(same_bits(in_fp32.y, in_fp32.right));
}

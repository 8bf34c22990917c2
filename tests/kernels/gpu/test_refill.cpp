// SPDX-License-Identifier: BSD-3-Clause
//
// New values in a GPU kernel that stays: products have the bits of a new kernel, in every format
// that takes them and every precision, in the order of a stream.
#include "tests/kernels/gpu_battery.hpp"

using namespace rowhalo;
using namespace rowhalo::battery;

namespace {

std::vector<std::string> refillable_specs(Precision precision) {
  std::vector<std::string> specs;
  for (const std::string& spec : gpu_specs(Baselines::left_out)) {
    const FormatEntry& entry = gpu_entry(spec);
    if (entry.refillable && takes(entry, precision)) specs.push_back(spec);
  }
  return specs;
}

std::unique_ptr<SpmvKernel> refillable_kernel(const std::string& text, const CsrView& view,
                                              RowListView rows) {
  const Spec spec = Spec::parse(text, "--format");
  try {
    return make_kernel(find_format(spec.name(), Device::gpu), view, rows, spec);
  } catch (const InputError&) {
    return nullptr;  // what formats refuse is tested with the formats
  }
}

/// Values of a seed, as stored in a precision.
std::vector<std::byte> stored_values(const Matrix& matrix, Precision precision,
                                     std::uint64_t seed) {
  std::vector<double> values(matrix.values.size());
  for (std::size_t e = 0; e < values.size(); ++e) values[e] = uniform_value(seed, e);
  return stored(matrix_type(precision), values);
}

/// Twice, so that no slot keeps what it had and nothing is added up; then from other memory than
/// that of the view, if the kernel can. Whether the format took it.
bool check_refilled(const std::string& spec, const Matrix& matrix, Precision precision,
                    const NamedList& list) {
  INFO(spec << ", " << matrix.name << ", " << list.name << ", " << name_of(precision));
  const StoredProblem problem(matrix, precision, list);
  CsrView view = problem.csr.view();
  view.refillable = true;
  const auto kernel = refillable_kernel(spec, view, problem.rows);
  if (!kernel) return false;
  const NumberType type = vector_type(precision);
  const auto x = rounded(type, uniform<double>(matrix.columns, 4));
  const auto before = rounded(type, uniform<double>(matrix.rows(), 3));
  const StreamHandle stream;
  const auto has_bits_of_new_one = [&] {
    const auto anew = refillable_kernel(spec, view, problem.rows);
    REQUIRE(anew);
    return same_bits(problem.product(*kernel, 0.5, x, -2, before),
                     problem.product(*anew, 0.5, x, -2, before));
  };
  void* const own = problem.csr.values();
  for (const std::uint64_t seed : {6, 7}) {
    const std::vector<std::byte> bytes = stored_values(matrix, precision, seed);
    copy_now(own, bytes.data(), bytes.size());
    kernel->refill(stream.stream());
    stream.synchronize();
    CHECK(has_bits_of_new_one());
  }
  if (!kernel->copies_values()) return true;
  const std::vector<std::byte> bytes = stored_values(matrix, precision, 8);
  const DeviceArray<std::byte> others{std::span<const std::byte>(bytes)};
  kernel->refill_from(others.data(), stream.stream());
  stream.synchronize();
  copy_now(own, bytes.data(), bytes.size());
  CHECK(has_bits_of_new_one());
  return true;
}

void check_all(Precision precision) {
  std::vector<std::string> tried;
  for (const Matrix& matrix : matrices()) {
    for (const NamedList& list : row_lists(matrix.rows())) {
      for (const std::string& spec : refillable_specs(precision)) {
        if (check_refilled(spec, matrix, precision, list)) tried.push_back(spec);
      }
    }
  }
  for (const std::string& spec : refillable_specs(precision)) {
    INFO(spec);
    CHECK(std::ranges::count(tried, spec) > 0);
  }
}

}  // namespace

TEST_CASE("a refilled GPU kernel has the bits of a new one", "[short]") {
  check_all(Precision::fp64);
}

TEST_CASE("a refilled GPU kernel has the bits of a new one in other precisions") {
  for (const Precision precision :
       {Precision::fp32, Precision::mixed, Precision::fp16, Precision::bf16}) {
    check_all(precision);
  }
}

TEST_CASE("GPU kernels of larger matrices take new values") {
  const Matrix matrices[] = {stencil(31, 17, 7), random(3001, 20000), with_ghosts_first(2000, 20),
                             blocked(400), one_long_row(3000)};
  for (const Matrix& matrix : matrices) {
    for (const NamedList& list : row_lists(matrix.rows())) {
      for (const char* spec :
           {"asell", "sell", "csr-balanced", "csr-binned", "csr-packed", "csr-panels:panels=3",
            "ell", "bsr:b=3,max_padding=1e9", "dia:max_padding=1e9"}) {
        const bool takes_all =
            std::string_view(spec) == "asell" || std::string_view(spec) == "csr-balanced";
        const bool taken = check_refilled(spec, matrix, Precision::fp64, list);
        INFO(spec << ", " << matrix.name << ", " << list.name);
        CHECK((taken || !takes_all));
      }
    }
  }
}

TEST_CASE("what refill keeps takes at most half a byte per nonzero") {
  struct Case {
    const char* spec;
    Matrix matrix;
    int list;  // of row_lists()
  };
  const Case cases[] = {{"asell:codes=off", stencil(31, 17, 7), 2},
                        {"sell", stencil(31, 17, 7), 2},
                        {"ell", stencil(31, 17, 7), 2},
                        {"bsr:b=3,max_padding=1e9", blocked(400), 0}};  // all rows: whole blocks
  for (const auto& [spec, matrix, list] : cases) {
    INFO(spec);
    const StoredProblem problem(with_random_values(matrix), Precision::fp64,
                                row_lists(matrix.rows())[list]);
    CsrView view = problem.csr.view();
    const auto plain = refillable_kernel(spec, view, problem.rows);
    view.refillable = true;
    const auto kernel = refillable_kernel(spec, view, problem.rows);
    REQUIRE((plain && kernel));
    CHECK(kernel->work().footprint_bytes - plain->work().footprint_bytes <=
          kernel->work().flops / 2 / 2);
  }
}

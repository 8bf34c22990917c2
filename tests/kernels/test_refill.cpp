// SPDX-License-Identifier: BSD-3-Clause
//
// New values in a kernel that stays: products have the bits of a new kernel, in every format that
// takes them; the others say so when they are made.
#include <omp.h>

#include "partition/base/errors.hpp"
#include "tests/catch.hpp"
#include "tests/kernels/battery.hpp"

using namespace rowhalo;
using namespace rowhalo::battery;

namespace {

bool takes_new_values(const std::string& spec) {
  return find_format(Spec::parse(spec, "--format").name(), Device::cpu).refillable;
}

/// Twice, so that no slot keeps what it had and nothing is added up.
template <class T>
void check_refilled(const std::string& spec, const Matrix& matrix, const NamedList& list) {
  INFO(spec << ", " << matrix.name << ", " << list.name << ", " << sizeof(T) << " bytes");
  Typed<T> typed(matrix);
  CsrView view = typed.view();
  view.refillable = true;
  const auto kernel = make_kernel(spec, view, list.view());
  const std::int64_t footprint = kernel->work().footprint_bytes;
  const auto x = uniform<T>(matrix.columns, 4), before = uniform<T>(matrix.rows(), 3);
  for (const std::uint64_t seed : {6, 7}) {
    for (std::size_t e = 0; e < typed.values.size(); ++e) {
      typed.values[e] = static_cast<T>(uniform_value(seed, e));
    }
    kernel->refill({});
    const auto anew = make_kernel(spec, view, list.view());
    const bool same = same_bits(product(*kernel, T(0.7), x, T(-1.3), before),
                                product(*anew, T(0.7), x, T(-1.3), before));
    CHECK(same);
  }
  CHECK(kernel->work().footprint_bytes == footprint);
  CHECK_THROWS_AS(kernel->refill_from(typed.values.data(), {}), std::logic_error);
}

}  // namespace

TEST_CASE("a refilled kernel has the bits of a new one", "[short]") {
  omp_set_num_threads(2);
  for (const Matrix& matrix : matrices()) {
    for (const NamedList& list : row_lists(matrix.rows())) {
      for (const std::string& spec : cpu_specs(false)) {
        if (!takes_new_values(spec)) continue;
        check_refilled<double>(unlimited(spec), matrix, list);
        check_refilled<float>(unlimited(spec), matrix, list);
      }
    }
  }
}

TEST_CASE("long rows, ghosts and every index code take new values") {
  omp_set_num_threads(2);
  for (const Matrix& matrix :
       {one_long_row(3000), with_ghosts_first(200, 20), random(301, 20000), stencil(31, 17, 7)}) {
    for (const NamedList& list : row_lists(matrix.rows())) {
      for (const char* spec : {"asell", "sell", "csr-omp", "vbl", "bsr:b=3"}) {
        check_refilled<double>(unlimited(spec), matrix, list);
      }
    }
  }
}

TEST_CASE("values that will change are not stored in fewer bytes") {
  const Matrix matrix = stencil(9, 8, 7);  // of small integers
  const Typed<double> typed(matrix);
  CsrView view = typed.view();
  view.refillable = true;
  for (const char* spec : {"asell", "csr-omp:codes=on"}) {
    INFO(spec);
    const auto coded = work_of(spec, typed.view()), full = work_of(spec, view);
    CHECK(full.matrix_bytes - coded.matrix_bytes > 6 * matrix.offsets.back());
  }
}

TEST_CASE("formats without refill() refuse values that will change, and name others") {
  const Matrix matrix = stencil(4, 4, 4);
  const Typed<double> typed(matrix);
  CsrView view = typed.view();
  view.refillable = true;
  for (const FormatEntry& entry : formats()) {
    INFO(entry.name);
    CHECK((entry.refillable || !entry.automatic));
    if (entry.device != Device::cpu || entry.refillable) continue;
    try {
      make_kernel(entry.name, view, all_rows(matrix.rows()));
      FAIL_CHECK("accepted");
    } catch (const InputError& error) {
      const std::string message = error.what();
      CHECK(message.find("its values cannot be replaced; use csr, csr-omp") != std::string::npos);
    }
  }
}

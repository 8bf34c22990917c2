// SPDX-License-Identifier: BSD-3-Clause
//
// Every GPU format of the table on the battery, in device memory: exact on integers, the bits of
// the plain loop where the table promises them, within the rounding bound otherwise; listed rows
// only; NaN in y and x; the same bits every time, plain and from a graph; the counts of work().
#include <cmath>
#include <numeric>
#include <set>

#include "kernels/work.hpp"
#include "partition/base/errors.hpp"
#include "tests/kernels/gpu_battery.hpp"

using namespace rowhalo;
using namespace rowhalo::battery;

namespace {

constexpr double factors[] = {0, 1, -0.5};

enum class Values { integers, random };

/// The first row that is not as it must be, or -1.
template <class T>
LocalIndex first_wrong(const Typed<T>& a, const NamedList& list, Values values, bool canonical,
                       T alpha, const std::vector<T>& x, T beta, const std::vector<T>& before,
                       const std::vector<T>& y) {
  const std::vector<T> right = by_the_bits(a, list.rows, alpha, x, beta, before);
  std::vector<bool> listed(before.size(), false);
  for (const LocalIndex i : list.rows) listed[i] = true;
  for (LocalIndex i = 0; i < a.matrix.rows(); ++i) {
    bool fine = canonical_bits(y[i]) == canonical_bits(right[i]);
    if (!fine && listed[i] && !canonical) {
      const Expected e = expected(a, i, alpha, x, beta, before[i]);
      fine = values == Values::integers ? static_cast<long double>(y[i]) == e.y
                                        : std::fabs(y[i] - e.y) <= e.bound;
    }
    if (!fine) return i;
  }
  return -1;
}

template <class T>
void check_format(const std::string& spec, const std::vector<Matrix>& battery, Values values) {
  const bool canonical = gpu_entry(spec).canonical, baseline = gpu_entry(spec).baseline;
  int accepted = 0, refused = 0;
  for (const Matrix& matrix : battery) {
    const Typed<T> typed(matrix);
    const bool whole = values == Values::integers;
    const auto x = whole ? integers<T>(matrix.columns, 1) : uniform<T>(matrix.columns, 1);
    for (const NamedList& list : row_lists(matrix.rows())) {
      if (baseline && !list.all) continue;
      INFO(spec << ", " << matrix.name << ", " << list.name << ", " << sizeof(T) << " bytes");
      const DeviceProblem<T> problem(typed, list);
      const auto kernel = make_or_refuse(spec, problem);
      ++(kernel ? accepted : refused);
      if (!kernel) continue;
      for (const double alpha : factors) {
        for (const double beta : factors) {
          auto before = whole ? integers<T>(matrix.rows(), 2) : uniform<T>(matrix.rows(), 2);
          if (beta == 0) before.assign(before.size(), std::numeric_limits<T>::quiet_NaN());
          const T a = static_cast<T>(alpha), b = static_cast<T>(beta);
          const auto y = device_product(*kernel, a, x, b, before);
          const LocalIndex wrong = first_wrong(typed, list, values, canonical, a, x, b, before, y);
          if (wrong < 0) continue;
          INFO("alpha " << alpha << " beta " << beta << " row " << wrong << " y " << y[wrong]);
          CHECK(wrong == -1);
        }
      }
    }
  }
  INFO(spec << " refused " << refused << " of " << accepted + refused << " cases");
  // bsr and blocked-ell by their bare names take what has blocks; cusparse-bsr wants b=.
  if (spec != "bsr" && spec != "blocked-ell" && spec != "cusparse-bsr") {
    CHECK((accepted > refused || (takes_few(spec) && accepted >= 4)));
  }
}

std::vector<Matrix> with_random_values(const std::vector<Matrix>& battery) {
  std::vector<Matrix> result;
  for (const Matrix& matrix : battery) result.push_back(battery::with_random_values(matrix));
  return result;
}

/// y and x.y of the listed rows, added up from the parts that the kernel leaves.
std::pair<std::vector<double>, double> product_with_dot(const SpmvKernel& kernel, double alpha,
                                                        const std::vector<double>& x, double beta,
                                                        const std::vector<double>& before) {
  const StreamHandle stream;
  const std::vector<double> nothing(static_cast<std::size_t>(*kernel.dot_parts()), std::nan(""));
  const DeviceArray<double> device_x{std::span<const double>(x)};
  const DeviceArray<double> device_y{std::span<const double>(before)};
  const DeviceArray<double> dots{std::span<const double>(nothing)};
  constexpr NumberType type = NumberType::fp64;
  kernel.apply({alpha, {device_x.data(), type}, beta, {device_y.data(), type}, dots.data()},
               stream.stream());
  stream.synchronize();
  const std::vector<double> sums = dots.to_host();
  return {device_y.to_host(), std::accumulate(sums.begin(), sums.end(), 0.0)};
}

/// The list of all rows without memory.
NamedList every_row(LocalIndex rows) {
  return row_lists(rows).front();
}

}  // namespace

TEST_CASE("every GPU format is exact on integers") {
  for (const std::string& spec : gpu_specs(Baselines::included)) {
    check_format<double>(spec, matrices(), Values::integers);
    check_format<float>(spec, matrices(), Values::integers);
  }
}

TEST_CASE("every GPU format keeps the bits, or the rounding bound") {
  const DeviceMemoryReuse reuse;  // what others have left in memory must not matter
  const std::vector<Matrix> battery = with_random_values(matrices());
  for (const std::string& spec : gpu_specs(Baselines::included)) {
    check_format<double>(spec, battery, Values::random);
    check_format<float>(spec, battery, Values::random);
  }
}

TEST_CASE("a few products of our own formats, for the sanitizers", "[short]") {
  const std::vector<Matrix> battery{
      battery::with_random_values(random(70, 61)),
      pattern("every 4th row empty", 37, 30,
              [](LocalIndex i, LocalIndex j) { return i % 4 != 1 && (i * 7 + j) % 11 < 3; }),
      pattern("0 x 5", 0, 5, [](LocalIndex, LocalIndex) { return false; }),
      battery::with_random_values(
          pattern("full", 37, 45, [](LocalIndex, LocalIndex) { return true; })),
      battery::with_random_values(
          pattern("band", 90, 90, [](auto i, auto j) { return j >= i - 3 && j <= i + 1; }))};
  // Three a format, of matrices and row lists in turn: racecheck takes a tenth of a second each.
  std::size_t turn = 0;
  for (const std::string& spec : gpu_specs(Baselines::left_out)) {
    for (int k = 0; k < 3; ++k, ++turn) {
      const Matrix& matrix = battery[turn % battery.size()];
      const Typed<double> typed(matrix);
      const auto x = uniform<double>(matrix.columns, 1);
      const auto lists = row_lists(matrix.rows());
      const NamedList& list = lists[turn / battery.size() % lists.size()];
      INFO(spec << ", " << matrix.name << ", " << list.name);
      const DeviceProblem<double> problem(typed, list);
      const auto kernel = make_or_refuse(spec, problem, ConversionMemory::fresh);
      if (!kernel) continue;
      const auto before = uniform<double>(matrix.rows(), 2);
      const auto y = device_product(*kernel, 0.7, x, -1.3, before);
      CHECK(first_wrong(typed, list, Values::random, gpu_entry(spec).canonical, 0.7, x, -1.3,
                        before, y) == -1);
      CHECK(kernel->work().flops == 2 * listed_nonzeros(typed.view(), list.view()));
      if (!kernel->dot_parts() || matrix.rows() > matrix.columns) continue;
      const auto [same, sum] = product_with_dot(*kernel, 0.7, x, -1.3, before);
      CHECK(same_bits(same, y));
      CHECK(std::fabs(sum - dot_of_listed(list, x, y)) < 1e-10);
    }
  }
}

TEST_CASE(
    "every GPU format refuses vectors of another type, several of them, and sums it has not") {
  const Matrix matrix = pattern("full", 48, 48, [](LocalIndex, LocalIndex) { return true; });
  const Typed<double> wide(matrix);
  const Typed<float> single(matrix);
  const DeviceProblem<double> problem(wide, every_row(48));
  const DeviceProblem<float> problem_in_fp32(single, every_row(48));
  const std::vector<double> before(48, -7);
  const DeviceArray<double> x{std::span<const double>(before)}, y{std::span<const double>(before)};
  const DeviceArray<double> parts(48);
  int made = 0;
  for (const std::string& spec : gpu_specs(Baselines::included)) {
    INFO(spec);
    LocalProduct product{.x = {x.data(), NumberType::fp64}, .y = {y.data(), NumberType::fp64}};
    if (const auto kernel = make_or_refuse(spec, problem)) {
      CHECK(refuses_wrong_products(*kernel, product, parts.data()));
      ++made;
    }
    product.x.type = product.y.type = NumberType::fp32;  // the memory is large enough for that
    if (const auto kernel = make_or_refuse(spec, problem_in_fp32)) {
      CHECK(refuses_wrong_products(*kernel, product, parts.data()));
    }
  }
  CHECK(made > 30);
  CHECK(y.to_host() == before);
}

TEST_CASE("GPU formats that sum x.y along leave its parts, and y as it is without") {
  std::set<std::string> names;
  for (const Matrix& matrix : matrices_with_dots()) {
    const Typed<double> typed(matrix);
    const auto x = integers<double>(matrix.columns, 1), before = integers<double>(matrix.rows(), 2);
    for (const NamedList& list : row_lists(matrix.rows())) {
      const DeviceProblem<double> problem(typed, list);
      for (const std::string& spec : gpu_specs(Baselines::left_out)) {
        const auto kernel = make_or_refuse(spec, problem);
        if (!kernel || !kernel->dot_parts()) continue;
        INFO(spec << ", " << matrix.name << ", " << list.name);
        names.insert(spec.substr(0, spec.find(':')));
        const auto [y, sum] = product_with_dot(*kernel, 2, x, -1, before);
        CHECK(y == device_product(*kernel, 2.0, x, -1.0, before));
        CHECK(sum == dot_of_listed(list, x, y));
      }
    }
  }
  CHECK(names == std::set<std::string>{"asell"});
}

TEST_CASE("NaN and Inf in x reach only the rows that refer to them, on the GPU") {
  for (const Matrix& plain : matrices()) {
    const Matrix matrix = battery::with_random_values(plain);
    if (matrix.columns < 2) continue;
    const Typed<float> typed(matrix);
    const auto clean = uniform<float>(matrix.columns, 4);
    auto dirty = clean;
    dirty.front() = std::numeric_limits<float>::quiet_NaN();  // what careless padding would read
    dirty.back() = std::numeric_limits<float>::infinity();
    const DeviceProblem<float> problem(typed, every_row(matrix.rows()));
    const std::vector<float> zero(static_cast<std::size_t>(matrix.rows()), 0);
    for (const std::string& spec : gpu_specs(Baselines::included)) {
      if (spec.rfind("cusparse-bsr", 0) == 0) continue;  // fills its blocks up with zeros
      const auto kernel = make_or_refuse(spec, problem);
      if (!kernel) continue;
      const auto y = device_product(*kernel, 1.0F, clean, 0.0F, zero);
      const auto spoilt = device_product(*kernel, 1.0F, dirty, 0.0F, zero);
      for (LocalIndex i = 0; i < matrix.rows(); ++i) {
        bool refers = false;
        for (Offset e = matrix.offsets[i]; e < matrix.offsets[i + 1]; ++e) {
          refers = refers || matrix.indices[e] == 0 || matrix.indices[e] == matrix.columns - 1;
        }
        const bool same = canonical_bits(spoilt[i]) == canonical_bits(y[i]);
        const bool clean = gpu_entry(spec).repeatable ? same : std::isfinite(spoilt[i]);
        const bool right = refers ? !std::isfinite(spoilt[i]) : clean;
        INFO(spec << ", " << matrix.name << ", row " << i);
        CHECK(right);
      }
    }
  }
}

TEST_CASE("a sum that underflowed to -0 stays -0 on the GPU") {
  Matrix matrix = pattern("short rows among long ones", 64, 40,
                          [](auto i, auto j) { return j < (i % 2 == 0 ? 1 : 40); });
  constexpr double tiny = std::numeric_limits<double>::min();
  for (double& value : matrix.values) value = -tiny;
  const Typed<double> typed(matrix);
  const NamedList list = every_row(64);
  const DeviceProblem<double> problem(typed, list);
  const std::vector<double> x(40, tiny), before(64, 0);
  const auto right = by_the_bits(typed, list.rows, 1.0, x, 0.0, before);
  REQUIRE((right[0] == 0 && std::signbit(right[0])));
  for (const std::string& spec : gpu_specs(Baselines::left_out)) {
    if (!gpu_entry(spec).canonical) continue;
    INFO(spec);
    const auto kernel = make_or_refuse(spec, problem);
    REQUIRE((kernel || takes_few(spec)));
    if (kernel) CHECK(same_bits(device_product(*kernel, 1.0, x, 0.0, before), right));
  }
}

TEST_CASE("the same bits 100 times, plain and from a graph") {
  const Matrix ragged = battery::with_random_values(random(3001, 400));
  const Matrix full = battery::with_random_values(
      pattern("full", 301, 400, [](LocalIndex, LocalIndex) { return true; }));
  const Typed<double> typed(ragged), typed_full(full);
  const DeviceProblem<double> problem(typed, every_row(3001)),
      problem_full(typed_full, every_row(301));
  const auto x = uniform<double>(400, 4);
  int measured = 0;
  for (const std::string& spec : gpu_specs(Baselines::included)) {
    INFO(spec);
    const bool dense = spec.rfind("dense-", 0) == 0 || spec.rfind("cublas", 0) == 0;
    const auto before = uniform<double>(dense ? 301 : 3001, 5);
    const auto kernel = make_or_refuse(spec, dense ? problem_full : problem);
    if (!kernel) {
      CHECK(takes_few(spec));
      continue;
    }
    ++measured;
    const auto first = device_product(*kernel, 0.3, x, 0.9, before);
    int different = 0;
    for (int k = 0; k < 100; ++k) {
      const Launch launch = k % 2 == 0 ? Launch::plain : Launch::graph;
      if (!same_bits(device_product(*kernel, 0.3, x, 0.9, before, launch), first)) ++different;
    }
    CHECK((different == 0 || !gpu_entry(spec).repeatable));
  }
  CHECK(measured > 30);
}

TEST_CASE("GPU formats count their work as CPU formats do") {
  const Matrix matrix = random(301, 257);
  const Typed<double> typed(matrix);
  for (const NamedList& list : row_lists(301)) {
    INFO(list.name);
    const DeviceProblem<double> problem(typed, list);
    const KernelWork csr = make_kernel("csr", typed.view(), list.view())->work();
    for (const char* spec : {"csr-scalar", "csr-vector"}) {
      const KernelWork work = make_or_refuse(spec, problem)->work();
      CHECK(work.bytes == csr.bytes);
      CHECK(work.matrix_bytes == csr.matrix_bytes);
      CHECK(work.stored_entries == csr.stored_entries);
      CHECK(work.flops == csr.flops);
      CHECK(work.footprint_bytes == 0);
    }
    const KernelWork cpu = make_kernel("sell:c=32,sigma=1", typed.view(), list.view())->work();
    const KernelWork gpu = make_or_refuse("sell", problem)->work();
    CHECK(gpu.flops == cpu.flops);
    CHECK(gpu.stored_entries == cpu.stored_entries);
    // The CPU format also reads the full steps of each slice, and has its own list of rows.
    const std::int64_t slices = (list.view().count + 31) / 32;
    const std::int64_t rows_of_cpu =
        list.name == "every third" ? list.view().count + slices : slices;
    const std::int64_t list_bytes = count_on_host(typed.view(), list.view()).row_list_bytes;
    CHECK(gpu.bytes == (slices == 0 ? 0 : cpu.bytes - 4 * slices - 4 * rows_of_cpu + list_bytes));
  }
}

TEST_CASE("GPU formats refuse wrong options, and baselines row lists") {
  const Matrix identity = pattern("identity", 64, 64, [](auto i, auto j) { return i == j; });
  const Typed<double> typed(identity);
  const std::vector<NamedList> lists = row_lists(64);
  const DeviceProblem<double> all(typed, lists[0]), listed(typed, lists[1]);
  for (const FormatEntry& entry : formats()) {
    if (entry.device != Device::gpu) continue;
    INFO(entry.name);
    for (const char* wrong : {":bogus=1", ":8", ":block=33", ":block=2048", ":threads=3"}) {
      const Spec spec = Spec::parse(std::string(entry.name) + wrong, "--format");
      CHECK_THROWS_AS(make_kernel(entry, all.csr.view(), all.view(), spec), InputError);
    }
    if (!entry.baseline) continue;
    const Spec spec = Spec::parse(entry.name, "--format");
    CHECK_THROWS_AS(make_kernel(entry, listed.csr.view(), listed.view(), spec), InputError);
  }
}

TEST_CASE("sell on the GPU refuses padding beyond its limit, with the numbers") {
  const Matrix heavy = one_long_row(200000);
  const Typed<double> typed(heavy);
  const DeviceProblem<double> problem(typed, every_row(64));
  const auto make = [&](const char* text) {
    const Spec spec = Spec::parse(text, "--format");
    return find_format("sell", Device::gpu).make(problem.csr.view(), problem.view(), spec);
  };
  try {
    make("sell");
    FAIL("accepted");
  } catch (const InputError& error) {
    const std::string message = error.what();
    INFO(message);
    for (const char* part : {"6400032 slots", "200063 nonzeros", "31.0 times", "max_padding"}) {
      CHECK(message.find(part) != std::string::npos);
    }
  }
  CHECK_NOTHROW(make("sell:max_padding=31"));
  CHECK_THROWS_AS(make("sell:c=8"), InputError);
  CHECK_THROWS_AS(make("sell:sigma=0"), InputError);
}

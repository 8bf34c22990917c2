// SPDX-License-Identifier: BSD-3-Clause
//
// Operator::refill(): y of an operator with new values has the bits of a new operator's, whatever
// rows it was made of, in every order of its steps; many times, without more memory.
#include <algorithm>
#include <limits>
#include <optional>
#include <span>

#include "io/sources.hpp"
#include "miniapp/bench/describe.hpp"
#include "partition/partitioners.hpp"
#include "tests/miniapp/spmv/application.hpp"

using namespace rowhalo;
using namespace rowhalo::test;

namespace {

/// By the number of the entry on its rank, a new one in each step.
std::vector<double> values_of_step(std::int64_t entries, std::uint64_t step) {
  std::vector<double> values(entries);
  for (std::int64_t k = 0; k < entries; ++k) {
    values[k] = uniform_value(100 * step + world().rank, k);
  }
  return values;
}

/// From where refill() takes them.
enum class From { host, device };

void refill(Operator& a, const std::vector<double>& values, From from) {
  if (from == From::host) return a.refill(values.data());
  const VectorMemory memory(device, (values.size() + 1) * sizeof(double));
  copy_between(device, memory.data(), values.data(), values.size() * sizeof(double));
  a.refill(memory.at<double>());
  if (device == Device::gpu) synchronize_device();
}

std::vector<double> entries_of_x(const LocalMatrix& local) {
  std::vector<double> x;
  for (LocalIndex k = 0; k < local.owned_columns; ++k) {
    x.push_back(Application::x(local.source_columns[k]));
  }
  return x;
}

/// y = A x; the vectors in the precision of the operator, widened.
template <class T>
std::vector<double> multiply(Operator& a, const std::optional<HaloVector>& vector) {
  const std::vector<double> wide = entries_of_x(a.local());
  const std::vector<T> x(wide.begin(), wide.end());
  std::vector<T> y(a.local().owned_rows);
  const VectorMemory of_x(device, (x.size() + 1) * sizeof(T)),
      of_y(device, (y.size() + 1) * sizeof(T));
  void* place = vector ? static_cast<void*>(vector->data) : of_x.data();
  copy_between(device, place, x.data(), x.size() * sizeof(T));
  if (vector) {
    a.apply(1, *vector, 0, of_y.at<T>());
  } else {
    a.apply(1, of_x.at<const T>(), 0, of_y.at<T>());
  }
  if (device == Device::gpu) synchronize_device();
  copy_between(device, y.data(), of_y.data(), y.size() * sizeof(T));
  return {y.begin(), y.end()};
}

std::vector<double> product_with(Operator& a, const std::optional<HaloVector>& vector) {
  return a.tuning().precision == Precision::fp32 ? multiply<float>(a, vector)
                                                 : multiply<double>(a, vector);
}

std::optional<HaloVector> vector_of(Operator& a) {
  return a.tuning().foreign_vectors ? std::nullopt : std::optional(a.make_vector());
}

/// make(values) makes the operator. Three steps, each beside a new operator.
template <class Make>
void check_steps(const Make& make, std::int64_t entries, From from) {
  Operator a = make(values_of_step(entries, 0));
  const std::optional<HaloVector> x = vector_of(a);
  for (std::uint64_t step = 1; step <= 3; ++step) {
    const std::vector<double> values = values_of_step(entries, step);
    refill(a, values, from);
    Operator anew = make(values);
    REQUIRE_ALL_RANKS(product_with(a, x) == product_with(anew, vector_of(anew)));
    anew.close();
  }
  a.close();
}

std::vector<From> value_sources() {
  return device == Device::gpu ? std::vector{From::host, From::device} : std::vector{From::host};
}

}  // namespace

TEST_CASE("an application's rows take new values, columns in any order") {
  const Application rows(world());
  for (const From from : value_sources()) {
    for (const Order order : {Order::overlap, Order::blocking, Order::split}) {
      for (const Precision precision : {Precision::fp64, Precision::fp32}) {
        for (const bool foreign : {false, true}) {
          INFO("order " << static_cast<int>(order) << ", foreign " << foreign);
          const Tuning tuning{.order = order,
                              .precision = precision,
                              .device = device,
                              .refillable = true,
                              .foreign_vectors = foreign};
          check_steps(
              [&](const std::vector<double>& values) {
                LocalRows own = rows.rows;
                own.values = values;
                return Operator(world(), own, tuning);
              },
              std::ssize(rows.values), from);
        }
      }
    }
  }
}

TEST_CASE("rows that have moved to other ranks take new values") {
  Progress progress;
  const DistributedCsr matrix = load_matrix("random:rows=120,row=6,seed=4", 0, world(), progress);
  const std::int64_t nonzeros = sum_over_ranks(world(), matrix.local_nonzeros());
  REQUIRE_ALL_RANKS(nonzeros > 600);
  for (const From from : value_sources()) {
    for (const char* partition : {"rows", "nnz", "metis"}) {
      const auto& known = partitioners();
      const bool built = std::ranges::any_of(known, [&](const PartitionerEntry& entry) {
        return entry.name == std::string_view(partition) && entry.unusable == nullptr;
      });
      if (!built) continue;
      // Values in a format's own arrays, and where CSR has them.
      for (const std::string format : {"sell", device == Device::gpu ? "csr-vector" : "csr-omp"}) {
        for (const auto& [order, precision] : {std::pair(Order::overlap, Precision::fp64),
                                               {Order::split, Precision::fp64},
                                               {Order::overlap, Precision::fp32}}) {
          INFO(partition << ", " << format << ", order " << static_cast<int>(order));
          const Tuning tuning{.format = format,
                              .partition = partition,
                              .order = order,
                              .precision = precision,
                              .device = device,
                              .refillable = true};
          check_steps(
              [&](const std::vector<double>& values) {
                DistributedCsr given = matrix;
                given.values = values;
                return Operator(world(), std::move(given), tuning);
              },
              matrix.local_nonzeros(), from);
        }
      }
    }
  }
}

TEST_CASE("how values come to their entries is reported") {
  Progress progress;
  const auto order_of = [&](DistributedCsr matrix, const char* partition) {
    Operator a(world(), std::move(matrix),
               {.partition = partition, .device = device, .refillable = true});
    const ValueOrder order = a.refill_order();
    a.close();
    return order;
  };
  const DistributedCsr matrix = load_matrix("rmat:scale=7,edges=8,seed=1", 0, world(), progress);
  REQUIRE_ALL_RANKS(order_of(matrix, "rows") == ValueOrder::kept);
  REQUIRE_ALL_RANKS(order_of(matrix, "nnz") ==
                    (world().size > 1 ? ValueOrder::moved : ValueOrder::kept));
  const Application rows(world());
  Operator other(world(), rows.rows, {.device = device, .refillable = true});
  const auto unordered = std::int64_t{other.refill_order() == ValueOrder::other};
  REQUIRE_ALL_RANKS(max_over_ranks(world(), unordered) == 1);
  other.close();
}

TEST_CASE("a hundred refills take no more memory") {
  const Application rows(world());
  LocalRows own = rows.rows;
  Operator a(world(), own, {.device = device, .refillable = true});
  const std::optional<HaloVector> x = vector_of(a);
  std::vector<double> values;
  const auto step = [&](std::uint64_t number) {
    values = values_of_step(std::ssize(rows.values), number);
    a.refill(values.data());
    product_with(a, x);
  };
  for (std::uint64_t k = 0; k < 3; ++k) step(k);
  const std::int64_t before = peak_host_bytes(world());
  // Other programs may take memory of the GPU in between: what leaks is missing after each round.
  std::int64_t least_growth = std::numeric_limits<std::int64_t>::max();
  for (std::uint64_t round = 0; round < 5; ++round) {
    const std::int64_t free_before = device == Device::gpu ? free_device_bytes() : 0;
    for (std::uint64_t k = 0; k < 20; ++k) step(20 * round + k);
    const std::int64_t free_after = device == Device::gpu ? free_device_bytes() : 0;
    least_growth = std::min(least_growth, free_before - free_after);
  }
  constexpr std::int64_t noise = 1 << 20;
  REQUIRE_ALL_RANKS(peak_host_bytes(world()) <= before + noise);
  REQUIRE_ALL_RANKS(least_growth <= 0);
  own.values = values;
  Operator anew(world(), own, {.device = device, .refillable = true});
  REQUIRE_ALL_RANKS(product_with(a, x) == product_with(anew, vector_of(anew)));
  anew.close();
  a.close();
}

TEST_CASE("an operator that was not made for new values refuses them") {
  const Application rows(world());
  Operator fixed(world(), rows.rows, {.device = device});
  CHECK_THROWS_AS(fixed.refill(rows.values.data()), std::logic_error);
  fixed.close();
  Operator closed(world(), rows.rows, {.device = device, .refillable = true});
  closed.close();
  CHECK_THROWS_AS(closed.refill(rows.values.data()), std::logic_error);
  const std::string format = device == Device::gpu ? "coo" : "jds";
  const Tuning tuning{.format = format, .device = device, .refillable = true};
  REQUIRE_ALL_RANKS(refusal_of(rows.rows, tuning).find("its values cannot be replaced") !=
                    std::string::npos);
}

// SPDX-License-Identifier: BSD-3-Clause
//
// Operators of an application: its own rows on every rank, what is refused, several at once.
#include <algorithm>
#include <optional>

#include "io/sources.hpp"
#include "tests/miniapp/spmv/application.hpp"

using namespace rowhalo;
using namespace rowhalo::test;

TEST_CASE("an application's rows multiply with the bits of their definition") {
  const Application rows(world());
  const std::string canonical = device == Device::gpu ? "csr-scalar" : "csr-omp";
  for (const Tuning& tuning :
       {Tuning{.device = device}, Tuning{.format = canonical, .device = device},
        Tuning{.format = "sell", .boundary_format = canonical, .device = device},
        Tuning{.format = canonical,
        .transport = "mpi-persistent",
        .order = Order::blocking,
        .device = device},
        Tuning{.transport = "mpi-neighbor", .device = device}}) {
    INFO(tuning.format << ", " << tuning.transport);
    for (const double beta : {0.0, 0.75}) {
      Operator a(world(), rows.rows, tuning);
      const std::vector<double> y = product_of(a, rows.rows, -0.5, beta, 3);
      REQUIRE_ALL_RANKS(y == rows.product(-0.5, beta, 3));
      REQUIRE_ALL_RANKS(!a.tuning().format.empty() && !a.tuning().transport.empty());
      REQUIRE_ALL_RANKS(a.local().source_rows.size() == y.size());
      a.close();
    }
  }
}

TEST_CASE("rows that do not fit together are refused, with the place") {
  const Application good(world());
  const bool last = world().rank == world().size - 1;
  const auto with = [&](auto change) {
    Application bad(good);
    bad.rows = good.rows;
    if (last) change(bad);
    return refusal_of(bad.rows);
  };
  const std::string who = "LocalRows of rank " + std::to_string(world().size - 1) + ": ";
  std::vector<GlobalIndex> columns{0};
  std::vector<double> values{1};
  std::vector<Offset> one{0, 1}, falling{0, 2, 1};
  const auto says = [&](const std::string& message, const std::string& what) {
    CAPTURE(message);
    return message.find(who) != std::string::npos && message.find(what) != std::string::npos;
  };
  REQUIRE_ALL_RANKS(says(with([](Application& bad) { ++bad.rows.first_row; }), "first_row is "));
  REQUIRE_ALL_RANKS(
      says(with([](Application& bad) { --bad.rows.first_column; }), "first_column is "));
  REQUIRE_ALL_RANKS(
      says(with([](Application& bad) { bad.rows.offsets = {}; }), "offsets are empty"));
  REQUIRE_ALL_RANKS(says(with([&](Application& bad) {
                           bad.rows.offsets = one;
                           bad.rows.columns = columns;
                           bad.rows.values = {};
                         }),
                         "1 columns, but 0 values"));
  REQUIRE_ALL_RANKS(says(with([&](Application& bad) {
                           bad.rows.offsets = falling;
                           bad.rows.columns = columns;
                           bad.rows.values = values;
                         }),
                         "offsets have to ascend from 0 to the number of entries, 1"));
  REQUIRE_ALL_RANKS(
      says(with([](Application& bad) { bad.rows.owned_columns = -5; }), "owned_columns is -5"));
  columns[0] = good.all_columns;
  REQUIRE_ALL_RANKS(says(with([&](Application& bad) {
                           bad.rows.offsets = one;
                           bad.rows.columns = columns;
                           bad.rows.values = values;
                         }),
                         "has column " + std::to_string(good.all_columns)));
  REQUIRE_ALL_RANKS(refusal_of(good.rows, {.format = "sel", .device = device}).find("sell") !=
                    std::string::npos);
  REQUIRE_ALL_RANKS(refusal_of(good.rows, {.transport = "mpy", .device = device}).find("mpi") !=
                    std::string::npos);
  REQUIRE_ALL_RANKS(refusal_of(good.rows).empty());
}

TEST_CASE("operators on different communicators live side by side") {
  MPI_Comm handle = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, world().rank % 2, -world().rank, &handle);
  const Comm part = Comm::of(handle);
  const Application first(world(), 1), second(part, 2);
  Operator a(world(), first.rows, {.device = device});
  auto b = std::make_unique<Operator>(part, second.rows, Tuning{.device = device});
  Operator c(world(), first.rows, {.transport = "mpi-neighbor", .device = device});
  REQUIRE_ALL_RANKS(product_of(*b, second.rows, 1, 0, 0) == second.product(1, 0, 0));
  REQUIRE_ALL_RANKS(product_of(a, first.rows, 1, 0, 0) == first.product(1, 0, 0));
  b->close();
  b.reset();
  MPI_Comm_free(&handle);
  REQUIRE_ALL_RANKS(product_of(c, first.rows, 2, 0, 0) == first.product(2, 0, 0));
  c.close();
  a.close();
}

TEST_CASE("a caller's own x is read where it is, and only there") {
  Progress progress;
  const auto entry = [](GlobalIndex column) { return uniform_value(3, column); };
  std::vector<std::string> names;
  for (const FormatEntry& format : formats()) {
    if (format.device == device && unusable_reason(format).empty()) names.emplace_back(format.name);
  }
  for (const char* matrix : {"stencil7:nx=3,ny=3,nz=60", "random:rows=90,columns=67,row=4,seed=3",
                             "random:rows=97,row=0.5,seed=5"}) {
    for (const Order order : {Order::overlap, Order::blocking, Order::split}) {
      for (const std::string& name : names) {
        INFO(matrix << ", " << name << ", order " << static_cast<int>(order));
        Tuning tuning{.format = name, .order = order, .device = device};
        std::optional<Operator> with, own;
        try {
          with.emplace(world(), load_matrix(matrix, 0, world(), progress), tuning);
        } catch (const AgreedError&) {
          continue;  // refused
        }
        tuning.foreign_vectors = true;
        own.emplace(world(), load_matrix(matrix, 0, world(), progress), tuning);
        const LocalMatrix& local = own->local();
        std::vector<double> x, y(local.owned_rows), expected(y);
        for (LocalIndex k = 0; k < local.owned_columns; ++k) {
          x.push_back(entry(local.source_columns[k]));
        }
        const HaloVector vector = with->make_vector();
        const std::size_t bytes = x.size() * sizeof(double), y_bytes = y.size() * sizeof(double);
        copy_between(device, vector.data, x.data(), bytes);
        const VectorMemory of_y(device, y_bytes), of_x(device, bytes + 3 * sizeof(double));
        with->apply(2, vector, 0, of_y.at<double>());
        if (device == Device::gpu) synchronize_device();
        copy_between(device, expected.data(), of_y.data(), y_bytes);
        // At a multiple of 16 bytes and not; what lies around is NaN.
        for (const std::size_t shift : {0, 1, 2}) {
          set_bytes(device, of_x.data(), 0xff, bytes + 3 * sizeof(double));
          double* begin = of_x.at<double>(shift * sizeof(double));
          copy_between(device, begin, x.data(), bytes);
          set_bytes(device, of_y.data(), 0xff, y_bytes);
          own->apply(2, std::as_const(begin), 0, of_y.at<double>());
          if (device == Device::gpu) synchronize_device();
          copy_between(device, y.data(), of_y.data(), y_bytes);
          REQUIRE_ALL_RANKS(agrees(*with, y, expected));
        }
        REQUIRE_ALL_RANKS(own->copied_bytes() <= 16 * std::int64_t{local.owned_columns} + 4);
        REQUIRE_ALL_RANKS(own->copied_bytes() > 0 || order != Order::blocking || x.empty());
        CHECK_THROWS_AS(with->apply(2, of_x.at<const double>(), 0, of_y.at<double>()),
                        std::logic_error);
        own->close();
        with->close();
      }
    }
  }
}

TEST_CASE("an operator that is closed, moved from, or given other types says so") {
  const Application rows(world());
  Operator a(world(), rows.rows, {.device = device, .halo_vectors = 1});
  const HaloVector x = a.make_vector();
  const VectorMemory y(device, (rows.offsets.size() + 1) * sizeof(double));
  CHECK_THROWS_AS(a.apply(1, x, 0, y.at<float>()), std::logic_error);
  for (int k = 0; k < 2; ++k) CHECK_THROWS_AS(a.make_vector(), AgreedError);
  Operator b(std::move(a));
  CHECK_THROWS_AS(a.apply(1, x, 0, y.at<double>()), std::logic_error);
  a.close();
  b.apply(1, x, 0, y.at<double>());
  b.close();
  b.close();
  CHECK_THROWS_AS(b.apply(1, x, 0, y.at<double>()), std::logic_error);
  Operator own(world(), rows.rows, {.device = device, .foreign_vectors = true});
  CHECK_THROWS_AS(own.make_vector(), std::logic_error);
  CHECK_THROWS_AS(own.apply(1, y.at<const float>(), 0, y.at<float>()), std::logic_error);
  own.close();
}

TEST_CASE("a matrix that is given away is distributed") {
  Progress progress;
  for (const char* partition : {"rows", "nnz"}) {
    Operator a(world(), load_matrix("stencil7:6", 0, world(), progress),
               {.partition = partition, .device = device});
    REQUIRE_ALL_RANKS(sum_over_ranks(world(), a.local().owned_rows) == 216);
    const HaloVector x = a.make_vector();
    const std::vector<double> ones(x.owned, 1.0);
    copy_between(device, x.data, ones.data(), ones.size() * sizeof(double));
    std::vector<double> y(a.local().owned_rows);
    const VectorMemory memory(device, y.size() * sizeof(double));
    a.apply(1, x, 0, memory.at<double>());
    if (device == Device::gpu) synchronize_device();
    copy_between(device, y.data(), memory.data(), y.size() * sizeof(double));
    bool right = true;
    for (std::size_t row = 0; row < y.size(); ++row) {
      double sum = 0;
      for (Offset k = a.local().offsets[row]; k < a.local().offsets[row + 1]; ++k) {
        sum += a.local().values[k];
      }
      right = right && y[row] == sum;
    }
    REQUIRE_ALL_RANKS(right);
    a.close();
  }
}

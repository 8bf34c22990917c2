// SPDX-License-Identifier: BSD-3-Clause
//
// Operators of an application: its own rows on every rank, what is refused, several at once, and a
// failure of one rank at every step of their making, which all ranks must hold alike: it is thrown
// where ranks meet, and by every allocation in turn.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <new>

#include "io/sources.hpp"
#include "kernels/gpu/device/runtime.hpp"
#include "miniapp/halo/memory/memory.hpp"
#include "miniapp/spmv/operator.hpp"
#include "partition/base/hash.hpp"
#include "tests/mpi.hpp"

namespace {

/// While at least 0: so many allocations more are granted on this rank, and the next is refused.
std::int64_t granted = -1;

}  // namespace

void* operator new(std::size_t bytes) {
  if (granted >= 0 && granted-- == 0) throw std::bad_alloc();
  void* memory = std::malloc(std::max<std::size_t>(bytes, 1));
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

using namespace rowhalo;

namespace {

#ifdef ROWHALO_TEST_GPU
constexpr Device device = Device::gpu;
#else
constexpr Device device = Device::cpu;
#endif

/// Rows of an application: columns in any order, some of them twice; x is owned by other ranks than
/// the rows, and a rank or two have neither.
struct Application {
  std::vector<Offset> offsets{0};
  std::vector<GlobalIndex> columns;
  std::vector<double> values;
  LocalRows rows;
  GlobalIndex all_columns = 0;

  explicit Application(const Comm& comm, std::uint64_t seed = 1) {
    const auto rows_of = [](int rank) { return rank % 3 == 1 ? 0 : 20 + 7 * rank; };
    const auto columns_of = [&](int rank) { return rank % 4 == 2 ? 0 : 11 * (comm.size - rank); };
    GlobalIndex first_row = 0, first_column = 0;
    for (int rank = 0; rank < comm.size; ++rank) {
      if (rank < comm.rank) first_row += rows_of(rank);
      if (rank < comm.rank) first_column += columns_of(rank);
      all_columns += columns_of(rank);
    }
    for (GlobalIndex row = first_row; row < first_row + rows_of(comm.rank); ++row) {
      for (std::uint64_t k = 0; k < mix64(seed, row) % 9; ++k) {
        const std::uint64_t place = mix64(mix64(seed, row), k);
        columns.push_back(static_cast<GlobalIndex>(place % all_columns));
        values.push_back(uniform_value(seed, place));
      }
      offsets.push_back(std::ssize(columns));
    }
    rows = {first_row, first_column, columns_of(comm.rank), offsets, columns, values};
  }

  static double x(GlobalIndex column) { return uniform_value(7, column); }

  /// y = alpha A x + beta y of this rank, by the definition of the bits.
  std::vector<double> product(double alpha, double beta, double before) const {
    std::vector<double> y;
    for (std::size_t row = 0; row + 1 < offsets.size(); ++row) {
      std::map<GlobalIndex, double> entries;
      for (Offset k = offsets[row]; k < offsets[row + 1]; ++k) {
        const auto [place, is_new] = entries.try_emplace(columns[k], values[k]);
        if (!is_new) place->second += values[k];
      }
      double sum = 0;
      for (const auto& [column, value] : entries) sum = std::fma(value, x(column), sum);
      y.push_back(beta == 0 ? alpha * sum : std::fma(alpha, sum, beta * before));
    }
    return y;
  }
};

void fill(const HaloVector& x, GlobalIndex first_column) {
  std::vector<double> entries;
  for (LocalIndex k = 0; k < x.owned; ++k) entries.push_back(Application::x(first_column + k));
  copy_between(device, x.data, entries.data(), entries.size() * sizeof(double));
}

/// y of two products of `a`, each on a vector of its own.
std::vector<double> product_of(Operator& a, const LocalRows& rows, double alpha, double beta,
                               double before) {
  std::vector<double> y(rows.offsets.size() - 1, before);
  const VectorMemory memory(device, y.size() * sizeof(double));
  for (int k = 0; k < 2; ++k) {
    const HaloVector x = a.make_vector();
    fill(x, rows.first_column);
    copy_between(device, memory.data(), std::vector(y.size(), before).data(),
                 y.size() * sizeof(double));
    a.apply(alpha, x, beta, memory.at<double>());
    if (device == Device::gpu) synchronize_device();
  }
  copy_between(device, y.data(), memory.data(), y.size() * sizeof(double));
  return y;
}

/// Rows of Order::split are added up in two parts.
bool agrees(const Operator& a, const std::vector<double>& y, const std::vector<double>& expected) {
  if (a.kernels().canonical) return y == expected;
  return std::ranges::equal(y, expected,
                            [](double b, double c) { return std::abs(b - c) < 1e-12; });
}

/// The message with which the operator is refused, on all ranks alike; empty: it is made.
std::string refusal_of(const LocalRows& rows, const Tuning& tuning = {.device = device}) {
  std::string message;
  try {
    Operator(world(), rows, tuning).close();
  } catch (const AgreedError& error) {
    message = error.what();
  }
  std::string of_root = message;
  broadcast(world(), of_root);
  REQUIRE_ALL_RANKS(message == of_root);
  return message;
}

}  // namespace

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
  Operator a(world(), rows.rows, {.device = device, .vectors = 1});
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

namespace {

constexpr const char* planted = "planted: no answer";
bool unspent = false;  ///< the allocation that was to fail was never asked for

bool on_any_rank(bool verdict) {
  return !on_all_ranks(!verdict);
}

/// Makes an operator and its vectors while `arm` has armed something; whether all ranks held one
/// error, and `message` what it said.
bool fails_together(const Application& rows, const Tuning& tuning, Agreement& planting,
                    std::string& message) {
  Comm comm = world();
  comm.agreement = &planting;
  message.clear();
  std::optional<Operator> a;
  try {
    a.emplace(comm, rows.rows, tuning);
    for (int k = 0; k < tuning.vectors; ++k) a->make_vector();
  } catch (const AgreedError& error) {
    message = error.what();
  }
  unspent = on_any_rank(granted >= 0);
  granted = -1;
  planting = {};
  std::string of_root = message;
  broadcast(world(), of_root);
  if (a) a->close();
  return on_all_ranks(message == of_root);
}

std::vector<Tuning> planted_tunings() {
  std::vector<Tuning> list{{.device = device}};
  list.push_back({.transport = "mpi-neighbor", .order = Order::blocking, .device = device});
  list.push_back({.transport = "mpi-persistent", .device = device});
  if (device == Device::cpu && world().size > 1) list.push_back({.transport = "mpi-shared"});
  list.push_back({.format = "coo", .order = Order::split, .device = device});
  return list;
}

}  // namespace

TEST_CASE("a failure at any meeting of the ranks is one error on all") {
  const Application rows(world());
  for (const Tuning& tuning : planted_tunings()) {
    INFO(tuning.transport);
    int meetings = 0;
    for (int step = 1;; ++step) {
      const int rank = step % world().size;
      Agreement planting;
      int met = 0;
      planting.at_meeting = [&] {
        if (++met == step && world().rank == rank) throw std::runtime_error(planted);
      };
      std::string message;
      const bool together = fails_together(rows, tuning, planting, message);

      CAPTURE(step, message);
      REQUIRE_ALL_RANKS(together);
      if (message.empty()) break;  // more than there are
      REQUIRE_ALL_RANKS(message.find(planted) != std::string::npos);
      meetings = step;
    }
    REQUIRE_ALL_RANKS(meetings > 20);
    Operator next(world(), rows.rows, tuning);
    REQUIRE_ALL_RANKS(agrees(next, product_of(next, rows.rows, 1, 0, 0), rows.product(1, 0, 0)));
    next.close();
  }
}

TEST_CASE("an allocation that fails in a conversion is an error of the format") {
  const Application rows(world());
  for (const FormatEntry& format : formats()) {
    if (format.device != device || format.baseline || !unusable_reason(format).empty()) continue;
    INFO(format.name);
    const Tuning tuning{.format = format.name, .device = device};
    if (!refusal_of(rows.rows, tuning).empty()) continue;
    for (std::int64_t k = 150;; k += 37) {  // behind those of the partition
      Agreement planting;
      if (world().rank == 0) granted = k;
      std::string message;
      const bool together = fails_together(rows, tuning, planting, message);
      CAPTURE(k, message);
      REQUIRE_ALL_RANKS(together);
      if (unspent) break;
    }
  }
}

TEST_CASE("an allocation that fails on one rank is one error on all") {
  const Application rows(world());
  for (const Tuning& tuning : planted_tunings()) {
    INFO(tuning.transport);
    int failures = 0;
    for (int rank = 0; rank < world().size; ++rank) {
      for (std::int64_t k = 0;; k += 1 + k / 40) {
        Agreement planting;
        if (world().rank == rank) granted = k;
        std::string message;
        const bool together = fails_together(rows, tuning, planting, message);
        CAPTURE(rank, k, message);
        REQUIRE_ALL_RANKS(together);
        if (unspent) break;
        failures += !message.empty();  // without memory to share, ranks of a node send messages
      }
    }
    REQUIRE_ALL_RANKS(failures > 30);
    Operator next(world(), rows.rows, tuning);
    REQUIRE_ALL_RANKS(agrees(next, product_of(next, rows.rows, 1, 0, 0), rows.product(1, 0, 0)));
    next.close();
  }
}

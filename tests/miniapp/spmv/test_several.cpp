// SPDX-License-Identifier: BSD-3-Clause
//
// Several vectors at once: each column of y has the bits of the product with that column of x
// alone, in whatever layout, transport, order and kernels, of vectors of the operator and of a
// caller. Cases are drawn: the same on all ranks.
#include <algorithm>
#include <memory>

#include "miniapp/halo/site.hpp"
#include "miniapp/spmv/layouts.hpp"
#include "tests/miniapp/spmv/application.hpp"

using namespace rowhalo;
using namespace rowhalo::test;

namespace {

/// Rows of CSR one after the other, all vectors at once: what tests need of a kernel for several.
class RowsKernel final : public SpmvKernel {
 public:
  RowsKernel(const CsrView& matrix, RowListView rows) : matrix_(matrix), rows_(rows) {}

  KernelWork work() const override { return {}; }
  bool takes_several() const override { return true; }

 private:
  void multiply(const LocalProduct& product, Stream stream) const override {
    multiply_several(product, stream);
  }
  void multiply_several(const LocalProduct& p, Stream) const override {
    const auto* values = static_cast<const double*>(matrix_.values);
    const double* x = p.x.as<double>();
    double* y = p.y.as<double>();
    for (LocalIndex place = 0; place < rows_.count; ++place) {
      const LocalIndex row = rows_[place];
      for (int k = 0; k < p.vectors; ++k) {
        double sum = 0;
        for (Offset e = matrix_.offsets[row]; e < matrix_.offsets[row + 1]; ++e) {
          sum = std::fma(values[e], x[std::int64_t{matrix_.indices[e]} * p.vectors + k], sum);
        }
        double& entry = y[std::int64_t{row} * p.vectors + k];
        entry = p.beta == 0 ? p.alpha * sum : std::fma(p.alpha, sum, p.beta * entry);
      }
    }
  }

  CsrView matrix_;
  RowListView rows_;
};

const FormatEntry rows_at_once{.name = "rows-at-once",
                               .summary = "rows of CSR, all vectors at once",
                               .device = Device::cpu,
                               .canonical = true,
                               .automatic = false,
                               .repeatable = true,
                               .baseline = false,
                               .reduced_precision = false,
                               .make = [](const CsrView& matrix, RowListView rows,
                                          const Spec&) -> std::unique_ptr<SpmvKernel> {
                                 return std::make_unique<RowsKernel>(matrix, rows);
                               },
                               .predict = nullptr};

/// `rows` entries of several vectors in memory of the device, with something beside them that has
/// to stay.
class Stored {
 public:
  Stored(std::int64_t rows, int vectors, Layout layout, std::int64_t more)
      : rows_(rows),
        shape_{NumberType::fp64, vectors, layout, rows + more},
        entries_(static_cast<std::size_t>((rows + more) * vectors), beside),
        memory_(device, std::max<std::size_t>(1, entries_.size()) * sizeof(double)) {
    copy_between(device, memory_.data(), entries_.data(), entries_.size() * sizeof(double));
  }

  VectorsView view() const { return {memory_.data(), shape_}; }
  void put(const auto& entry) {
    for (int k = 0; k < shape_.vectors; ++k) {
      for (std::int64_t row = 0; row < rows_; ++row) at(row, k) = entry(row, k);
    }
    copy_between(device, memory_.data(), entries_.data(), entries_.size() * sizeof(double));
  }
  std::vector<double> column(int k) {
    if (device == Device::gpu) synchronize_device();
    copy_between(device, entries_.data(), memory_.data(), entries_.size() * sizeof(double));
    std::vector<double> column;
    for (std::int64_t row = 0; row < rows_; ++row) column.push_back(at(row, k));
    return column;
  }
  /// After column().
  bool rest_stays() const {
    const auto untouched = std::ranges::count(entries_, beside);
    return untouched >= std::ssize(entries_) - rows_ * shape_.vectors;
  }

 private:
  static constexpr double beside = -77;
  double& at(std::int64_t row, int k) {
    return entries_[shape_.bytes_to(row, k) / std::int64_t{sizeof(double)}];
  }

  std::int64_t rows_;
  VectorsShape shape_;
  std::vector<double> entries_;
  VectorMemory memory_;
};

struct Case {
  Tuning tuning;
  Layout layout;  ///< of the caller
  double alpha, beta;
};

double y_before(std::int64_t row, int k) {
  return uniform_value(99 + k, row);
}

/// Owned entries of x, of vectors `first` and on.
void fill(const HaloVector& x, GlobalIndex first_column, int first) {
  Stored entries(x.owned, x.vectors, x.layout, 0);
  entries.put(
      [&](std::int64_t k, int vector) { return Application::x(first_column + k, first + vector); });
  const std::size_t bytes = x.owned * sizeof(double);
  if (x.layout == Layout::row) {
    return copy_between(device, x.data, entries.view().data, bytes * x.vectors);
  }
  for (int k = 0; k < x.vectors; ++k) {
    copy_between(device, x.column(k).data, entries.view().at(0, k), bytes);
  }
}

bool columns_are_right(const Application& rows, const Case& c, int first, Stored& y) {
  bool right = true;
  for (int k = 0; k < c.tuning.vectors; ++k) {
    std::vector<double> expected = rows.product(c.alpha, 0, 0, first + k);
    if (c.beta != 0) {
      const std::vector<double> sums = rows.product(1, 0, 0, first + k);
      for (std::size_t row = 0; row < sums.size(); ++row) {
        expected[row] =
            std::fma(c.alpha, sums[row], c.beta * y_before(static_cast<std::int64_t>(row), k));
      }
    }
    right = right && y.column(k) == expected;
  }
  return right && y.rest_stays();
}

/// Three products, each of other vectors, so that ghosts of an earlier one show.
bool has_the_bits(const Application& rows, const Case& c) {
  const auto owned_rows = std::ssize(rows.offsets) - 1;
  const int vectors = c.tuning.vectors;
  Operator a(world(), rows.rows, c.tuning);
  const Layout inside = a.kernels().layout();
  HaloVector own[2];
  if (!c.tuning.foreign_vectors) own[0] = a.make_vector(), own[1] = a.make_vector();
  bool right = true;
  for (int first = 0; first < 3; ++first) {
    const Layout layout = c.tuning.foreign_vectors ? c.layout : inside;
    const std::int64_t more = c.tuning.foreign_vectors && layout == Layout::column ? 5 : 0;
    Stored y(owned_rows, vectors, layout, more);
    y.put(y_before);
    if (c.tuning.foreign_vectors) {
      Stored x(rows.rows.owned_columns, vectors, layout, more);
      x.put([&](std::int64_t k, int vector) {
        return Application::x(rows.rows.first_column + k, first + vector);
      });
      a.apply(c.alpha, ConstVectorsView(x.view()), c.beta, y.view());
      right = columns_are_right(rows, c, first, y) && right;
    } else {
      fill(own[first % 2], rows.rows.first_column, first);
      a.apply({c.alpha, own[first % 2], c.beta, {y.view().data, NumberType::fp64}}, {});
      right = columns_are_right(rows, c, first, y) && right;
    }
  }
  a.close();
  return right;
}

/// Number `draw` of a case, below `choices`.
std::size_t drawn(std::uint64_t number, std::uint64_t draw, std::size_t choices) {
  return mix64(mix64(2026, number), draw) % choices;
}

}  // namespace

TEST_CASE("each of several vectors has the bits of a product alone") {
  const Application rows(world());
  const ComputeSite site = compute_site(world(), device);
  std::vector<std::string> transports_here;
  for (const TransportEntry& entry : transports()) {
    if (entry.unusable(site).empty()) transports_here.emplace_back(entry.name);
  }
  std::vector<std::string> canonical{device == Device::gpu ? "csr-scalar" : "csr-omp", "sell"};
  if (device == Device::cpu) canonical.emplace_back(rows_at_once.name);
  constexpr int counts[] = {1, 2, 3, 7, 8, 16, 17, 32};
  constexpr int cases = 48;
  for (int number = 0; number < cases; ++number) {
    Tuning tuning{.device = device};
    tuning.vectors = counts[number % std::size(counts)];
    tuning.format = canonical[drawn(number, 0, canonical.size())];
    if (tuning.format == rows_at_once.name) tuning.own_format = &rows_at_once;
    tuning.transport = transports_here[drawn(number, 1, transports_here.size())];
    tuning.order = drawn(number, 2, 2) == 0 ? Order::overlap : Order::blocking;
    tuning.foreign_vectors = drawn(number, 3, 3) > 0;
    const Layout layout = drawn(number, 4, 2) == 0 ? Layout::row : Layout::column;
    const double beta = drawn(number, 5, 2) == 0 ? 0 : 0.75;
    INFO(number << ": " << tuning.vectors << " vectors, " << tuning.format << ", "
                << tuning.transport << ", "
                << (tuning.order == Order::overlap ? "overlap" : "blocking") << ", foreign "
                << tuning.foreign_vectors << ", " << name_of(layout) << ", beta " << beta);
    REQUIRE_ALL_RANKS(has_the_bits(rows, {tuning, layout, -0.5, beta}));
  }
}

TEST_CASE("layouts of several vectors are converted either way") {
  for (const std::int64_t rows : {1, 63, 64, 65, 1000, 5000}) {
    for (const int vectors : {2, 3, 7, 16, 31, 32}) {
      INFO(rows << " rows, " << vectors << " vectors");
      const auto entry = [&](std::int64_t row, int k) { return uniform_value(k, row); };
      Stored in_rows(rows, vectors, Layout::row, 0), columns(rows, vectors, Layout::column, 3);
      Stored again(rows, vectors, Layout::row, 0);
      in_rows.put(entry);
      convert_layout(device, rows, in_rows.view(), columns.view());
      convert_layout(device, rows, columns.view(), again.view());
      bool same = true;
      for (int k = 0; k < vectors; ++k) {
        const std::vector<double> column = columns.column(k);
        for (std::int64_t row = 0; row < rows; ++row) same = same && column[row] == entry(row, k);
        same = same && again.column(k) == column;
      }
      CHECK(same);
      CHECK(columns.rest_stays());
    }
  }
  Stored two(4, 2, Layout::row, 0), other(4, 2, Layout::row, 0);
  CHECK_THROWS_AS(convert_layout(device, 4, two.view(), other.view()), std::logic_error);
}

TEST_CASE("an operator refuses vectors that it was not made for") {
  const Application rows(world());
  Tuning tuning{.format = device == Device::gpu ? "csr-scalar" : "csr-omp", .device = device};
  tuning.vectors = 33;
  CHECK_THROWS_AS(Operator(world(), rows.rows, tuning), AgreedError);
  tuning.vectors = 3;
  Operator a(world(), rows.rows, tuning);
  HaloVector x = a.make_vector();
  CHECK(x.vectors == 3);
  x.vectors = 2;
  double y = 0;
  CHECK_THROWS_AS(a.apply({1, x, 0, {&y, NumberType::fp64}}, {}), std::logic_error);
  CHECK_THROWS_AS(a.apply(1, ConstVectorsView{&y, {NumberType::fp64, 3}}, 0,
                          VectorsView{&y, {NumberType::fp64, 3}}),
                  std::logic_error);
  CHECK_THROWS_AS(a.apply(1, &y, 0, &y), std::logic_error);
  a.close();
}

// SPDX-License-Identifier: BSD-3-Clause
//
// Statistics of a block against counts made row by row, and predictions against what formats then
// say of themselves.
#include "kernels/local_statistics.hpp"

#include "kernels/gpu/device/runtime.hpp"
#include "partition/base/errors.hpp"
#include "tests/catch.hpp"
#include "tests/kernels/battery.hpp"

using namespace rowhalo;
using namespace rowhalo::battery;

namespace {

LocalStatistics statistics_of(const CsrView& matrix) {
  return local_statistics(matrix, count_row_lengths(matrix, all_rows(matrix.rows)));
}

/// The prediction rule of a format that `auto` may choose.
PredictionRule* rule(const std::string& name, Device device) {
  for (const FormatEntry& entry : formats()) {
    if (entry.device == device && entry.name == name) return entry.predict;
  }
  FAIL("no format " << name);
  return nullptr;
}

/// Entries a slot of sampled blocks of b x b; 0 where there was no look at them.
double fill_of(const LocalStatistics& s, int b) {
  const BlockSample& sample = s.blocks[b - smallest_block_size];
  return sample.entries == 0 ? 0 : estimate_blocks(b, 8, sample).fill;
}

/// Slots of slices of `height` positions.
Offset slots_of(const Matrix& matrix, const std::vector<LocalIndex>& rows, std::size_t height) {
  Offset slots = 0;
  for (std::size_t first = 0; first < rows.size(); first += height) {
    const std::size_t end = std::min(first + height, rows.size());
    Offset longest = 0;
    for (std::size_t k = first; k < end; ++k) {
      longest = std::max(longest, matrix.offsets[rows[k] + 1] - matrix.offsets[rows[k]]);
    }
    slots += longest * static_cast<Offset>(end - first);
  }
  return slots;
}

}  // namespace

TEST_CASE("row lengths of every list of every matrix") {
  for (const Matrix& matrix : matrices()) {
    const Typed<double> a(matrix);
    for (const NamedList& list : row_lists(matrix.rows())) {
      INFO(matrix.name << ", " << list.name);
      const RowLengths lengths = count_row_lengths(a.view(), list.view());
      CHECK(lengths.nonzeros == listed_nonzeros(a.view(), list.view()));
      CHECK(lengths.longest * static_cast<Offset>(list.rows.size()) ==
            slots_of(matrix, list.rows, std::max<std::size_t>(list.rows.size(), 1)));
      CHECK(lengths.slots_of_8 == slots_of(matrix, list.rows, 8));
      CHECK(lengths.slots_of_32 == slots_of(matrix, list.rows, 32));
    }
  }
}

TEST_CASE("diagonals and blocks of a sample") {
  const Matrix band = pattern("band", 5000, 5000,
                              [](LocalIndex i, LocalIndex j) { return j >= i - 2 && j <= i + 7; });
  const Typed<double> a(band);
  CHECK(statistics_of(a.view()).diagonals == 10);

  const Matrix wide = pattern("wide band", 3000, 3000, [](LocalIndex i, LocalIndex j) {
    return j >= i - 1000 && j <= i + 1000 && (i * 7919 + j * 104729) % 3 != 0;
  });
  const Typed<double> long_rows(wide);
  CHECK(statistics_of(long_rows.view()).diagonals > 1500);

  const Matrix pairs = pattern("pairs", 3000, 3000, [](LocalIndex i, LocalIndex j) {
    return i / 3 == j / 3 || i / 3 + 40 == j / 3;
  });
  const Typed<double> blocks(pairs);
  const LocalStatistics any = statistics_of(blocks.view());
  CHECK(fill_of(any, 3) == 1);
  CHECK(fill_of(any, 6) < 0.6);
  CHECK(fill_of(any, 2) < 0.9);
  CsrView hinted = blocks.view();
  hinted.block = 3;
  CHECK(fill_of(statistics_of(hinted), 3) == 1);
  CHECK(fill_of(statistics_of(hinted), 2) == 0);
}

TEST_CASE("gathers of a sample: columns together, anywhere, and of a small x") {
  const auto sectors_of = [](LocalIndex columns, const auto& column) {
    Matrix matrix;
    matrix.columns = columns;
    for (LocalIndex i = 0; i < 2000; ++i) {
      for (LocalIndex k = 0; k < 8; ++k) matrix.add(column(i, k) % columns, 1);
      matrix.end_row();
    }
    const Typed<double> a(matrix);
    return statistics_of(a.view()).gathered_sectors;
  };
  const auto together = [](LocalIndex i, LocalIndex k) { return 1000 * k + i; };
  const auto anywhere = [](LocalIndex i, LocalIndex k) { return 1009 * (8 * i + k) % 999983; };
  CHECK(sectors_of(1000000, together) == 0);
  CHECK(sectors_of(1000000, anywhere) > 0.99);
  CHECK(sectors_of(20000, anywhere) == 0);
}

TEST_CASE("a sample of long rows sees full blocks as full") {
  const Matrix wide = pattern("wide", 64, 3000, [](LocalIndex i, LocalIndex j) {
    return (j / 4) % 3 == 0 || (i % 4 == 0 && (j / 4) % 3 == 1);
  });
  const Typed<double> a(wide);
  const LocalStatistics s = statistics_of(a.view());
  CHECK(std::abs(fill_of(s, 4) - 0.625) < 0.01);
  const Matrix full = pattern("full", 64, 3000, [](LocalIndex i, LocalIndex j) {
    return i % 8 < 4 ? j / 4 % 2 == 0 : j / 4 % 4 == 0;
  });
  const Typed<double> b(full);
  CHECK(fill_of(statistics_of(b.view()), 4) == 1);
}

TEST_CASE("no row, no entry") {
  const std::vector<Matrix> list = matrices();
  const Typed<double> none(list[0]), empty(list[2]);
  CHECK(statistics_of(none.view()).lengths.nonzeros == 0);
  CHECK(statistics_of(empty.view()).diagonals == 0);
  CHECK(fill_of(statistics_of(empty.view()), 4) == 0);
  for (const FormatEntry& entry : formats()) {
    if (entry.predict == nullptr) continue;
    CHECK(entry.predict(statistics_of(none.view())).bytes == 0);
    CHECK(entry.predict(statistics_of(empty.view())).serial_entries == 0);
  }
}

TEST_CASE("a prediction is a lower bound, and not a loose one where nothing is padded") {
  for (const FormatEntry& entry : formats()) {
    if (entry.predict == nullptr || entry.device != Device::cpu) continue;
    if (std::string(entry.name) == "asell") continue;  // it may code values
    for (const Matrix& matrix : matrices()) {
      INFO(entry.name << ", " << matrix.name);
      const Typed<double> a(matrix);
      CsrView view = a.view();
      if (std::string(entry.name) == "bsr") view.block = 3;
      const Spec options = Spec::parse(unlimited(entry.name), "--format");
      const KernelWork work = entry.make(view, all_rows(view.rows), options)->work();
      const auto moved = static_cast<double>(work.matrix_bytes + 8 * std::int64_t{view.rows});
      const double predicted = entry.predict(statistics_of(view)).bytes;
      // Blocks are those of a sample, which may be emptier than all.
      const bool sampled = std::string(entry.name) == "bsr" && matrix.name != "blocks of 3";
      CHECK((sampled || predicted <= moved));
      const bool unpadded = work.stored_entries == view.nonzeros && view.nonzeros > 500;
      CHECK((!unpadded || predicted > 0.7 * moved));
    }
  }
}

TEST_CASE("a prediction of bsr is for the size that bsr chooses") {
  int measured = 0;
  for (const Matrix& matrix : matrices()) {
    if (matrix.rows() == 0 || matrix.rows() > 100) continue;  // all rows are looked at
    INFO(matrix.name);
    const Typed<double> a(matrix);
    const BlockEstimate best = best_blocks(statistics_of(a.view()).blocks, 8);
    try {
      const auto kernel = find_format("bsr", Device::cpu)
                              .make(a.view(), all_rows(matrix.rows()),
                                    Spec::parse("bsr:max_padding=1e9", "--format"));
      if (best.size == 0) continue;
      CHECK(kernel->work().parameters.rfind("b=" + std::to_string(best.size), 0) == 0);
      ++measured;
    } catch (const InputError& error) {
      CHECK(std::string(error.what()).find(std::to_string(best.size) + " x ") != std::string::npos);
    }
  }
  CHECK(measured > 0);
}

TEST_CASE("dia has a diagonal for each entry of the longest row, also where a sample sees few") {
  const Matrix long_rows = pattern("long rows", 4, 300000, [](LocalIndex i, LocalIndex j) {
    return (i + j) % 3 == 0 && (i == 2 || j < 30);
  });
  const LocalStatistics s = statistics_of(Typed<double>(long_rows).view());
  REQUIRE(s.lengths.longest == 100000);
  REQUIRE(s.diagonals < 50000);
  CHECK(rule("dia", Device::cpu)(s).bytes >= 4 * 100000 * 8);
}

TEST_CASE("what a thread sums alone") {
  const Matrix heavy =
      pattern("heavy", 64, 320, [](LocalIndex i, LocalIndex j) { return i == 40 || j == i; });
  const Typed<float> a(heavy);
  const LocalStatistics s = statistics_of(a.view());
  const auto csr = rule("csr-omp", Device::cpu), sell = rule("sell", Device::cpu);
  const auto asell = rule("asell", Device::cpu), dense = rule("dense", Device::cpu);
  CHECK(csr(s).serial_entries == 0);
  CHECK(csr(s).bytes == 383 * 8 + 64 * 8 + 64 * 4);
  CHECK(sell(s).bytes == 383 * 4 + 383 * 4 + 64 * 4);
  CHECK(asell(s).bytes == 383 * 4 + 64 / 32 * 16 + 64 * 4);
  CHECK(asell(s).serial_entries == 320);
  CHECK(dense(s).bytes == 64 * 320 * 4 + 64 * 4);
  if (!built_with_cuda()) return;  // the rules of GPU formats are built with them
  CHECK(rule("csr-scalar", Device::gpu)(s).serial_entries == 320);
  CHECK(rule("csr-vector", Device::gpu)(s).serial_entries == 10);
  const auto sell_of_32 = rule("sell", Device::gpu), ell = rule("ell", Device::gpu);
  CHECK(sell_of_32(s).serial_entries == 320);
  CHECK(sell_of_32(s).bytes == (32 + 32 * 320) * 4 + 383 * 4 + 64 * 4);
  CHECK(ell(s).bytes == 64 * 320 * 4 + 383 * 4 + 64 * 4);
}

TEST_CASE("value codes lower the bound of the formats that have them, not what is predicted") {
  Matrix matrix = pattern("band", 300, 300, [](auto i, auto j) { return j - i < 4 && i - j < 4; });
  const auto least = [&](const auto& value) {
    for (std::size_t e = 0; e < matrix.values.size(); ++e) matrix.values[e] = value(e);
    const Typed<double> a(matrix);
    const LocalStatistics s = statistics_of(a.view());
    const Prediction asell = rule("asell", Device::cpu)(s), sell = rule("sell", Device::cpu)(s);
    CHECK(sell.saved_bytes == 0);
    const auto nonzeros = static_cast<double>(matrix.indices.size());
    CHECK(asell.bytes > 8 * nonzeros);
    CHECK(asell.saved_bytes == 0);  // nobody has looked at values
    LocalStatistics looked = s;
    looked.least_value_bytes = least_value_bytes(a.view());
    CHECK(rule("asell", Device::cpu)(looked).saved_bytes ==
          (8 - looked.least_value_bytes) * nonzeros);
    return looked.least_value_bytes;
  };
  CHECK(least([](std::size_t) { return 0.1; }) == 0);
  CHECK(least([](std::size_t e) { return e % 2 == 0 ? 0.0 : -0.0; }) == 1);
  CHECK(least([](std::size_t e) { return 0.1 * static_cast<double>(e % 256); }) == 1);
  CHECK(least([](std::size_t e) { return 0.5 * static_cast<double>(e); }) == 2);
  CHECK(least([](std::size_t e) { return e == 0 ? -0.0 : 0.5 * static_cast<double>(e); }) == 4);
  CHECK(least([](std::size_t e) { return 0.1 * static_cast<double>(e); }) == 8);

  const Typed<float> single(matrix);
  CHECK(least_value_bytes(single.view()) == 4);
  const Typed<double> coded(matrix);
  CsrView never = coded.view();
  never.value_codes = false;
  CHECK(least_value_bytes(never) == 8);
  CHECK(least_value_bytes(CsrView{}) == 8);
}

// SPDX-License-Identifier: BSD-3-Clause
//
// Random matrices, partitions, formats, transports, schedules, precisions and factors, each case a
// function of a seed, its number and the number of ranks: every y agrees with three computations
// that share nothing with each other: PETSc, the reference of --validate, and sums in long double
// over the entries as they were drawn; canonical formats have the bits of one loop over those.
// ROWHALO_DIFFERENTIAL=SEED:FIRST:COUNT chooses the cases (tests/differential.sh runs a thousand).
#include <cstdio>
#include <cstdlib>
#include <map>

#include "miniapp/bench/baselines/baselines.hpp"
#include "miniapp/bench/petsc/library.hpp"
#include "miniapp/process/watchdog.hpp"
#include "miniapp/tune/choose.hpp"
#include "partition/base/errors.hpp"
#include "tests/miniapp/problem.hpp"
#include "tests/miniapp/spmv/drawn.hpp"

using namespace rowhalo;
using namespace rowhalo::test;

namespace {

struct Drawn {
  GlobalIndex row, column;
  double value;
};

struct Case {
  GlobalIndex rows = 0, columns = 0;
  std::vector<Drawn> entries;  ///< in the order of the file; a place may come twice
  std::string shape, partition, format, boundary_format;
  Schedule schedule = Schedule::overlap;
  std::string transport;
  Precision precision = Precision::fp64;
  double alpha = 1, beta = 0;
  std::optional<std::uint64_t> shuffle;
  Reorder reorder = Reorder::none;
  bool poison = false;
  int ranks_per_node = 0;  ///< emulated; 0: all on one node

  ComputeSite site() const {
    ComputeSite site{Device::cpu, false};
    if (ranks_per_node > 0) site.nodes = emulated_nodes(world().size, ranks_per_node);
    return site;
  }
  std::string text() const {
    return shape + " " + std::to_string(rows) + " x " + std::to_string(columns) + ", " +
           std::to_string(entries.size()) + " entries, partition " + partition + ", format " +
           format + ", boundary format " + (boundary_format.empty() ? format : boundary_format) +
           ", " + entry_of(schedule).name + ", " + transport + ", " +
           std::string(name_of(precision)) + ", alpha " + std::to_string(alpha) + ", beta " +
           std::to_string(beta) + (shuffle ? ", shuffled" : "") +
           (reorder == Reorder::rcm ? ", rcm" : "") + (poison ? ", poison" : "") +
           ", ranks per node " + std::to_string(ranks_per_node);
  }
};

double draw_value(Draw& draw, std::int64_t kind) {
  switch (kind) {
    case 0:
      return 1.5;
    case 1:
      return static_cast<double>(draw.below(7)) - 3;
    case 2:
      return std::ldexp(draw.real(), static_cast<int>(draw.below(60)) - 30);
    default:
      return draw.real();
  }
}

/// The columns of a row before hubs, duplicates and empty rows.
void draw_row(Draw& draw, const std::string& shape, GlobalIndex row, double mean,
              std::vector<GlobalIndex>& found, GlobalIndex columns) {
  found.clear();
  if (columns == 0 || shape == "no entries") return;
  if (shape == "full") {
    for (GlobalIndex j = 0; j < columns; ++j) found.push_back(j);
  } else if (shape == "band" || shape == "blocks") {
    const GlobalIndex first = shape == "band" ? row - 3 : row / 3 * 3;
    for (GlobalIndex j = first; j < first + (shape == "band" ? 7 : 3); ++j) {
      if (j >= 0 && j < columns && (j == row || draw.chance(80))) found.push_back(j);
    }
  } else {
    const bool skewed = shape == "power law";
    const auto many = static_cast<std::int64_t>(skewed ? mean / (0.02 + draw.real() + 1) : mean);
    for (std::int64_t k = draw.below(2 * many + 2); k > 0; --k) {
      const double place = 0.5 * (draw.real() + 1);
      found.push_back(static_cast<GlobalIndex>((skewed ? place * place * place : place) *
                                               static_cast<double>(columns)));
    }
  }
}

void draw_matrix(Draw& draw, Case& it) {
  constexpr std::int64_t most_entries = 60000;
  it.rows = draw.size(3000);
  it.columns = draw.chance(65) ? it.rows : draw.size(3000);
  std::vector<std::string> shapes{"random", "random", "power law", "band", "blocks", "no entries"};
  if (it.rows * it.columns <= most_entries) shapes.emplace_back("full");
  it.shape = draw.one_of(shapes);
  const std::int64_t values = draw.below(4), empty = draw.chance(30) ? 2 + draw.below(5) : 0;
  const double mean = 0.3 + static_cast<double>(draw.below(12));
  const auto hubs = [&](GlobalIndex count) {
    std::vector<GlobalIndex> list(count > 0 && draw.chance(30) ? 1 + draw.below(2) : 0);
    for (GlobalIndex& hub : list) hub = draw.below(count);
    return list;
  };
  const std::vector<GlobalIndex> long_rows = hubs(it.rows), long_columns = hubs(it.columns);
  std::vector<GlobalIndex> found;
  for (GlobalIndex row = 0; row < it.rows; ++row) {
    draw_row(draw, it.shape, row, mean, found, it.columns);
    for (const GlobalIndex column : long_columns) found.push_back(column);
    if (empty > 0 && row % empty == 0) found.clear();
    if (std::count(long_rows.begin(), long_rows.end(), row) > 0) {
      for (GlobalIndex j = 0; j < it.columns; j += 1 + draw.below(2)) found.push_back(j);
    }
    for (const GlobalIndex column : found) {
      it.entries.push_back({row, column, draw_value(draw, values)});
    }
  }
  if (draw.chance(60)) {
    for (std::int64_t k = std::ssize(it.entries) - 1; k > 0; --k) {
      std::swap(it.entries[k], it.entries[draw.below(k + 1)]);
    }
  }
}

std::string draw_format(Draw& draw) {
  std::vector<std::string> names;
  for (const FormatEntry& entry : formats()) {
    if (entry.device == Device::cpu) names.emplace_back(entry.name);
  }
  static const std::map<std::string, std::vector<std::string>> variants{
      {"hyb", {"", ":width=0", ":width=3"}},
      {"sell", {"", ":c=4", ":c=32,sigma=1000", ":c=1", ":simd=0"}},
      {"asell", {"", ":codes=off", ":sigma=64", ":simd=0"}},
      {"bsr", {"", ":b=2", ":b=3", ":b=5", ":b=8"}},
  };
  const std::string name = draw.one_of(names);
  const auto variant = variants.find(name);
  return variant == variants.end() ? name : name + draw.one_of(variant->second);
}

Case draw_case(std::uint64_t seed, std::int64_t number, int ranks) {
  Draw draw(mix64(mix64(seed, static_cast<std::uint64_t>(number)), ranks));
  Case it;
  draw_matrix(draw, it);
  const bool square = it.rows == it.columns;
  std::vector<std::string> partitions{"rows", "nnz", "file"};
  for (const char* name : {"metis", "ptscotch"}) {
    for (const PartitionerEntry& entry : partitioners()) {
      const bool usable = entry.unusable == nullptr && square;
      if (entry.name == std::string(name) && usable) partitions.emplace_back(name);
    }
  }
  it.partition = draw.one_of(partitions);
  it.format = draw_format(draw);
  if (draw.chance(25)) it.boundary_format = draw_format(draw);
  it.schedule = draw.chance(60) ? Schedule::overlap
                                : schedules()[draw.below(std::ssize(schedules()))].schedule;
  if (ranks > 1 && draw.chance(40)) it.ranks_per_node = static_cast<int>(1 + draw.below(ranks - 1));
  const std::vector<TransportVariant> transports = usable_transports(it.site(), false);
  it.transport = draw.one_of(transports).entry->name;
  it.precision = draw.chance(50) ? Precision::fp64 : Precision::fp32;
  it.alpha = draw.one_of(std::vector<double>{1, 1, -0.5, 0, draw.real(), 1e10 * draw.real()});
  it.beta = draw.one_of(std::vector<double>{0, 0, 1, draw.real()});
  if (square && draw.chance(25)) it.shuffle = draw.below(1000);
  if (square && draw.chance(25)) it.reorder = Reorder::rcm;
  it.poison = draw.chance(25);
  return it;
}

/// A x and |A||x| of each row in long double, its number of entries, and the hash of y by the bits.
struct Expected {
  std::vector<long double> sums, magnitudes;
  std::vector<std::int64_t> lengths;
  std::uint64_t hash = 0;
};

template <class T>
Expected expect(const Case& it) {
  std::vector<std::map<GlobalIndex, double>> rows(it.rows);
  for (const Drawn& entry : it.entries) {  // duplicates are summed in the order of the file
    const auto [place, fresh] = rows[entry.row].emplace(entry.column, entry.value);
    if (!fresh) place->second += entry.value;
  }
  Expected expected;
  for (GlobalIndex row = 0; row < it.rows; ++row) {
    long double sum = 0, magnitude = 0;
    T bits = 0;
    for (const auto& [column, value] : rows[row]) {
      const T a = static_cast<T>(value), x = static_cast<T>(Problem::x_entry(it.precision, column));
      const long double product = static_cast<long double>(a) * x;
      sum += product;
      magnitude += std::fabs(product);
      bits = std::fma(a, x, bits);
    }
    const T alpha = static_cast<T>(it.alpha), beta = static_cast<T>(it.beta);
    const T y0 = static_cast<T>(Problem::y_entry(it.precision, row));
    expected.hash +=
        hash_of_entry(row, beta == 0 ? alpha * bits : std::fma(alpha, bits, beta * y0));
    sum = alpha * sum + static_cast<long double>(beta) * y0;
    magnitude = std::fabs(alpha) * magnitude + std::fabs(static_cast<long double>(beta) * y0);
    expected.sums.push_back(sum);
    expected.magnitudes.push_back(magnitude);
    expected.lengths.push_back(std::ssize(rows[row]));
  }
  return expected;
}

/// One case from its file to its y. `run` says what is wrong, or nothing; the same on all ranks.
class Differential {
 public:
  std::string run(const Case& it);
  int refused = 0;     ///< cases whose format refused; they ran in csr
  int with_petsc = 0;  ///< cases that PETSc computed, too
  int canonical = 0;   ///< cases whose bits were compared

 private:
  LocalMatrix read(const Case& it);
  std::string check(const Case& it, const CheckedProduct& product, const LocalKernels& kernels);

  Comm comm_ = world();
  Progress progress_;
  Watchdog watchdog_{progress_, 120};
  Folder folder_;
};

LocalMatrix Differential::read(const Case& it) {
  const std::string path = folder_.file("a.mtx", [&](std::ofstream& out) {
    out << "%%MatrixMarket matrix coordinate real general\n"
        << it.rows << ' ' << it.columns << ' ' << it.entries.size() << '\n';
    out.precision(17);
    for (const Drawn& one : it.entries) {
      out << one.row + 1 << ' ' << one.column + 1 << ' ' << one.value << '\n';
    }
  });
  std::string partition = it.partition;
  if (partition == "file") {
    partition += ":" + folder_.file("owners.txt", [&](std::ofstream& out) {
      for (GlobalIndex row = 0; row < it.rows; ++row) out << mix64(row, 7) % comm_.size << '\n';
    });
  }
  DistributedCsr source = load_matrix(path, 0, comm_, progress_);
  std::optional<Shuffle> shuffle;
  if (it.shuffle) {
    shuffle.emplace(*it.shuffle, source.info.rows);
    source = shuffled(comm_, std::move(source), *shuffle, progress_);
  }
  const Spec spec = Spec::parse(partition, "--partition");
  const std::vector<int> owners =
      find_partitioner(spec.name()).assign(source, comm_.size, spec, comm_, progress_);
  return make_local_matrix(comm_, std::move(source), owners, shuffle ? &*shuffle : nullptr,
                           progress_, it.reorder);
}

std::string Differential::check(const Case& it, const CheckedProduct& product,
                                const LocalKernels& kernels) {
  const LocalMatrix& matrix = product.matrix;
  std::string wrong;
  const auto compare_with = [&](const char* name, const std::vector<double>& reference) {
    const ErrorRatio ratio = compare(comm_, product, reference);
    if (ratio.passed() && ratio.rows == it.rows) return;
    wrong += std::string("; ") + name + ": " + std::to_string(ratio.max) + " of the bound in row " +
             std::to_string(ratio.worst_row) + ", " + std::to_string(ratio.rows) + " rows checked";
  };
  compare_with("reference", reference_product(product));
  const std::vector<double> owned(product.x.begin(), product.x.begin() + matrix.owned_columns);
  PetscResult petsc = petsc_product(comm_, matrix, PetscOperation::mult, it.precision,
                                    std::span(&owned, 1), {1, 1, 0, 0}, progress_);
  if (petsc.unusable.empty()) {
    ++with_petsc;
    compare_with("petsc", scaled_sum(product, std::move(petsc.products.front())));
  }
  const Expected expected =
      it.precision == Precision::fp64 ? expect<double>(it) : expect<float>(it);
  std::vector<double> sums;
  bool near = true;
  for (LocalIndex k = 0; k < matrix.owned_rows; ++k) {
    const GlobalIndex row = matrix.source_rows[k];
    const auto sum = static_cast<double>(expected.sums[row]);
    const double y = load(vector_type(it.precision), product.y, k);
    const auto bound = rounding_bound(it.precision, expected.lengths[row],
                                      static_cast<double>(expected.magnitudes[row]), it.alpha, sum);
    near = near && std::abs(y - sum) <= bound.value_or(-1);
  }
  if (!on_all_ranks(near)) wrong += "; long double: beyond the bound";
  if (kernels.canonical) {
    ++canonical;
    if (hash_vector(comm_, matrix, it.precision, product.y) != expected.hash) {
      wrong += "; bits: another y_hash than one loop";
    }
  }
  return wrong;
}

std::string Differential::run(const Case& it) {
  const LocalMatrix matrix = read(it);
  const HaloPlan plan = make_halo_plan(comm_, matrix, progress_);
  std::vector<double> x, y0;
  for (const GlobalIndex column : matrix.source_columns) {
    x.push_back(Problem::x_entry(it.precision, column));
  }
  for (const GlobalIndex row : matrix.source_rows)
    y0.push_back(Problem::y_entry(it.precision, row));
  const std::vector<std::byte> stored_x = stored(x, it.precision);
  std::vector<std::byte> before = stored(y0, it.precision);
  if (it.beta == 0) std::fill(before.begin(), before.end(), std::byte{0xff});  // NaN

  const LoadedMatrix block(matrix, it.precision, Device::cpu);
  const auto columns = columns_for(it.schedule, matrix, it.precision, Device::cpu);
  DeviceClock clock;
  const Measuring measuring{comm_, clock, progress_};
  const ProductSetting setting{
      {comm_, matrix, block, plan, it.site(), columns.get()},         measuring,  {}, stored_x,
      hooks_of(it.schedule, {it.poison, 0}, Device::cpu, comm_.rank), it.schedule};
  ChosenKernels chosen;
  if (name_kernels(setting, {it.format, it.boundary_format}, chosen)) {
    ++refused;
    chosen = choose_kernels(
        setting, {it.schedule == Schedule::split ? "dense:max_padding=1e12" : "csr", ""});
  }
  Products products(setting, chosen.kernels, {&find_transport(it.transport), false}, it.alpha,
                    it.beta);
  std::vector<std::byte> y[2];
  for (std::vector<std::byte>& one : y) one = products.run_single(before);  // vectors in turn
  products.close();
  std::string wrong =
      check(it, {matrix, it.precision, it.alpha, it.beta, x, y0, y[0].data(), RowBits::any},
            chosen.kernels);
  if (!on_all_ranks(!chosen.kernels.repeatable || y[0] == y[1])) wrong += "; twice: other bits";
  return wrong;
}

}  // namespace

TEST_CASE("random matrices and choices agree with PETSc, the reference and long double") {
  constexpr const char* variable = "ROWHALO_DIFFERENTIAL";
  const char* chosen = std::getenv(variable);
  unsigned long long seed = 1;
  long first = 0, count = 15;
  if (chosen) REQUIRE(std::sscanf(chosen, "%llu:%ld:%ld", &seed, &first, &count) == 3);
  Differential differential;
  std::vector<std::string> failures;
  for (long number = first; number < first + count; ++number) {
    const Case it = draw_case(seed, number, world().size);
    const std::string which = "case " + std::to_string(number) + ": " + it.text();
    std::string wrong;
    try {
      wrong = differential.run(it);
    } catch (const AgreedError& error) {
      wrong = std::string("; ") + error.what();
    }
    if (wrong.empty()) continue;
    failures.push_back(which + wrong + "\n  again: " + variable + "=" + std::to_string(seed) + ":" +
                       std::to_string(number) + ":1 mpirun -n " + std::to_string(world().size) +
                       " test_differential");
  }
  for (const std::string& failure : failures) UNSCOPED_INFO(failure);
  CHECK(failures.empty());
  if (world().rank == 0) {
    std::printf(
        "%ld of %ld random cases right on %d ranks (seed %llu): %d also by PETSc, %d bit "
        "for bit, %d in csr since their format refused\n",
        count - std::ssize(failures), count, world().size, seed, differential.with_petsc,
        differential.canonical, differential.refused);
  }
}

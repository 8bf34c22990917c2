// SPDX-License-Identifier: BSD-3-Clause
//
// Properties of every method: with reproducible sums one history and one x, bit by bit, for any
// number of ranks, partition and canonical format; a right-hand side times a power of two takes the
// same iterations. Matrices have rows and columns without entries, too.
#include <cmath>

#include "miniapp/check/validation.hpp"
#include "tests/miniapp/solve/system.hpp"

namespace rowhalo {
namespace {

using test::solve;
using test::SolveChoice;
using test::SystemOfTest;

/// The first `size` ranks of the world; null on the others.
class FirstRanks {
 public:
  explicit FirstRanks(int size) {
    const int color = world().rank < size ? 0 : MPI_UNDEFINED;
    MPI_Comm_split(MPI_COMM_WORLD, color, world().rank, &handle_);
  }
  ~FirstRanks() {
    if (handle_ != MPI_COMM_NULL) MPI_Comm_free(&handle_);
  }
  FirstRanks(const FirstRanks&) = delete;
  FirstRanks& operator=(const FirstRanks&) = delete;

  bool has_this() const { return handle_ != MPI_COMM_NULL; }
  Comm comm() const { return Comm::of(handle_); }

 private:
  MPI_Comm handle_ = MPI_COMM_NULL;
};

/// Every fifth row and the column of the same number lose their entries.
void empty_some(DistributedCsr& matrix) {
  DistributedCsr kept;
  kept.info = matrix.info;
  kept.first_row = matrix.first_row;
  for (GlobalIndex row = 0; row < matrix.local_rows(); ++row) {
    for (Offset e = matrix.offsets[row]; e < matrix.offsets[row + 1]; ++e) {
      if ((matrix.first_row + row) % 5 == 3 || matrix.columns[e] % 5 == 3) continue;
      kept.columns.push_back(matrix.columns[e]);
      kept.values.push_back(matrix.values[e]);
    }
    kept.offsets.push_back(std::ssize(kept.columns));
  }
  matrix = std::move(kept);
}

/// Weights of edges: no whole numbers, from 1e-9 to 1.
void make_weights(DistributedCsr& matrix) {
  for (double& value : matrix.values) value = std::pow(std::fabs(value), 9) + 1e-9;
}

struct Case {
  const char* method;
  const char* matrix;
  test::ChangeMatrix change;
  bool preconditioned;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = [] {
    std::vector<Case> list;
    for (const SolverEntry& entry : solvers()) {
      if (entry.kind == SolverKind::pagerank) {
        list.push_back({entry.name, "random:rows=97,row=3,seed=5", make_weights, false});
        list.push_back({entry.name, "road:9", make_weights, false});
        list.push_back({entry.name, "road:9",
                        [](DistributedCsr& matrix) {
                          make_weights(matrix);
                          empty_some(matrix);
                        },
                        false});
        continue;
      }
      list.push_back({entry.name, "stencil7:5,coef=random", nullptr, true});
      list.push_back({entry.name, "stencil7:5,coef=random", empty_some, false});
    }
    list.push_back({"bicgstab", "random:rows=97,row=3,seed=5", empty_some, false});
    return list;
  }();
  return all;
}

/// What must not depend on who computes it.
struct Bits {
  SolverEnd end = SolverEnd::none;
  std::vector<double> norms;
  std::uint64_t x_hash = 0;

  bool operator==(const Bits&) const = default;
};

SystemOfTest system_of(const Case& one, const char* partition, const Comm& comm) {
  SystemOfTest system(one.matrix, partition, comm, one.change);
  if (find_solver(one.method).kind == SolverKind::pagerank) system.make_graph();
  return system;
}

Bits solved(const SystemOfTest& system, const Case& one, const ComputeSite& site,
            const std::string& format) {
  SolveChoice choice{.site = site, .stop = {1e-9, 12, 0}, .format = format};
  choice.preconditioned = one.preconditioned;
  const SolverOutcome outcome = solve(system, find_solver(one.method), choice);
  return {outcome.end, outcome.norms,
          hash_vector(system.comm, system.matrix, Precision::fp64, outcome.x.data())};
}

/// Rank 0 alone, on the CPU; all ranks get what it found.
Bits expected_of(const Case& one) {
  Bits bits;
  const FirstRanks alone(1);
  if (alone.has_this()) {
    bits = solved(system_of(one, "rows", alone.comm()), one, {Device::cpu, false}, "csr");
  }
  std::int64_t count = std::ssize(bits.norms);
  int end = static_cast<int>(bits.end);
  MPI_Bcast(&count, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
  MPI_Bcast(&end, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Bcast(&bits.x_hash, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  bits.end = static_cast<SolverEnd>(end);
  bits.norms.resize(static_cast<std::size_t>(count));
  MPI_Bcast(bits.norms.data(), static_cast<int>(count), MPI_DOUBLE, 0, MPI_COMM_WORLD);
  return bits;
}

TEST_CASE("one history and one x for any ranks, partition and canonical format", "[short]") {
  if (world().size != 4) {
    NOT_TESTED("this number of ranks: 4 ranks test 1, 2, 3 and 4");
    return;
  }
  const ComputeSite here = test::test_site();
  std::vector<const FormatEntry*> canonical;  // that take any matrix
  for (const char* name : {"csr", "csr-omp", "csr-scalar", "ell", "sell", "jds", "asell"}) {
    for (const FormatEntry& format : formats()) {
      const bool fits = format.device == here.device && format.name == std::string_view(name);
      if (fits && format.canonical) canonical.push_back(&format);
    }
  }
  CHECK(canonical.size() >= 5);
  std::size_t first_turn = 0;
  for (const Case& one : cases()) {
    const Bits expected = expected_of(one);
    CHECK(expected.norms.size() > 5);
    for (int size = 1; size <= world().size; ++size) {
      const FirstRanks ranks(size);
      std::size_t turn = first_turn + static_cast<std::size_t>(5 * (size - 1));
      if (!ranks.has_this()) continue;
      for (const char* partition : {"rows", "nnz", "metis"}) {
        if (find_partitioner(partition).unusable != nullptr) continue;
        const SystemOfTest system = system_of(one, partition, ranks.comm());
        // Two formats each, in turn, so that each meets every partition and number of ranks.
        for (int k = 0; k < 2; ++k) {
          const FormatEntry& format = *canonical[turn++ % canonical.size()];
          CAPTURE(one.method, one.matrix, one.preconditioned, size, partition, format.name);
          CHECK(solved(system, one, here, format.name) == expected);
        }
      }
    }
    ++first_turn;
  }
}

TEST_CASE("a right-hand side times a power of two takes the same iterations", "[short]") {
  if (world().size > 1) {
    NOT_TESTED("more than one rank: they differ in nothing here");
    return;
  }
  const ComputeSite here = test::test_site();
  for (const Case& one : cases()) {
    const SolverEntry& entry = find_solver(one.method);
    if (entry.kind == SolverKind::pagerank) continue;
    Case small = one;
    small.matrix = "stencil7:3,coef=random";
    SystemOfTest system = system_of(small, "rows", world());
    const std::vector<double> b = system.b;
    // Long after the residual has reached rounding errors, and after it has vanished.
    for (const int iterations : {0, 300}) {
      for (const ResidualNorm norm : {ResidualNorm::unpreconditioned, ResidualNorm::natural}) {
        const bool natural = norm == ResidualNorm::natural;
        if (natural && (entry.kind != SolverKind::symmetric || iterations > 0)) continue;
        SolveChoice choice{.site = here, .stop = {1e-9, 60, iterations}};
        choice.preconditioned = one.preconditioned;
        choice.norm = norm;
        system.b = b;
        const SolverOutcome expected = solve(system, entry, choice);
        for (const int exponent : {-60, 1, 200}) {
          // Half of them would be subnormal numbers before they vanish.
          if (exponent < 100 && iterations > 0) continue;
          CAPTURE(one.method, one.preconditioned, iterations, static_cast<int>(norm), exponent);
          for (std::size_t i = 0; i < b.size(); ++i) system.b[i] = std::scalbn(b[i], exponent);
          SolverOutcome found = solve(system, entry, choice);
          const bool normalized = entry.kind == SolverKind::power;
          for (double& value : found.norms) value = std::scalbn(value, normalized ? 0 : -exponent);
          for (double& value : found.x) value = std::scalbn(value, normalized ? 0 : -exponent);
          CHECK(found.end == expected.end);
          CHECK(found.norms == expected.norms);
          CHECK(found.x == expected.x);
        }
      }
    }
  }
}

}  // namespace
}  // namespace rowhalo

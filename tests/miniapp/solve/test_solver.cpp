// SPDX-License-Identifier: BSD-3-Clause
//
// Solvers of an application (miniapp/solve/solver.hpp) beside those of `rowhalo solve`: the same
// bits, again and again, and what they refuse.
#include "miniapp/solve/solver.hpp"

#include "miniapp/halo/site.hpp"
#include "tests/miniapp/solve/system.hpp"

using namespace rowhalo;

namespace {

#ifdef ROWHALO_TEST_GPU
constexpr Device device = Device::gpu;
constexpr const char* format = "sell";
#else
constexpr Device device = Device::cpu;
constexpr const char* format = "csr";
#endif
constexpr const char* matrix = "stencil7:6,coef=random";

Operator make_operator(const Tuning& tuning, const std::string& text = matrix) {
  Progress progress;
  return {world(), load_matrix(text, 0, world(), progress), tuning};
}

/// Why a solver is refused, on all ranks alike.
std::string refusal_of(Operator& op, const SolverOptions& options) {
  return agreed_refusal([&] { Solver(op, options).close(); });
}

}  // namespace

TEST_CASE("an application's solver has the bits of the program's, again and again") {
  const test::SystemOfTest system(matrix, "rows");
  struct Case {
    const char* method;
    bool foreign;
  };
  for (const auto& [method, foreign] :
       {Case{"cg", false}, Case{"cg", true}, Case{"cg-pipelined", true},
        Case{"cg-one-reduction", false}, Case{"bicgstab", false}, Case{"bicgstab", true}}) {
    INFO(method);
    test::SolveChoice choice;
    choice.site = compute_site(world(), device);
    choice.stop = {1e-9, 500, 0};
    const SolverOutcome expected = test::solve(system, find_solver(method), choice);

    Operator op = make_operator({.format = format,
                                 .partition = "rows",
                                 .transport = "mpi",
                                 .device = device,
                                 .foreign_vectors = foreign});
    Solver solver(
        op, {.method = method, .tolerance = 1e-9, .max_iterations = 500, .reproducible = true});
    const VectorMemory x(device, system.b.size() * sizeof(double));
    for (const double factor : {1.0, -4.0, 1.0}) {
      std::vector<double> b = system.b, found(b.size()), scaled = expected.x;
      for (double& entry : b) entry *= factor;
      for (double& entry : scaled) entry *= factor;
      const VectorMemory rhs = test::copy_to(device, b);
      const SolverOutcome outcome = solver.solve(rhs.at<const double>(), x.at<double>());
      copy_between(device, found.data(), x.data(), found.size() * sizeof(double));
      REQUIRE_ALL_RANKS(outcome.end == SolverEnd::converged);
      REQUIRE_ALL_RANKS(outcome.norms.size() == expected.norms.size());
      REQUIRE_ALL_RANKS(outcome.norms.back() == std::abs(factor) * expected.norms.back());
      REQUIRE_ALL_RANKS(found == scaled);
    }
    solver.close();
    solver.close();
    REQUIRE_THROWS_AS(solver.solve(x.at<const double>(), x.at<double>()), std::logic_error);
    op.close();
  }
}

TEST_CASE("solvers say what they do not solve") {
  Operator op = make_operator({.device = device});
  const auto says = [&](const SolverOptions& options, const char* what) {
    const std::string message = refusal_of(op, options);
    CAPTURE(message);
    return message.find(what) != std::string::npos;
  };
  REQUIRE_ALL_RANKS(says({.method = "gc"}, "method gc: unknown method"));
  REQUIRE_ALL_RANKS(says({.method = "pagerank"}, "use cg or bicgstab"));
  REQUIRE_ALL_RANKS(says({.preconditioner = "jacoby"}, "preconditioner jacoby: unknown"));
  op.close();
  Operator wide = make_operator({.device = device}, "random:rows=40,columns=50,row=3");
  REQUIRE_ALL_RANKS(refusal_of(wide, {}).find("40 rows and 50 columns") != std::string::npos);
  wide.close();
  Operator single = make_operator({.precision = Precision::fp32, .device = device});
  REQUIRE_ALL_RANKS(refusal_of(single, {}).find("fp32") != std::string::npos);
  single.close();
  Operator empty = make_operator({.device = device}, "random:rows=40,columns=40,row=0");
  REQUIRE_ALL_RANKS(refusal_of(empty, {}).find("zero diagonal in row 0") != std::string::npos);
  REQUIRE_ALL_RANKS(refusal_of(empty, {.preconditioner = "none"}).empty());
  empty.close();
}

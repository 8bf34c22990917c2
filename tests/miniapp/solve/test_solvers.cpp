// SPDX-License-Identifier: BSD-3-Clause
//
// Solvers with every transport and way to launch iterations: with reproducible sums all give the
// bits of the same solver on the CPU.
#include <chrono>
#include <thread>

#include "miniapp/bench/baselines/baselines.hpp"
#include "tests/miniapp/solve/system.hpp"

namespace rowhalo {
namespace {

using test::solve;
using test::SystemOfTest;

SolverOutcome solve_on_cpu(const SystemOfTest& system, const SolverEntry& entry,
                           const StopRule& stop) {
  return solve(system, entry, {.stop = stop});
}

TEST_CASE("solvers give the same bits with every transport and launch", "[short]") {
  const SystemOfTest system;
  for (const char* name : {"cg", "cg-one-reduction", "cg-pipelined", "bicgstab"}) {
    const SolverEntry& entry = find_solver(name);
    const SolverOutcome expected = solve_on_cpu(system, entry, {});
    REQUIRE(expected.end == SolverEnd::converged);
    REQUIRE(expected.norms.size() > 10);
    for (const TransportEntry& transport : transports()) {
      const std::optional<ComputeSite> site = test::site_for(transport);
      if (!site) continue;
      const bool graphs = site->device == Device::gpu && transport.graphs;
      for (const Launch launch : {Launch::one_by_one, Launch::graphs, Launch::loop}) {
        if (launch == Launch::graphs && !graphs) continue;
        if (launch == Launch::loop && !(graphs && transport.in_line)) continue;
        CAPTURE(name, transport.name, static_cast<int>(launch));
        const SolverOutcome found =
            solve(system, entry, {.transport = transport, .site = *site, .launch = launch});
        CHECK(found.launch == launch);
        CHECK(found.end == expected.end);
        CHECK(found.norms == expected.norms);
        CHECK(found.x == expected.x);
        CHECK(found.seconds.size() + 1 == found.norms.size());
      }
    }
  }
}

TEST_CASE("solvers do exactly as many iterations as asked for", "[short]") {
  const SystemOfTest system;
  const ComputeSite site = test::test_site();
  const bool gpu = site.device == Device::gpu;
  const TransportEntry& transport = find_transport(gpu && !site.shared ? "p2p" : "mpi");
  for (const int iterations : {1, 2, 16, 17, 33}) {
    const StopRule stop{1e-8, 10000, iterations};
    const SolverEntry& entry = find_solver("cg");
    const SolverOutcome expected = solve_on_cpu(system, entry, stop);
    for (const Launch launch : {Launch::one_by_one, Launch::graphs, Launch::loop}) {
      if (launch != Launch::one_by_one && !(gpu && transport.graphs)) continue;
      CAPTURE(iterations, static_cast<int>(launch));
      const SolverOutcome found = solve(
          system, entry, {.transport = transport, .site = site, .launch = launch, .stop = stop});
      CHECK(found.end == SolverEnd::iterations_done);
      CHECK(found.norms == expected.norms);
      CHECK(found.x == expected.x);
    }
  }
}

/// Transport p2p, or mpi; the host of the last rank is late whenever it looks after the device.
class LateHost final : public ExchangeDecorator {
 public:
  LateHost(std::unique_ptr<HaloExchange> halo, bool late)
      : ExchangeDecorator(std::move(halo)), late_(late) {}

  void check() const override {
    if (late_) std::this_thread::sleep_for(std::chrono::milliseconds(3));
    inner_->check();
  }

 private:
  bool late_;
};

TEST_CASE("ranks launch as many graphs, however late a host sees the end", "[short]") {
  const SystemOfTest system;
  const ComputeSite site = test::test_site();
  const bool gpu = site.device == Device::gpu && !site.shared;
  TransportEntry transport = find_transport(gpu ? "p2p" : "mpi");
  transport.make = [](const TransportContext& context) -> std::unique_ptr<HaloExchange> {
    const bool p2p = context.site.device == Device::gpu && !context.site.shared;
    return std::make_unique<LateHost>(find_transport(p2p ? "p2p" : "mpi").make(context),
                                      context.comm.rank == context.comm.size - 1);
  };
  const Launch launch = gpu ? Launch::graphs : Launch::one_by_one;
  for (const int iterations : {24, 34, 48}) {  // in the middle of a graph, at its ends
    CAPTURE(iterations);
    const SolverOutcome found = solve(system, find_solver("cg"),
                                      {.transport = transport,
                                       .site = site,
                                       .launch = launch,
                                       .stop = {1e-8, 10000, iterations}});
    CHECK(found.end == SolverEnd::iterations_done);
    CHECK(std::ssize(found.norms) == iterations + 1);
  }
}

TEST_CASE("fast sums end as reproducible ones do", "[short]") {
  const SystemOfTest system;
  const ComputeSite site = test::test_site();
  const bool gpu = site.device == Device::gpu;
  const TransportEntry& transport = find_transport(gpu && !site.shared ? "p2p" : "mpi");
  const Launch launch = gpu && transport.graphs ? Launch::loop : Launch::one_by_one;
  for (const char* name : {"cg", "cg-one-reduction", "cg-pipelined", "bicgstab"}) {
    CAPTURE(name);
    const SolverEntry& entry = find_solver(name);
    const SolverOutcome expected = solve_on_cpu(system, entry, {});
    for (const char* format : {"asell", "sell"}) {  // the first sums dot products along
      CAPTURE(format);
      const SolverOutcome found = solve(system, entry,
                                        {.transport = transport,
                                         .site = site,
                                         .launch = launch,
                                         .summation = Summation::fast,
                                         .format = format});
      CHECK(found.end == SolverEnd::converged);
      CHECK(std::abs(std::ssize(found.norms) - std::ssize(expected.norms)) <= 1);
      double most = 0;
      for (std::size_t i = 0; i < found.x.size(); ++i) {
        most = std::max(most, std::fabs(found.x[i] - expected.x[i]));
      }
      CHECK(most <= 1e-6);
    }
  }
}

}  // namespace
}  // namespace rowhalo

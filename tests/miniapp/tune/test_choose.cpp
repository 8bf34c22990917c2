// SPDX-License-Identifier: BSD-3-Clause
//
// What is chosen without a trial: schedule and partial sums by counts, the length of a graph, the
// budget of trials; and how a refusal is told.
#include <new>

#include "miniapp/tune/sums_choice.hpp"
#include "miniapp/tune/trials.hpp"
#include "tests/miniapp/problem.hpp"

using namespace rowhalo;
using namespace rowhalo::test;

TEST_CASE("GPUs overlap where that hides more than a second kernel costs") {
  const auto settled = [](const char* text, const ComputeSite& site, const char* halo,
                          Schedule wanted = Schedule::overlap) {
    const Problem problem(text, "rows", {}, Precision::fp64, 1, 0);
    const SettledSchedule settled =
        settled_schedule(problem.comm, problem.matrix, site, halo, wanted);
    CHECK((settled.grounds == ScheduleGrounds::as_asked) == (settled.schedule == wanted));
    return settled.schedule;
  };
  const ComputeSite cpu{Device::cpu}, gpus{Device::gpu}, shared{Device::gpu, true};
  REQUIRE_ALL_RANKS(settled("dense:40", gpus, "mpi") == Schedule::blocking);
  REQUIRE_ALL_RANKS(settled("dense:40", cpu, "auto") == Schedule::overlap);
  REQUIRE_ALL_RANKS(settled("dense:40", gpus, "auto", Schedule::petsc_like) ==
                    Schedule::petsc_like);
  const char* line = "stencil7:nx=1,ny=1,nz=40";  // nearly all rows are interior
  const Schedule apart = world().size == 1 ? Schedule::blocking : Schedule::overlap;  // no ghosts
  const Schedule quick = find_transport("p2p").unusable(gpus).empty() ? Schedule::blocking : apart;
  for (const char* halo : {"auto", "all", "p2p"}) {
    REQUIRE_ALL_RANKS(settled(line, gpus, halo) == quick);
    REQUIRE_ALL_RANKS(settled(line, shared, halo) == apart);
  }
  for (const char* halo : {"mpi", "nccl"}) {
    REQUIRE_ALL_RANKS(settled(line, gpus, halo) == apart);
  }
  ComputeSite hosts = gpus;
  hosts.nodes = emulated_nodes(world().size, 1);
  REQUIRE_ALL_RANKS(settled(line, hosts, "p2p") == apart);
  const char* blocks = "banded:rows=40,half=0,fill=1";
  REQUIRE_ALL_RANKS(settled(blocks, gpus, "mpi") == Schedule::blocking);
}

TEST_CASE("partial sums are taken where they are predicted to pay") {
  const ComputeSite gpus{Device::gpu, false}, cpus{Device::cpu, false};
  const PredictionModel slow_links{1e12, {1e8, 1e-6}, {1e8, 1e-6}};
  const PredictionModel fast_links{1e12, {1e13, 1e-6}, {1e13, 1e-6}};
  const auto pay = [](const char* text, const ComputeSite& site, const PredictionModel& model) {
    const Problem problem(text, "nnz", {}, Precision::fp64, 1, 0);
    return sums_pay(problem.comm, problem.matrix, site, model, Precision::fp64);
  };
  const bool several = world().size > 1;
  const char* hubs = "arrow:rows=4000,heavy=3,row=2000";
  REQUIRE_ALL_RANKS(pay(hubs, gpus, slow_links) == several);
  REQUIRE_ALL_RANKS(!pay(hubs, gpus, fast_links));
  REQUIRE_ALL_RANKS(pay(hubs, cpus, slow_links) == several);
  // An entry of x that stays saves 80 ns, but each nonzero of its sum costs 60.
  const PredictionModel slow_memory{1e8, {1e8, 1e-6}, {1e8, 1e-6}};
  REQUIRE_ALL_RANKS(!pay(hubs, cpus, slow_memory));
  REQUIRE_ALL_RANKS(!pay("stencil7:12", gpus, slow_links));
  REQUIRE_ALL_RANKS(!pay("web:rows=20000", gpus, slow_links));  // a third would be saved
  REQUIRE_ALL_RANKS(!pay("random:rows=2000,row=8,seed=2", gpus, slow_links));
  const char* many_hubs = "arrow:rows=4000,heavy=1200,row=200";  // a third to a fifth is left
  REQUIRE_ALL_RANKS(pay(many_hubs, gpus, slow_links) == several);
  REQUIRE_ALL_RANKS(!pay(many_hubs, cpus, slow_links));
}

TEST_CASE("a graph holds many short products and few long ones") {
  CHECK(graph_length(1) == products_per_graph);
  CHECK(graph_length(9.9e-6) == 30);
  CHECK(graph_length(1e-6) == 200);
  CHECK(graph_length(0) == 200);
  for (const double seconds : {1.1e-6, 3.3e-6, 7e-6, 29e-6}) CHECK(graph_length(seconds) % 2 == 0);
}

TEST_CASE("auto: the set-up of many nonzeros on a GPU is 300 products, never more") {
  CHECK(format_budget(Device::gpu, 10000001).seconds == 0);
  CHECK(format_budget(Device::gpu, 10000000).seconds == 0.25);
  CHECK(format_budget(Device::cpu, 10000001).seconds == 0.1);
  for (const Device device : {Device::cpu, Device::gpu}) {
    CHECK(format_budget(device, 1 << 30).products == 300);
  }
}

TEST_CASE("lack of memory is a refusal of its own") {
  const Spec spec = Spec::parse("sell:c=4", "--format");
  try {
    refuse_without_memory(spec, [] { throw std::bad_alloc(); });
    FAIL("no refusal");
  } catch (const InputError& error) {
    CHECK(error.code() == ExitCode::run_time);
    CHECK(error.cause() == Cause::memory);
    CHECK(error.reason() == "not enough memory: std::bad_alloc");
    CHECK(std::string(error.what()) == "--format sell: not enough memory: std::bad_alloc");
  }
  CHECK_NOTHROW(refuse_without_memory(spec, [] {}));
}

// SPDX-License-Identifier: BSD-3-Clause
//
// The model of a product on a measured machine: times that can be told by hand, and work that is
// planned without entries beside what the halo plan of real ones says.
#include "miniapp/bench/expected.hpp"

#include "io/sources.hpp"
#include "kernels/gpu/device/runtime.hpp"
#include "miniapp/bench/planned_work.hpp"
#include "partition/partitioners.hpp"
#include "partition/partitioners/functions.hpp"
#include "tests/io/sample_reports.hpp"
#include "tests/mpi.hpp"

using namespace rowhalo;

namespace {

const PredictionModel round_figures{1e10, {1e9, 1e-5}, {1e8, 1e-4}};

RankWork work_of(double rows, double nonzeros, double bytes) {
  RankWork work;
  work.rows = rows;
  work.nonzeros = nonzeros;
  work.bytes = bytes;
  return work;
}

NodeTraffic traffic(std::int64_t messages, std::int64_t entries) {
  return {messages, entries};
}

}  // namespace

TEST_CASE("The rows of a rank take their bytes or their work in caches", "[expected]") {
  const MachineModel two{sample_machine(), round_figures, 2};
  // 1e11 bytes per second in caches, 1e10 from memory with both ranks, 2e10 alone.
  CHECK(two.local_seconds(work_of(0, 0, 5e5)) == Approx(1e-6 + 5e-6));
  CHECK(two.local_seconds(work_of(0, 0, 1e9)) == Approx(1e-6 + 1e-1));
  CHECK(two.local_seconds(work_of(0, 0, 1e9), true) == Approx(1e-6 + 5e-2));
  CHECK(two.local_seconds(work_of(0, 0, 1e7)) == Approx(1e-6 + 1e7 / 5.5e10));  // half the way
  CHECK(two.local_seconds(work_of(1e6, 1e7, 1e6)) == Approx(1e-6 + 1e-3 + 1e-3));
  RankWork gathers = work_of(0, 0, 1e8);
  gathers.sectors = 1e6;
  CHECK(two.local_seconds(gathers) == Approx(1e-6 + 1e-2));
  gathers.sectors = 1e8;
  CHECK(two.local_seconds(gathers) == Approx(1e-6 + 2e-1));
  // More ranks share what two had; one rank has its own and no more.
  const MachineModel eight{sample_machine(), round_figures, 8},
      one{sample_machine(), round_figures, 1};
  CHECK(eight.local_seconds(work_of(0, 0, 1e9)) == Approx(1e-6 + 4e-1));
  CHECK(one.local_seconds(work_of(0, 0, 1e9)) == Approx(1e-6 + 5e-2));
  NetworkReport gpus = sample_machine();
  gpus.device = "gpu";
  const MachineModel eight_gpus{gpus, round_figures, 8};
  CHECK(eight_gpus.local_seconds(work_of(0, 0, 1e9)) == Approx(1e-6 + 1e-1));
}

TEST_CASE("Messages take latency, their number and their bytes", "[expected]") {
  const MachineModel two{sample_machine(), round_figures, 2};
  const std::vector<MachineModel::Way> ways = two.ways("auto", false);
  REQUIRE(ways.size() == 2);
  CHECK(two.ways("mpi-shared", false).size() == 1);
  RankWork work;
  work.traffic.sent_inside = traffic(1, 1);
  CHECK(two.exchange_seconds(ways[0], work) == Approx(1e-6));
  work.traffic.received_inside = traffic(3, 125000);  // 1e6 bytes; more comes than goes
  // A further message was not measured: as long as the first.
  CHECK(two.exchange_seconds(ways[0], work) == Approx(1e-3 + 2e-6));
  CHECK(two.exchange_seconds(ways[1], work) == Approx(2e-3 + 4e-7));
  work.traffic.received_inside = traffic(1, 250000);  // beyond the last point
  CHECK(two.exchange_seconds(ways[0], work) == Approx(2e-3));
  // Four ranks share the rate of two; a single one is no faster than its pair was alone.
  const MachineModel four{sample_machine(), round_figures, 4},
      one{sample_machine(), round_figures, 1};
  work.traffic.received_inside = traffic(1, 125000);
  CHECK(four.exchange_seconds(four.ways("mpi", false)[0], work) == Approx(1e-6 + 2 * 999e-6));
  CHECK(one.exchange_seconds(one.ways("mpi-shared", false)[0], work) ==
        Approx(5e-7 + (2e-3 - 5e-7) / 2));
  // Between nodes nothing was measured.
  work.traffic = {};
  work.traffic.sent_between = traffic(2, 125000);
  CHECK(two.exchange_seconds(two.ways("auto", true)[0], work) == Approx(2e-4 + 1e-2));
}

TEST_CASE("GPUs hide messages behind interior rows, CPUs do not", "[expected]") {
  RankWork work = work_of(0, 0, 1e8);
  work.boundary_share = 0.1;
  const MachineModel cpu{sample_machine(), round_figures, 2};
  CHECK(cpu.product_seconds(work, 1e-2, 1e-3) == Approx(11e-3));
  NetworkReport gpus = sample_machine();
  gpus.device = "gpu";
  const MachineModel gpu{gpus, round_figures, 2};
  CHECK(gpu.product_seconds(work, 1e-2, 1e-3) == Approx(1e-2 + 1e-6));  // a second kernel
  CHECK(gpu.product_seconds(work, 1e-2, 2e-2) == Approx(2e-2 + 1e-3).epsilon(1e-3));
  CHECK(gpu.product_seconds(work, 1e-2, 1e-7) == Approx(1e-2 + 1e-7));  // quicker one by one
  CHECK(gpu.product_seconds(work, 1e-2, 0) == Approx(1e-2));
}

TEST_CASE("The slowest rank counts, and what was assumed is said", "[expected]") {
  const Comm comm = world();
  const MachineModel model{sample_machine(), round_figures, 2};
  std::vector<RankWork> mine(2, work_of(0, 1e6, 1e8));
  if (comm.rank == comm.size - 1) mine[1] = work_of(0, 1e6, 3e8);
  mine[0].traffic.sent_between = traffic(1, 1000);
  const ExpectedReport expected =
      expected_product(comm, model, mine, 2 * comm.size, "auto", "m.json");
  REQUIRE_ALL_RANKS(expected.local_seconds == Approx(1e-6 + 3e-2));
  REQUIRE_ALL_RANKS(expected.seconds == Approx(1e-6 + 3e-2));  // messages are another rank's
  REQUIRE_ALL_RANKS(expected.exchange_seconds == Approx(1e-4 + 8e-5));
  REQUIRE_ALL_RANKS(expected.exposed_seconds == Approx(0).margin(1e-12));
  const double all_bytes = (2.0 * comm.size + 2) * 1e8;
  REQUIRE_ALL_RANKS(expected.bytes_per_nonzero == Approx(all_bytes / (2e6 * comm.size)));
  REQUIRE_ALL_RANKS(expected.efficiency ==
                    Approx((1e-6 + all_bytes / 2e10) / (2 * comm.size) / expected.seconds));
  REQUIRE_ALL_RANKS(expected.note ==
                    "links between nodes are not in m.json: assumed 0.1 GB/s and 100 us");
}

TEST_CASE("Boxes of a grid are planned as they would be cut", "[expected]") {
  const Comm comm = world();
  Progress progress;
  const auto same = [](const NodeTraffic& a, const NodeTraffic& b) {
    return a.messages == b.messages && a.entries == b.entries;
  };
  for (const char* text : {"stencil27:nx=9,ny=7,nz=8", "stencil7:nx=5,ny=8,nz=6", "stencil5:12",
                           "elasticity:nx=6,ny=4,nz=5"}) {
    for (const int parts : {1, 2, 8, 12}) {
      INFO(text << " in " << parts);
      const MatrixOutline outline = outline_matrix(text, 0, comm);
      const DistributedCsr matrix = load_matrix(text, 0, comm, progress);
      const NodeMap nodes = emulated_nodes(parts, 3);
      const std::array<int, 3> boxes = choose_boxes(*outline.info.grid, parts);
      const auto planned = planned_work_of_boxes(outline, boxes, nodes, {10, 0.5}, Precision::fp64);
      const std::vector<int> owners = find_partitioner("box").assign(
          matrix, parts, Spec::parse("box:weights=rows", "--partition"), comm, progress);
      const PartitionQuality quality = partition_quality(comm, matrix, owners, parts, progress);
      const auto real = planned_work(quality, traffic_of_parts(comm, quality.flows, nodes),
                                     {10, 0.5}, Precision::fp64);
      bool equal = planned.size() == real.size();
      for (std::size_t part = 0; equal && part < real.size(); ++part) {
        const PartTraffic &a = planned[part].traffic, &b = real[part].traffic;
        equal = planned[part].rows == real[part].rows && same(a.sent_inside, b.sent_inside) &&
                same(a.sent_between, b.sent_between) &&
                same(a.received_inside, b.received_inside) &&
                same(a.received_between, b.received_between);
      }
      REQUIRE_ALL_RANKS(equal);
    }
  }
}

TEST_CASE("A few rows tell the bytes of a product", "[expected]") {
  const Comm comm = world();
  Progress progress;
  const MachineModel model{sample_machine(), round_figures, 2};
  const SampleRequest plain{Device::cpu, Precision::fp64, false};
  const auto cost_of = [&](const char* text, const SampleRequest& request) {
    const MatrixOutline outline = outline_matrix(text, 0, comm);
    const DistributedCsr rows = sample_rows(text, outline, progress);
    return sampled_cost(rows, request, model, 1e8);
  };
  // 8 bytes of a value, a share of y, and less than a byte for its column.
  const SampledCost stencil = cost_of("stencil27:3000,coef=random", plain);
  CHECK(stencil.bytes > 8.3);
  CHECK(stencil.bytes < 9.4);
  CHECK(stencil.sectors < 0.2);
  const SampledCost scattered = cost_of("random:rows=100000000,row=9", plain);
  CHECK(scattered.bytes > 12);
  CHECK(scattered.sectors > 0.9);
  CHECK(cost_of("dense:rows=1,columns=2200000", plain).bytes > 8);  // a row longer than the sample
  if (!built_with_cuda()) {
    NOT_TESTED("bytes on GPUs: built without CUDA");
    return;
  }
  // On a GPU two distinct values take a byte at most.
  const SampledCost coded = cost_of("stencil27:3000", {Device::gpu, Precision::fp64, true});
  CHECK(coded.bytes < 2);
  CHECK(cost_of("stencil27:3000", {Device::gpu, Precision::fp64, false}).bytes > 8.3);
}

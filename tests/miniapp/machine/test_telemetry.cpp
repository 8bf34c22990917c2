// SPDX-License-Identifier: BSD-3-Clause
//
// Telemetry on a double of NVML and on files as the kernel has them for processors.
#include "miniapp/machine/telemetry.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <fstream>
#include <thread>

#include "tests/catch.hpp"
#include "tests/mpi.hpp"

using namespace rowhalo;

namespace {

const std::string double_of_nvml = ROWHALO_FAKE_NVML;
const std::string absent = "librowhalo_no_nvml.so";

/// A folder like /sys/class/powercap, with two packages.
class Powercap {
 public:
  Powercap() {
    std::string name = "/tmp/rowhalo-powercap-XXXXXX";
    folder_ = mkdtemp(name.data());
    add_zone("intel-rapl:0", "package-0");
    add_zone("intel-rapl:1", "package-1");
    add_zone("intel-rapl:0:0", "core");
    add_zone("intel-rapl-mmio:0", "package-0");
  }
  ~Powercap() { std::filesystem::remove_all(folder_); }

  void count(const std::string& zone, long long microjoules) {
    std::ofstream(folder_ / zone / "energy_uj") << microjoules << '\n';
  }
  const std::filesystem::path& folder() const { return folder_; }

 private:
  void add_zone(const std::string& zone, const std::string& label) {
    std::filesystem::create_directory(folder_ / zone);
    std::ofstream(folder_ / zone / "name") << label << '\n';
    std::ofstream(folder_ / zone / "max_energy_range_uj") << 1000000000 << '\n';
    count(zone, 0);
  }

  std::filesystem::path folder_;
};

}  // namespace

TEST_CASE("energy of processors adds up over packages and over the end of a counter") {
  Powercap powercap;
  powercap.count("intel-rapl:0", 990000000);
  CpuEnergy energy(powercap.folder());
  REQUIRE(energy.readable());
  powercap.count("intel-rapl:0", 999000000);
  powercap.count("intel-rapl:1", 5000000);
  powercap.count("intel-rapl:0:0", 400000000);
  powercap.count("intel-rapl-mmio:0", 400000000);
  CHECK(energy.joules() == Approx(9 + 5));
  powercap.count("intel-rapl:0", 2000000);
  CHECK(energy.joules() == Approx(9 + 5 + 3));
  CHECK(!CpuEnergy("/tmp/rowhalo-no-such-folder").readable());
}

TEST_CASE("a GPU is sampled while it is watched, and its power cap is a warning") {
  Telemetry telemetry("0000:01:00.0", false, double_of_nvml);
  {
    const Watching watching(&telemetry);
    std::this_thread::sleep_for(std::chrono::milliseconds(450));
  }
  const TelemetrySamples samples = telemetry.samples();
  CHECK(samples.samples >= 2);
  CHECK(samples.samples <= 5);
  CHECK(samples.seconds >= 0.45);
  CHECK(samples.gpu_joules == 1000);
  CHECK(std::isnan(samples.cpu_joules));
  GpuTelemetry gpu = describe_gpu(samples);
  CHECK(gpu.sm_clock_mhz.min == 1425);
  CHECK(gpu.sm_clock_mhz.max == 1980);
  CHECK(gpu.power_watts.mean == Approx(612.5));
  CHECK(gpu.temperature_celsius == 61);
  CHECK(std::isnan(gpu.memory_clock_mhz));
  REQUIRE(gpu.throttling.size() == 2);
  CHECK(gpu.throttling[0].reason == "clocks set");
  CHECK(gpu.throttling[1].sm_clock_mhz == 1425);
  gpu.host = "node7";
  gpu.pci_id = "0000:01:00.0";
  gpu.highest_sm_clock_mhz = 1980;
  gpu.throttling = {{"clocks set", 1, 1425}, {"power cap", 0.4, 1425}, {"power brake", 0.001, 345}};
  CHECK(throttle_warnings(gpu) ==
        std::vector<std::string>{"GPU 0000:01:00.0 on node7 throttled: power cap, 1425 of 1980 MHz "
                                 "in 40 % of samples"});
  telemetry.reset();
  CHECK(telemetry.samples().samples == 0);
}

TEST_CASE("without NVML, or for a GPU that it does not know, nothing is told of GPUs") {
  const Comm comm = world();
  CHECK_THROWS_AS(NvmlGpu("0000:01:00.0", absent), std::runtime_error);
  CHECK_THROWS_AS(NvmlGpu("ffff:01:00.0", double_of_nvml), std::runtime_error);
  for (const std::string& library : {absent, double_of_nvml}) {
    const std::string pci_id = library == absent ? "0000:01:00.0" : "ffff:01:00.0";
    Telemetry telemetry(pci_id, false, library, "/tmp/rowhalo-no-such-folder");
    telemetry.start();
    telemetry.stop();
    const TelemetryReport report = describe_telemetry(comm, telemetry, pci_id, {10, 1e6});
    CHECK(report.gpus.empty());
    CHECK(!report.gpu_joules);
    CHECK(!report.energy_per_product_joules);
  }
}

TEST_CASE("a report counts a GPU once, however many ranks share it") {
  const Comm comm = world();
  Powercap powercap;
  for (const bool shared : {true, false}) {
    const std::string pci_id = fmt::format("0000:{:02x}:00.0", shared ? 0 : comm.rank);
    Telemetry telemetry(pci_id, comm.rank == 0, double_of_nvml, powercap.folder());
    telemetry.start();
    powercap.count("intel-rapl:0", shared ? 3000000 : 8000000);
    telemetry.stop();
    const TelemetryReport report = describe_telemetry(comm, telemetry, pci_id, {10, 1e6});
    const int expected = comm.rank != 0 ? 0 : shared ? 1 : comm.size;
    CHECK(std::ssize(report.gpus) == expected);
    for (int k = 0; k < expected; ++k) {
      CHECK(report.gpus[k].pci_id == fmt::format("0000:{:02x}:00.0", k));
      CHECK(report.gpus[k].power_limit_watts == 700);
    }
    CHECK(!report.gpu_joules);  // less than 5 s
    CHECK(!report.cpu_joules);
  }
}

TEST_CASE("energy per product is that of what computes") {
  const Comm comm = world();
  Powercap powercap;
  const bool first = comm.rank == 0;
  Telemetry cpu("", first, absent, powercap.folder());
  cpu.start();
  powercap.count("intel-rapl:1", 60000000);
  std::this_thread::sleep_for(std::chrono::milliseconds(5100));
  cpu.stop();
  const TelemetryReport report = describe_telemetry(comm, cpu, "", {30, 4e9});
  CHECK(!report.gpu_joules);
  if (!first) return;
  REQUIRE(report.cpu_joules);
  CHECK(*report.cpu_joules == Approx(60));
  CHECK(*report.energy_per_product_joules == Approx(2));
  CHECK(*report.gflops_per_watt == Approx(2));
}

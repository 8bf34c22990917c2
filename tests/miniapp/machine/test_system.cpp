// SPDX-License-Identifier: BSD-3-Clause
//
// The description of the machine: GPUs from a double of NVML, network devices from files as the
// kernel has them, processors from this very host.
#include "miniapp/machine/system.hpp"

#include <unistd.h>

#include <fstream>

#include "miniapp/machine/nvml.hpp"
#include "tests/catch.hpp"
#include "tests/mpi.hpp"

using namespace rowhalo;

TEST_CASE("GPUs of a host are listed, with what lies between them") {
  SystemReport system;
  list_gpus(system, ROWHALO_FAKE_NVML);
  CHECK(system.driver == "999.1");
  REQUIRE(system.gpus.size() == 3);
  CHECK(system.gpus[1].name == "NVIDIA Double");
  CHECK(system.gpus[1].pci_id == "0000:20:00.0");
  CHECK(system.gpus[1].memory_bytes == std::int64_t{1} << 40);
  REQUIRE(system.links.size() == 3);
  CHECK(system.links[0].kind == "NVLink");
  CHECK(system.links[0].to == "0000:20:00.0");
  CHECK(system.links[1].kind == "between NUMA domains");
  CHECK(system.links[2].from == "0000:20:00.0");
}

TEST_CASE("network devices are told by their active ports") {
  std::string name = "/tmp/rowhalo-infiniband-XXXXXX";
  const std::filesystem::path folder = mkdtemp(name.data());
  const auto add = [&](const char* port, const char* state, const char* layer, const char* rate) {
    std::filesystem::create_directories(folder / port);
    std::ofstream(folder / port / "state") << state << '\n';
    std::ofstream(folder / port / "link_layer") << layer << '\n';
    std::ofstream(folder / port / "rate") << rate << '\n';
  };
  add("mlx5_1/ports/1", "4: ACTIVE", "Ethernet", "100 Gb/sec (4X EDR)");
  add("mlx5_0/ports/1", "4: ACTIVE", "InfiniBand", "400 Gb/sec (4X NDR)");
  add("mlx5_0/ports/2", "1: DOWN", "InfiniBand", "10 Gb/sec (4X SDR)");
  CHECK(network_devices(folder) == std::vector<std::string>{"mlx5_0 InfiniBand 400 Gb/sec (4X NDR)",
                                                            "mlx5_1 Ethernet 100 Gb/sec (4X EDR)"});
  std::filesystem::remove_all(folder);
  CHECK(network_devices("/tmp/rowhalo-no-such-folder").empty());
}

TEST_CASE("this host is described, without users and environment") {
  const SystemReport system = describe_system(world());
  CHECK(system.hosts == 1);
  CHECK(system.hosts_alike);
  CHECK(!system.kernel.empty());
  CHECK((system.scheduler == "none" || system.scheduler == "slurm" || system.scheduler == "pbs"));
  if (world().rank != 0) return;
  CHECK(system.threads >= sysconf(_SC_NPROCESSORS_ONLN));
  CHECK(system.memory_bytes > std::int64_t{1} << 20);
}

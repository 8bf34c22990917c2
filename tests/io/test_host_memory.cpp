// SPDX-License-Identifier: BSD-3-Clause
//
// Limits of control groups, on made-up trees of both versions.
#include "io/host_memory.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>

#include "tests/catch.hpp"

using namespace rowhalo;

namespace {

void put(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path) << text << '\n';
}

}  // namespace

TEST_CASE("the tightest limit of the control groups holds", "[host_memory]") {
  const std::filesystem::path root = std::filesystem::current_path() / "cgroup_test";
  std::filesystem::remove_all(root);
  put(root / "memory.max", "9000");
  put(root / "job/memory.max", "5000");
  put(root / "job/task/memory.max", "max");
  put(root / "job/wide/memory.max", "7000");
  CHECK(cgroup_bytes(root, "0::/job/task\n").limit == 5000);
  CHECK(cgroup_bytes(root, "0::/job/wide\n").limit == 5000);
  CHECK(cgroup_bytes(root, "0::/\n").limit == 9000);
  CHECK(cgroup_bytes(root, "0::/elsewhere/on/the/host\n").limit == 9000);

  put(root / "memory/memory.limit_in_bytes", "9223372036854771712");
  put(root / "memory/slurm/memory.limit_in_bytes", "700");
  CHECK(cgroup_bytes(root, "3:cpu,cpuacct:/\n2:hugetlb,memory:/slurm/step\n").limit == 700);
  CHECK(cgroup_bytes(root, "4:memory:/slurm\n0::/job\n").limit == 700);
  CHECK(cgroup_bytes(root, "4:memoryless:/slurm\n").limit == INT64_MAX);
  CHECK(cgroup_bytes(root, "4:memory:/\n").limit == 9223372036854771712);
  CHECK(cgroup_bytes(root, "no line of a group\n\n").limit == INT64_MAX);
  CHECK(cgroup_bytes(root / "nothing", "0::/job\n").limit == INT64_MAX);
  std::filesystem::remove_all(root);
}

TEST_CASE("what the control groups leave is available", "[host_memory]") {
  const std::filesystem::path root = std::filesystem::current_path() / "cgroup_left_test";
  std::filesystem::remove_all(root);
  put(root / "memory.max", "9000");
  put(root / "memory.current", "8500");
  put(root / "memory.stat", "anon 300\ninactive_file 2000\nactive_file 6000");
  put(root / "job/memory.max", "5000");
  put(root / "job/memory.current", "1000");
  put(root / "full/memory.max", "5000");
  put(root / "full/memory.current", "5100");
  put(root / "free/memory.max", "max");
  put(root / "free/memory.current", "1000");
  CHECK(cgroup_bytes(root, "0::/\n").left == 2500);
  CHECK(cgroup_bytes(root, "0::/job\n").left == 2500);
  CHECK(cgroup_bytes(root, "0::/full\n").left == 0);
  CHECK(cgroup_bytes(root, "0::/free\n").left == 2500);
  put(root / "memory/slurm/memory.limit_in_bytes", "700");
  put(root / "memory/slurm/memory.usage_in_bytes", "650");
  put(root / "memory/slurm/memory.stat", "inactive_file 1\ntotal_inactive_file 50");
  CHECK(cgroup_bytes(root, "2:memory:/slurm/step\n").left == 100);
  CHECK(cgroup_bytes(root / "nothing", "0::/job\n").left == INT64_MAX);

  const std::string meminfo = "MemTotal:       9 kB\nMemFree: 1 kB\nMemAvailable:   2 kB\n";
  CHECK(host_bytes(INT64_MAX, meminfo, root, "2:memory:/slurm\n").left == 100);
  CHECK(host_bytes(INT64_MAX, meminfo, root, "0::/job\n").left == 2048);
  CHECK(host_bytes(INT64_MAX, "", root, "0::/job\n").left == 2500);
  std::filesystem::remove_all(root);
}

TEST_CASE("the host has some memory", "[host_memory]") {
  CHECK(host_bytes().limit > 0);
  CHECK(host_bytes().left > 0);
  CHECK(host_bytes().left <= host_bytes().limit);
  CHECK(memory_limits().process > 0);
}

TEST_CASE("the memory of the machine, or less in a control group", "[host_memory]") {
  const std::filesystem::path root = std::filesystem::current_path() / "cgroup_test_host";
  std::filesystem::remove_all(root);
  put(root / "job/memory.max", "5000");
  CHECK(host_bytes(9000, "", root, "0::/job\n").limit == 5000);
  CHECK(host_bytes(3000, "", root, "0::/job\n").limit == 3000);
  CHECK(host_bytes(9000, "", root, "0::/\n").limit == 9000);
  CHECK(host_bytes(9000, "", root, "").limit == 9000);
  std::filesystem::remove_all(root);
}

TEST_CASE("a matrix is refused when the ranks of a host have no room for it", "[host_memory]") {
  // 16 bytes per row, 8 per column, 16 per nonzero: 1 MB on one of four hosts with two ranks each.
  const MatrixSize matrix{100'000, 100'000, 100'000};
  Comm comm;
  comm.size = 8;
  comm.host_ranks = 2;
  const std::int64_t host = 1'000'000, rank = host / 2, none = INT64_MAX;
  CHECK(memory_refusal(matrix, comm, {host, rank}) == "");
  CHECK(memory_refusal(matrix, comm, {host - 1, none}) ==
        "100000 rows, 100000 columns and 100000 nonzeros need 0.001 GB of memory on a host with 2 "
        "ranks, "
        "which may use 0.001 GB; use a smaller matrix or more hosts");
  CHECK(memory_refusal(matrix, comm, {host, rank - 1}) ==
        "100000 rows, 100000 columns and 100000 nonzeros need 0.0005 GB of memory a rank, which "
        "may use "
        "0.0005 GB (ulimit -v); raise the limit or use more ranks");
  comm.host_ranks = 0;  // not counted: all may be on one host
  CHECK(memory_refusal(matrix, comm, {4 * host, none}) == "");
  CHECK(memory_refusal(matrix, comm, {4 * host - 1, none}) != "");
  CHECK(memory_refusal({INT64_MAX, INT64_MAX, INT64_MAX, 40}, comm, {none, none}) != "");
}

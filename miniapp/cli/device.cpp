// SPDX-License-Identifier: BSD-3-Clause
//
// Choice of the device and of the number of threads (device.hpp).
#include "miniapp/cli/device.hpp"

#include <fmt/format.h>
#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <future>
#include <thread>
#include <vector>

#include "kernels/cpu/isa.hpp"
#include "kernels/gpu/device/runtime.hpp"
#include "miniapp/halo/site.hpp"
#include "miniapp/process/environment.hpp"

namespace rowhalo {

namespace {

/// Starts as many threads beside this one as OpenMP will, and ends them: where OpenMP fails to
/// start one, it ends the process. Throws InputError.
void check_threads(const Comm& comm, int threads) {
  const auto refuse = [&](const std::string& why) {
    throw InputError(
        fmt::format("rank {} on {} is to run {} OpenMP threads (--threads, or "
                    "OMP_NUM_THREADS), but {}",
                    comm.rank, host_name(), threads, why));
  };
  if (threads > most_threads) {
    refuse(fmt::format("at most {} are allowed; use fewer, on more ranks", most_threads));
  }
  std::vector<std::jthread> started;
  std::promise<void> release;  // goes before the threads, which then end
  const std::shared_future<void> released = release.get_future().share();
  try {
    while (std::ssize(started) < threads - 1) {
      started.emplace_back([released] { released.wait(); });
    }
  } catch (const std::exception&) {  // system_error or bad_alloc
    refuse(
        fmt::format("the system lets it start only {}; use fewer, or raise the limits on "
                    "processes and memory (ulimit -u, ulimit -v, control group)",
                    started.size() + 1));
  }
}

/// Collective. Throws AgreedError.
void set_threads(const Comm& comm, const Binding& bound, int threads) {
  if (threads == 0 && std::getenv("OMP_NUM_THREADS") == nullptr) {
    // Ranks that may all run on all cores share them.
    const int cores = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
    threads = std::max(1, std::min(bound.count, cores / node_place(comm).ranks));
  }
  if (threads > 0) omp_set_num_threads(threads);
  agree(comm, [&] { check_threads(comm, omp_get_max_threads()); });
}

}  // namespace

std::string blind_warning(const std::vector<std::string>& blind) {
  const auto sees = [](const std::string& who) { return who.empty(); };
  const auto first = std::find_if_not(blind.begin(), blind.end(), sees);
  if (first == blind.end() || std::none_of(blind.begin(), blind.end(), sees)) return {};
  return fmt::format(
      "{} sees no GPU, others do: all ranks compute on the CPU; ask the scheduler for one GPU per "
      "rank, "
      "or check CUDA_VISIBLE_DEVICES",
      *first);
}

std::string sharing_warning(int ranks_per_device) {
  if (ranks_per_device == 1) return {};
  return fmt::format(
      "up to {} ranks share one GPU; they take turns, so times say little; start one rank per GPU, "
      "or "
      "check CUDA_VISIBLE_DEVICES",
      ranks_per_device);
}

void select_device_by_launcher(Progress& progress) {
  progress.phase("start CUDA");
  const int devices = device_count();
  if (devices > 0) set_device(launched_local_rank() % devices);
}

RankDevice settle_device(const Comm& comm, const std::string& requested, int threads) {
  const Binding bound = binding();
  set_threads(comm, bound, threads);
  const int devices = requested == "cpu" ? 0 : device_count();
  const bool everywhere = max_over_ranks(comm, std::int64_t{devices == 0}) == 0;
  agree(comm, [&] {
    if (requested != "gpu" || devices > 0) return;
    throw InputError(built_with_cuda()
                         ? fmt::format("--device gpu: rank {} on {} sees no CUDA device; use "
                                       "--device cpu, or ask the scheduler for GPUs",
                                       comm.rank, host_name())
                         : "--device gpu: this rowhalo was built without CUDA; use --device cpu");
  });
  RankDevice result;
  if (!everywhere) {
    if (requested != "cpu") {
      result.warning = blind_warning(gather_texts(
          comm, devices > 0 ? "" : fmt::format("rank {} on {}", comm.rank, host_name())));
    }
    const bool one_core = bound.cores.find_first_not_of("0123456789") == std::string::npos;
    result.description =
        fmt::format("cpu, {} thread{} on core{} {}", omp_get_max_threads(),
                    omp_get_max_threads() == 1 ? "" : "s", one_core ? "" : "s", bound.cores);
    if (const std::string simd = isa_request(); !simd.empty()) {
      result.description += ", ROWHALO_SIMD=" + simd;
    }
    return result;
  }
  const int device = node_place(comm).rank % devices;
  set_device(device);
  const DeviceDescription description = describe_device(device);
  result.description =
      fmt::format("{} {}, cores {}", description.name, description.pci_id, bound.cores);
  result.pci_id = description.pci_id;
  result.ranks_per_device = ranks_per_device(comm);
  result.warning = sharing_warning(result.ranks_per_device);
  result.site = compute_site(comm, Device::gpu);
  return result;
}

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// The one list of transports (transports.hpp).
#include "miniapp/halo/transports.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "partition/base/table.hpp"

namespace rowhalo {

using Make = std::unique_ptr<HaloExchange>(const TransportContext&);
Make make_mpi_neighbor_exchange, make_mpi_shared_exchange, make_mpi_cuda_exchange;
Make make_node_aware_exchange, make_mpi_exchange, make_mpi_persistent_exchange;

using Unusable = std::string(const ComputeSite&);
Unusable mpi_shared_unusable, mpi_cuda_unusable, node_aware_unusable;

// What this build lacks has a reason in place of a function.
#ifdef ROWHALO_HAVE_NCCL
Unusable nccl_unusable;
Make make_nccl_exchange;
#else
constexpr Make* make_nccl_exchange = nullptr;
std::string nccl_unusable(const ComputeSite&) {
  return "built without NCCL; configure with -D ROWHALO_WITH_NCCL=ON";
}
#endif
#ifdef ROWHALO_HAVE_CUDA
Unusable p2p_unusable;
Make make_p2p_exchange;
#else
constexpr Make* make_p2p_exchange = nullptr;
std::string p2p_unusable(const ComputeSite&) {
  return "built without CUDA; configure with -D ROWHALO_WITH_CUDA=ON";
}
#endif

namespace {

std::string always_usable(const ComputeSite&) {
  return {};
}

constexpr bool graphs = true, in_line = true;

constexpr TransportEntry table[] = {
    {"mpi", "nonblocking MPI point-to-point from host memory (GPU: staged, pinned)", !graphs,
     !in_line, always_usable, make_mpi_exchange},
    {"mpi-persistent", "as mpi, with persistent requests that are set up once", !graphs, !in_line,
     always_usable, make_mpi_persistent_exchange},
    {"mpi-neighbor", "one MPI neighbourhood collective, persistent if MPI supports it", !graphs,
     !in_line, always_usable, make_mpi_neighbor_exchange},
    {"mpi-shared", "through memory that ranks of a node share; mpi to ranks of other nodes",
     !graphs, !in_line, mpi_shared_unusable, make_mpi_shared_exchange},
    {"mpi-cuda", "nonblocking MPI point-to-point between device buffers (CUDA-aware MPI)", !graphs,
     !in_line, mpi_cuda_unusable, make_mpi_cuda_exchange},
    {"nccl", "NCCL sends and receives on the stream, one GPU per rank", graphs, !in_line,
     nccl_unusable, make_nccl_exchange},
    {"p2p",
     "direct stores into neighbours' GPU memory (CUDA IPC; NVLink or PCIe); nccl to ranks of other "
     "nodes",
     graphs, in_line, p2p_unusable, make_p2p_exchange},
    {"node-aware", "entries that several ranks of a node need cross the network once", !graphs,
     !in_line, node_aware_unusable, make_node_aware_exchange},
};

}  // namespace

void take_resources(const Comm& comm, const std::string& what, const std::function<void()>& local) {
  agree(comm, [&] {
    try {
      local();
    } catch (const std::bad_alloc& lack) {
      throw InputError(what, lack_of_memory(comm, lack), ExitCode::run_time, Cause::memory);
    } catch (const std::runtime_error& error) {
      throw InputError(what, fmt::format("rank {}: {}", comm.rank, error.what()),
                       ExitCode::run_time);
    }
  });
}

std::span<const TransportEntry> transports() {
  return table;
}

const TransportEntry& find_transport(std::string_view name, std::string_view option) {
  std::vector<std::string> others;
  if (option == "--halo") others = {"auto", "all"};
  return find_entry(table, name, option, "transport", others);
}

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// The table of transports. --help, `rowhalo list transports`, messages, README and tests are made
// from it. Adding a transport is one new file in this folder and one line in transports.cpp.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "miniapp/halo/halo_exchange.hpp"
#include "partition/comm.hpp"
#include "partition/nodes.hpp"

namespace rowhalo {

/// Where ranks compute, as far as a transport must know. The same on all ranks.
struct ComputeSite {
  Device device = Device::cpu;
  bool shared = false;  ///< several ranks on one GPU
  NodeMap nodes = {};   ///< as ranks share memory, or as --ranks-per-node says
  int hosts = 1;        ///< that really are there, whatever --ranks-per-node says
  /// Why GPUs of a host cannot write to each other; empty: they can.
  std::string peer_refusal = {};
  /// Why MPI cannot take device addresses; empty: it can.
  std::string no_device_messages = "it has not been tried whether this MPI takes device addresses";
  /// Why ranks of a node cannot share host memory; empty: they can.
  std::string shared_memory_refusal = {};
  double timeout_seconds = 300;  ///< what waits for another rank longer than that has failed
};

/// What transports of one run connect once and share: an NCCL communicator takes about a second,
/// and `auto` tries transports one after the other. Ends locally what was not closed, as after an
/// error.
struct Connection {
  virtual ~Connection() = default;
  virtual void close() = 0;  ///< collective
};

/// For transports of the same ranks, whose exchanges begin in the same order on all of them.
struct Connections {
  std::unique_ptr<Connection> nccl;  ///< null until a transport has opened it

  /// Collective; when all transports are closed.
  void close() {
    if (nccl) nccl->close();
    nccl.reset();
  }
};

struct VectorLayout;

/// What a transport is made for. The plan outlives the transport.
struct TransportContext {
  const HaloPlan& plan;
  NumberType type;   ///< of an entry
  int halo_vectors;  ///< how often make_vector() will be called
  Comm comm;
  ComputeSite site = {};
  std::byte* memory = nullptr;  ///< where the vectors lie already; null: in memory of their own
  std::uint32_t exchanges = 0;  ///< that count as done: tests let 32-bit counters wrap
  /// begin() returns when a GPU has packed and the messages are under way, as in libraries whose
  /// host stands in between; where none does, when what came before on its stream is done.
  bool wait_for_packing = false;
  Connections* connections = nullptr;    ///< shared by the transports of a run, or null
  const VectorLayout* layout = nullptr;  ///< of the vectors in `memory`
  int vectors = 1;                       ///< in each of them, in row layout: HaloVector::vectors
  /// Local. Seconds of what reads a vector that begins there; its entries are zero. One or two
  /// vectors are put where that is least (vector_layout.hpp). Empty: one behind the other.
  std::function<double(std::byte* x)> reading_seconds = {};

  std::size_t element_bytes() const { return vectors * bytes_of(type); }
};

struct TransportEntry {
  const char* name;
  const char* summary;  ///< one line
  bool graphs;          ///< never blocks the host, so that a product fits into a CUDA graph
  bool in_line;         ///< exchange() between ranks of a host is a kernel in the product's stream
  /// Why it cannot serve this site in this build, with the remedy; empty when it can.
  std::string (*unusable)(const ComputeSite& site);
  /// Collective. Throws AgreedError where a resource lacks on some rank.
  std::unique_ptr<HaloExchange> (*make)(const TransportContext& context);
};

/// Collective. Runs `local`, which takes what a transport needs of this rank: memory, streams, a
/// library's consent. Where a rank lacks it all ranks throw AgreedError (run time): "WHAT: reason".
void take_resources(const Comm& comm, const std::string& what, const std::function<void()>& local);

std::span<const TransportEntry> transports();

/// Entry `name`, as `option` named it; throws InputError listing the valid names.
const TransportEntry& find_transport(std::string_view name, std::string_view option = "transport");

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// Transport `mpi-neighbor`: the whole exchange is one neighbourhood collective on a graph of the
// ranks (MPI 3.1, 7.6), so that MPI knows all messages at once. Alltoallw and not alltoallv: its
// displacements are addresses, so entries leave from and land where they lie (host_exchange.hpp
// packs only what is scattered) and no displacement is limited to 31 bits. Persistent, described
// to MPI once, where MPI has that (MPI 4, or Open MPI 4's extension); else started anew each time.
// Receives cannot be posted before the sends are ready; the exchange overlaps with interior rows.
#include <mpi.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include <algorithm>

#include "miniapp/halo/messages.hpp"
#include "partition/base/checked_cast.hpp"

#if MPI_VERSION >= 4
#define ROWHALO_NEIGHBOR_INIT MPI_Neighbor_alltoallw_init
#elif defined(OMPI_HAVE_MPI_EXT_PCOLLREQ)
#define ROWHALO_NEIGHBOR_INIT MPIX_Neighbor_alltoallw_init
#endif

namespace rowhalo {

namespace {

/// One direction of the collective as MPI wants it; never empty, since Open MPI refuses arrays that
/// have no address.
struct Ends {
  std::vector<int> ranks, counts;
  std::vector<MPI_Aint> addresses;
  std::vector<MPI_Datatype> types;
  int size;

  Ends(const std::vector<MessageEnd>& ends, MPI_Datatype element)
      : size(checked_cast<int>(ends.size(), "neighbours of a rank")) {
    const std::size_t places = std::max<std::size_t>(1, ends.size());
    ranks.resize(places, 0);
    counts.resize(places, 0);
    addresses.resize(places, 0);
    types.resize(places, element);
    for (std::size_t k = 0; k < ends.size(); ++k) {
      ranks[k] = ends[k].rank;
      counts[k] = ends[k].count;
      ROWHALO_MPI(MPI_Get_address(ends[k].address, &addresses[k]));
    }
  }
};

class NeighborMessages final : public Messages {
 public:
  explicit NeighborMessages(const MessageContext& context)
      : sends_(context.sends, context.element), receives_(context.receives, context.element) {
    constexpr int keep_ranks = 0;
    ROWHALO_MPI(MPI_Dist_graph_create_adjacent(context.comm, receives_.size, receives_.ranks.data(),
                                               MPI_UNWEIGHTED, sends_.size, sends_.ranks.data(),
                                               MPI_UNWEIGHTED, MPI_INFO_NULL, keep_ranks, &graph_));
#ifdef ROWHALO_NEIGHBOR_INIT
    ROWHALO_MPI(ROWHALO_NEIGHBOR_INIT(MPI_BOTTOM, sends_.counts.data(), sends_.addresses.data(),
                                      sends_.types.data(), MPI_BOTTOM, receives_.counts.data(),
                                      receives_.addresses.data(), receives_.types.data(), graph_,
                                      MPI_INFO_NULL, &request_));
#endif
  }

  void receive() override {}

  void send() override {
#ifdef ROWHALO_NEIGHBOR_INIT
    ROWHALO_MPI(MPI_Start(&request_));
#else
    ROWHALO_MPI(MPI_Ineighbor_alltoallw(MPI_BOTTOM, sends_.counts.data(), sends_.addresses.data(),
                                        sends_.types.data(), MPI_BOTTOM, receives_.counts.data(),
                                        receives_.addresses.data(), receives_.types.data(), graph_,
                                        &request_));
#endif
  }

  void wait() override {
    ROWHALO_MPI(MPI_Wait(&request_, MPI_STATUS_IGNORE));
  }

  void close() override {
    if (request_ != MPI_REQUEST_NULL) ROWHALO_MPI(MPI_Request_free(&request_));
    ROWHALO_MPI(MPI_Comm_free(&graph_));
  }

 private:
  Ends sends_, receives_;
  MPI_Comm graph_ = MPI_COMM_NULL;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace

std::unique_ptr<HaloExchange> make_mpi_neighbor_exchange(const TransportContext& context) {
  return make_message_exchange(context, [](MessageContext&& messages) -> std::unique_ptr<Messages> {
    return std::make_unique<NeighborMessages>(messages);
  });
}

}  // namespace rowhalo

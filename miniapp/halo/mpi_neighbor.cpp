// SPDX-License-Identifier: BSD-3-Clause
//
// Transport `mpi-neighbor`: the whole exchange is one neighbourhood collective on a graph of the
// ranks (MPI 3.1, 7.6), so that MPI knows all messages at once. Persistent, described to MPI once,
// where MPI has that (MPI 4, or Open MPI 4's extension); else started anew each time. Everything
// that is sent is packed into one buffer: alltoallw could send from several, but MPICH up to 4.0
// loses entries in it where a rank only receives (pmodels/mpich, 6233). Receives are not posted
// before the sends are ready; the exchange overlaps with interior rows.
#include <mpi.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include <algorithm>

#include "miniapp/halo/messages.hpp"
#include "partition/base/checked_cast.hpp"

#if MPI_VERSION >= 4
#define ROWHALO_NEIGHBOR_INIT MPI_Neighbor_alltoallv_init
#elif defined(OMPI_HAVE_MPI_EXT_PCOLLREQ)
#define ROWHALO_NEIGHBOR_INIT MPIX_Neighbor_alltoallv_init
#endif

namespace rowhalo {

namespace {

/// One direction of the collective as MPI wants it, in entries; arrays are never empty, since Open
/// MPI refuses those that have no address.
struct Ends {
  std::vector<int> ranks, counts, displacements;
  std::byte* buffer;
  int size;

  Ends(const std::vector<MessageEnd>& ends, std::size_t element_bytes)
      : buffer(ends.empty() ? nullptr : ends.front().address),
        size(checked_cast<int>(ends.size(), "neighbours of a rank")) {
    for (std::vector<int>* numbers : {&ranks, &counts, &displacements}) {
      numbers->resize(std::max<std::size_t>(1, ends.size()), 0);
    }
    for (std::size_t k = 0; k < ends.size(); ++k) {
      ranks[k] = ends[k].rank;
      counts[k] = ends[k].count;
      displacements[k] =
          checked_cast<int>((ends[k].address - buffer) / static_cast<std::ptrdiff_t>(element_bytes),
                            "entries of x in one exchange");
    }
  }
};

class NeighborMessages final : public Messages {
 public:
  NeighborMessages(const MessageContext& context, std::size_t element_bytes)
      : element_(context.space.element),
        sends_(context.sends, element_bytes),
        receives_(context.receives, element_bytes) {
    constexpr int keep_ranks = 0;
    meet(context.space.owner);
    ROWHALO_MPI(MPI_Dist_graph_create_adjacent(
        context.space.comm, receives_.size, receives_.ranks.data(), MPI_UNWEIGHTED, sends_.size,
        sends_.ranks.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, keep_ranks, &graph_));
#ifdef ROWHALO_NEIGHBOR_INIT
    ROWHALO_MPI(ROWHALO_NEIGHBOR_INIT(sends_.buffer, sends_.counts.data(),
                                      sends_.displacements.data(), element_, receives_.buffer,
                                      receives_.counts.data(), receives_.displacements.data(),
                                      element_, graph_, MPI_INFO_NULL, &request_));
#endif
  }

  void receive() override {}

  void send() override {
#ifdef ROWHALO_NEIGHBOR_INIT
    ROWHALO_MPI(MPI_Start(&request_));
#else
    ROWHALO_MPI(MPI_Ineighbor_alltoallv(sends_.buffer, sends_.counts.data(),
                                        sends_.displacements.data(), element_, receives_.buffer,
                                        receives_.counts.data(), receives_.displacements.data(),
                                        element_, graph_, &request_));
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
  MPI_Datatype element_;
  Ends sends_, receives_;
  MPI_Comm graph_ = MPI_COMM_NULL;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace

std::unique_ptr<HaloExchange> make_mpi_neighbor_exchange(const TransportContext& context) {
  return make_message_exchange(
      context,
      [bytes = context.element_bytes()](MessageContext&& messages) {
        return std::make_unique<NeighborMessages>(messages, bytes);
      },
      Packing::all);
}

}  // namespace rowhalo

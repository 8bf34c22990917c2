// SPDX-License-Identifier: BSD-3-Clause
//
// MPI as the libraries use it: a communicator with its rank and size, exchanges with 64-bit counts,
// and the agreement on errors.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <new>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "partition/base/errors.hpp"
#include "partition/base/prefault.hpp"
#include "partition/base/progress.hpp"
#include "partition/base/types.hpp"

namespace rowhalo {

/// Whether ranks meet before every collective call, so that one that has failed can say so.
struct Agreement {
  int depth = 0;                     ///< of together()
  std::function<void()> at_meeting;  ///< tests let it fail
};

/// A communicator, its size and this rank. Does not own the handle.
struct Comm {
  MPI_Comm handle = MPI_COMM_NULL;
  int rank = 0;
  int size = 1;
  int host_ranks = 0;  ///< ranks on this rank's host; 0: not counted, so that all may be there
  Agreement* agreement = nullptr;  ///< null: a failure of one rank ends the program

  static Comm of(MPI_Comm handle);
  int most_on_host() const { return host_ranks > 0 ? host_ranks : size; }
};

/// Throws std::runtime_error naming `call` when an MPI call failed.
void check_mpi(int code, const char* call, const char* file, int line);
#define ROWHALO_MPI(call) ::rowhalo::check_mpi((call), #call, __FILE__, __LINE__)

/// Collective. Runs `local`, which must not communicate; if it throws InputError on any rank, or
/// finds no memory (std::bad_alloc), every rank throws AgreedError with the message of the smallest
/// position (then the lowest rank).
void agree(const Comm& comm, const std::function<void()>& local);
/// The same, but the error is returned instead of thrown: for choices among which some may fail.
std::optional<AgreedError> agreed_error(const Comm& comm, const std::function<void()>& local);

void together(const Comm& comm, void (*body)(const void*), const void* data);
/// Collective. Runs `body`, which may communicate. Whatever it throws on one rank (no memory, CUDA,
/// NCCL, MPI), every rank throws the same AgreedError: at once, or where it next calls a collective
/// function of `comm`. Only for a communicator with an agreement; elsewhere it just runs `body`.
template <class Body>
void together(const Comm& comm, const Body& body) {
  // No std::function, whose allocation might be what fails.
  together(
      comm, [](const void* it) { (*static_cast<const Body*>(it))(); }, &body);
}
/// Collective. Within together(), before a collective call of MPI: throws AgreedError where a rank
/// has failed. All functions of this header do so.
void meet(const Comm& comm);

/// What all ranks throw together when a signal has asked any of them to end: commands catch it and
/// report what there is. No AgreedError, lest whoever tries alternatives goes on to the next.
class StopRequest : public std::runtime_error {
 public:
  StopRequest() : std::runtime_error("interrupted by a signal") {}
};
/// Collective. Whether a signal has come to any rank.
bool stop_requested(const Comm& comm, const Progress& progress);
/// Collective. Throws StopRequest where one has: at places where nothing is open that all ranks
/// have to close together. Ticks.
void leave_if_requested(const Comm& comm, Progress& progress);

/// What messages say where this rank found no memory.
std::string lack_of_memory(const Comm& comm, const std::bad_alloc& lack);

std::int64_t sum_over_ranks(const Comm& comm, std::int64_t value);
void sum_over_ranks(const Comm& comm, std::span<std::int64_t> values);  ///< each of them
double sum_reals_over_ranks(const Comm& comm, double value);
std::uint64_t wrapping_sum_over_ranks(const Comm& comm, std::uint64_t value);  ///< mod 2^64
std::int64_t max_over_ranks(const Comm& comm, std::int64_t value);
double max_over_ranks(const Comm& comm, double value);
/// Sum of `value` over the ranks below this one; 0 on rank 0.
std::int64_t sum_over_lower_ranks(const Comm& comm, std::int64_t value);
std::vector<std::int64_t> gather_to_all(const Comm& comm, std::int64_t value);  ///< one per rank
void broadcast(const Comm& comm, std::string& text, int root = 0);
/// A text of every rank, in rank order, on all of them.
std::vector<std::string> gather_texts(const Comm& comm, const std::string& text);

/// What 32-bit local numbers allow on one rank. A matrix that needs more is not a fault of the
/// program but asks for more ranks, so all ranks say so together.
inline constexpr std::int64_t most_local_numbers = std::numeric_limits<LocalIndex>::max();

/// Collective. This rank's `count`. Throws AgreedError (usage) "rank 3 would `what` 3000000000
/// rows..." (`what` with {} for the number) when that of some rank is above `limit`, which only
/// tests lower.
LocalIndex agreed_local_count(const Comm& comm, std::int64_t count, const char* what,
                              std::int64_t limit = most_local_numbers);

/// Largest piece of one message; MPI counts are 32 bits wide and memory registration is not free.
inline constexpr std::int64_t default_message_bytes = std::int64_t{1} << 30;

/// Where each of successive pieces of `counts` begins, and the end of all.
template <class Counts>
std::vector<std::int64_t> starts_of(const Counts& counts) {
  std::vector<std::int64_t> starts(counts.size() + 1, 0);
  std::inclusive_scan(counts.begin(), counts.end(), starts.begin() + 1, std::plus<>(), starts[0]);
  return starts;
}

/// The counts of a personalised exchange: what every rank will send to this one.
std::vector<std::int64_t> exchange_counts(const Comm& comm,
                                          const std::vector<std::int64_t>& counts);

/// Collective. Moves the pieces of a personalised exchange, in rank order, into `received`, which
/// is already of the right size. Counts are bytes up to 2^63; messages are cut at `message_bytes`.
void exchange_into(const Comm& comm, const void* send, const std::vector<std::int64_t>& send_bytes,
                   void* received, const std::vector<std::int64_t>& received_bytes,
                   std::int64_t message_bytes = default_message_bytes);

/// Collective, personalised exchange: `send` is grouped by destination, `send_counts` entries each.
/// Returns what arrived, grouped by source in rank order; `received_counts` is filled.
template <class T>
std::vector<T> exchange(const Comm& comm, const std::vector<T>& send,
                        const std::vector<std::int64_t>& send_counts,
                        std::vector<std::int64_t>& received_counts,
                        std::int64_t message_bytes = default_message_bytes) {
  static_assert(std::is_trivially_copyable_v<T>);
  received_counts = exchange_counts(comm, send_counts);
  std::vector<T> received;
  resize_by_all_threads(received, starts_of(received_counts).back());
  auto in_bytes = [](std::vector<std::int64_t> counts) {
    for (std::int64_t& count : counts) count *= static_cast<std::int64_t>(sizeof(T));
    return counts;
  };
  exchange_into(comm, send.data(), in_bytes(send_counts), received.data(),
                in_bytes(received_counts), message_bytes);
  return received;
}
template <class T>
std::vector<T> exchange(const Comm& comm, const std::vector<T>& send,
                        const std::vector<std::int64_t>& send_counts) {
  std::vector<std::int64_t> received_counts;
  return exchange(comm, send, send_counts, received_counts);
}

/// Collective. Sends own[k] to rank targets[k], which ascend; returns what came, in rank order.
template <class T>
std::vector<T> exchange_each(const Comm& comm, const std::vector<int>& targets,
                             const std::vector<T>& own) {
  std::vector<std::int64_t> counts(comm.size, 0);
  for (const int target : targets) counts[target] = 1;
  return exchange(comm, own, counts);
}

}  // namespace rowhalo

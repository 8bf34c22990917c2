// SPDX-License-Identifier: BSD-3-Clause
//
// Exchanges with 64-bit counts and the agreement on errors (comm.hpp).
#include "partition/comm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>

#include "partition/base/checked_cast.hpp"

namespace rowhalo {

Comm Comm::of(MPI_Comm handle) {
  Comm comm;
  comm.handle = handle;
  ROWHALO_MPI(MPI_Comm_rank(handle, &comm.rank));
  ROWHALO_MPI(MPI_Comm_size(handle, &comm.size));
  return comm;
}

void check_mpi(int code, const char* call, const char* file, int line) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "unknown error";
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw std::runtime_error(fmt::format("{}:{}: {} failed: {}", file, line, call, text));
}

bool stop_requested(const Comm& comm, const Progress& progress) {
  return max_over_ranks(comm, std::int64_t{progress.stop_requested()}) != 0;
}

void leave_if_requested(const Comm& comm, Progress& progress) {
  progress.tick();
  if (stop_requested(comm, progress)) throw StopRequest();
}

std::string lack_of_memory(const Comm& comm, const std::bad_alloc& lack) {
  return fmt::format("not enough memory on rank {} ({}); use more ranks or a smaller matrix",
                     comm.rank, lack.what());
}

std::optional<AgreedError> agreed_error(const Comm& comm, const std::function<void()>& local) {
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  std::optional<InputError> error;
  try {
    local();
  } catch (const InputError& caught) {
    error = caught;
  } catch (const std::bad_alloc& lack) {
    error.emplace(lack_of_memory(comm, lack), none, ExitCode::run_time, Cause::memory);
  }
  const std::int64_t position = error ? std::min(error->position(), none - 1) : none;
  std::int64_t first_rank = 0, first_position = 0;
  ROWHALO_MPI(MPI_Allreduce(&position, &first_position, 1, MPI_INT64_T, MPI_MIN, comm.handle));
  if (first_position == none) return std::nullopt;

  const std::int64_t bidder = position == first_position ? comm.rank : comm.size;
  ROWHALO_MPI(MPI_Allreduce(&bidder, &first_rank, 1, MPI_INT64_T, MPI_MIN, comm.handle));
  const int root = static_cast<int>(first_rank);
  std::string message = error ? error->what() : "";
  broadcast(comm, message, root);
  std::int64_t kind[3]{};  // code, cause, where the reason begins
  if (error) {
    kind[0] = static_cast<int>(error->code());
    kind[1] = static_cast<int>(error->cause());
    kind[2] = static_cast<std::int64_t>(error->reason_at());
  }
  ROWHALO_MPI(MPI_Bcast(kind, 3, MPI_INT64_T, root, comm.handle));
  return AgreedError(static_cast<ExitCode>(kind[0]), message, static_cast<Cause>(kind[1]),
                     static_cast<std::size_t>(kind[2]));
}

void agree(const Comm& comm, const std::function<void()>& local) {
  if (const auto error = agreed_error(comm, local)) throw *error;
}

std::int64_t sum_over_ranks(const Comm& comm, std::int64_t value) {
  ROWHALO_MPI(MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT64_T, MPI_SUM, comm.handle));
  return value;
}

double sum_reals_over_ranks(const Comm& comm, double value) {
  ROWHALO_MPI(MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_SUM, comm.handle));
  return value;
}

std::uint64_t wrapping_sum_over_ranks(const Comm& comm, std::uint64_t value) {
  ROWHALO_MPI(MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_UINT64_T, MPI_SUM, comm.handle));
  return value;
}

std::int64_t max_over_ranks(const Comm& comm, std::int64_t value) {
  ROWHALO_MPI(MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT64_T, MPI_MAX, comm.handle));
  return value;
}

double max_over_ranks(const Comm& comm, double value) {
  ROWHALO_MPI(MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, comm.handle));
  return value;
}

std::int64_t sum_over_lower_ranks(const Comm& comm, std::int64_t value) {
  std::int64_t sum = 0;
  ROWHALO_MPI(MPI_Exscan(&value, &sum, 1, MPI_INT64_T, MPI_SUM, comm.handle));
  return comm.rank == 0 ? 0 : sum;
}

std::vector<std::int64_t> gather_to_all(const Comm& comm, std::int64_t value) {
  std::vector<std::int64_t> values(comm.size);
  ROWHALO_MPI(MPI_Allgather(&value, 1, MPI_INT64_T, values.data(), 1, MPI_INT64_T, comm.handle));
  return values;
}

void broadcast(const Comm& comm, std::string& text, int root) {
  int length = checked_cast<int>(text.size(), "length of a message");
  ROWHALO_MPI(MPI_Bcast(&length, 1, MPI_INT, root, comm.handle));
  text.resize(length);
  ROWHALO_MPI(MPI_Bcast(text.data(), length, MPI_CHAR, root, comm.handle));
}

std::vector<std::int64_t> exchange_counts(const Comm& comm,
                                          const std::vector<std::int64_t>& counts) {
  std::vector<std::int64_t> received(comm.size);
  ROWHALO_MPI(
      MPI_Alltoall(counts.data(), 1, MPI_INT64_T, received.data(), 1, MPI_INT64_T, comm.handle));
  return received;
}

void exchange_into(const Comm& comm, const void* send, const std::vector<std::int64_t>& send_bytes,
                   void* received, const std::vector<std::int64_t>& received_bytes,
                   std::int64_t message_bytes) {
  constexpr int tag = 17;
  std::vector<MPI_Request> requests;
  auto* in = static_cast<std::byte*>(received);
  const auto* out = static_cast<const std::byte*>(send);
  const std::byte* own_out = nullptr;
  std::byte* own_in = nullptr;

  for (int source = 0; source < comm.size; in += received_bytes[source], ++source) {
    if (source == comm.rank) own_in = in;
    for (std::int64_t at = 0; source != comm.rank && at < received_bytes[source];
         at += message_bytes) {
      const auto count = static_cast<int>(std::min(message_bytes, received_bytes[source] - at));
      ROWHALO_MPI(
          MPI_Irecv(in + at, count, MPI_BYTE, source, tag, comm.handle, &requests.emplace_back()));
    }
  }
  for (int target = 0; target < comm.size; out += send_bytes[target], ++target) {
    if (target == comm.rank) own_out = out;
    for (std::int64_t at = 0; target != comm.rank && at < send_bytes[target]; at += message_bytes) {
      const auto count = static_cast<int>(std::min(message_bytes, send_bytes[target] - at));
      ROWHALO_MPI(
          MPI_Isend(out + at, count, MPI_BYTE, target, tag, comm.handle, &requests.emplace_back()));
    }
  }
  if (own_in != nullptr && send_bytes[comm.rank] > 0)
    std::memcpy(own_in, own_out, send_bytes[comm.rank]);
  ROWHALO_MPI(MPI_Waitall(checked_cast<int>(requests.size(), "messages of an exchange"),
                          requests.data(), MPI_STATUSES_IGNORE));
}

}  // namespace rowhalo

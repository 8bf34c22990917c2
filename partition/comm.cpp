// SPDX-License-Identifier: BSD-3-Clause
//
// Exchanges with 64-bit counts and the agreement on errors (comm.hpp).
#include "partition/comm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
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

namespace {

/// What a rank tells the others; of fixed size, since memory may be what it lacks.
struct Failure {
  int code = 0;
  char text[1000] = "";
};

/// Collective.
void meet(const Comm& comm, const Failure* own) {
  int first = own != nullptr ? comm.rank : comm.size;
  ROWHALO_MPI(MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, comm.handle));
  if (first == comm.size) return;
  Failure failure;
  if (first == comm.rank) failure = *own;
  ROWHALO_MPI(MPI_Bcast(&failure, sizeof failure, MPI_BYTE, first, comm.handle));
  throw RankFailed(static_cast<ExitCode>(failure.code), failure.text);
}

}  // namespace

void meet(const Comm& comm) {
  if (comm.agreement == nullptr || comm.agreement->depth == 0) return;
  if (comm.agreement->at_meeting) comm.agreement->at_meeting();
  meet(comm, nullptr);
}

void together(const Comm& comm, void (*body)(const void*), const void* data) {
  if (comm.agreement == nullptr) return body(data);
  struct Depth {
    Agreement& agreement;
    explicit Depth(Agreement& all) : agreement(all) { ++agreement.depth; }
    ~Depth() { --agreement.depth; }
  };
  const Depth depth(*comm.agreement);
  Failure failure;
  const auto fail = [&](ExitCode code, const char* what) {
    failure.code = static_cast<int>(code);
    std::snprintf(failure.text, sizeof failure.text, "rank %d: %s", comm.rank, what);
  };
  try {
    body(data);
    return meet(comm);
  } catch (const AgreedError&) {
    throw;
  } catch (const StopRequest&) {
    throw;
  } catch (const InputError& error) {
    fail(error.code(), error.what());
  } catch (const std::bad_alloc&) {
    fail(ExitCode::run_time, "not enough memory; use more ranks or a smaller matrix");
  } catch (const std::exception& error) {
    fail(ExitCode::run_time, error.what());
  }
  meet(comm, &failure);
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
  meet(comm);
  struct {
    long position;  // as MPI_LONG_INT has it
    int rank;
  } first{error ? std::min(error->position(), none - 1) : none, comm.rank};
  ROWHALO_MPI(MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_LONG_INT, MPI_MINLOC, comm.handle));
  if (first.position == none) return std::nullopt;
  const int root = first.rank;
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

namespace {

/// Collective.
template <class T>
T reduced(const Comm& comm, T value, MPI_Datatype type, MPI_Op operation) {
  meet(comm);
  ROWHALO_MPI(MPI_Allreduce(MPI_IN_PLACE, &value, 1, type, operation, comm.handle));
  return value;
}

}  // namespace

std::int64_t sum_over_ranks(const Comm& comm, std::int64_t value) {
  return reduced(comm, value, MPI_INT64_T, MPI_SUM);
}

void sum_over_ranks(const Comm& comm, std::span<std::int64_t> values) {
  const int count = checked_cast<int>(values.size(), "numbers of a sum over ranks");
  meet(comm);
  ROWHALO_MPI(MPI_Allreduce(MPI_IN_PLACE, values.data(), count, MPI_INT64_T, MPI_SUM, comm.handle));
}

double sum_reals_over_ranks(const Comm& comm, double value) {
  return reduced(comm, value, MPI_DOUBLE, MPI_SUM);
}

std::uint64_t wrapping_sum_over_ranks(const Comm& comm, std::uint64_t value) {
  return reduced(comm, value, MPI_UINT64_T, MPI_SUM);
}

std::int64_t max_over_ranks(const Comm& comm, std::int64_t value) {
  return reduced(comm, value, MPI_INT64_T, MPI_MAX);
}

double max_over_ranks(const Comm& comm, double value) {
  return reduced(comm, value, MPI_DOUBLE, MPI_MAX);
}

std::int64_t sum_over_lower_ranks(const Comm& comm, std::int64_t value) {
  meet(comm);
  std::int64_t sum = 0;
  ROWHALO_MPI(MPI_Exscan(&value, &sum, 1, MPI_INT64_T, MPI_SUM, comm.handle));
  return comm.rank == 0 ? 0 : sum;
}

std::vector<std::int64_t> gather_to_all(const Comm& comm, std::int64_t value) {
  std::vector<std::int64_t> values(comm.size);
  meet(comm);
  ROWHALO_MPI(MPI_Allgather(&value, 1, MPI_INT64_T, values.data(), 1, MPI_INT64_T, comm.handle));
  return values;
}

void broadcast(const Comm& comm, std::string& text, int root) {
  meet(comm);
  int length = checked_cast<int>(text.size(), "length of a message");
  ROWHALO_MPI(MPI_Bcast(&length, 1, MPI_INT, root, comm.handle));
  text.resize(length);
  meet(comm);
  ROWHALO_MPI(MPI_Bcast(text.data(), length, MPI_CHAR, root, comm.handle));
}

std::vector<std::string> gather_texts(const Comm& comm, const std::string& text) {
  const int length = checked_cast<int>(text.size(), "length of a text");
  std::vector<int> lengths(comm.size), starts(comm.size + 1, 0);
  meet(comm);
  ROWHALO_MPI(MPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, comm.handle));
  for (int rank = 0; rank < comm.size; ++rank) starts[rank + 1] = starts[rank] + lengths[rank];
  std::string all(starts[comm.size], ' ');
  meet(comm);
  ROWHALO_MPI(MPI_Allgatherv(text.data(), length, MPI_CHAR, all.data(), lengths.data(),
                             starts.data(), MPI_CHAR, comm.handle));
  std::vector<std::string> texts;
  for (int rank = 0; rank < comm.size; ++rank) {
    texts.push_back(all.substr(starts[rank], lengths[rank]));
  }
  return texts;
}

LocalIndex agreed_local_count(const Comm& comm, std::int64_t count, const char* what,
                              std::int64_t limit) {
  agree(comm, [&] {
    if (count <= limit) return;
    throw InputError(fmt::format("rank {} would {}; a rank can have at most {}: use more ranks",
                                 comm.rank, fmt::format(fmt::runtime(what), count), limit));
  });
  return static_cast<LocalIndex>(count);
}

std::vector<std::int64_t> exchange_counts(const Comm& comm,
                                          const std::vector<std::int64_t>& counts) {
  std::vector<std::int64_t> received(comm.size);
  meet(comm);
  ROWHALO_MPI(
      MPI_Alltoall(counts.data(), 1, MPI_INT64_T, received.data(), 1, MPI_INT64_T, comm.handle));
  return received;
}

void exchange_into(const Comm& comm, const void* send, const std::vector<std::int64_t>& send_bytes,
                   void* received, const std::vector<std::int64_t>& received_bytes,
                   std::int64_t message_bytes) {
  constexpr int tag = 17;
  const auto messages_of = [&](const std::vector<std::int64_t>& bytes) {
    std::int64_t messages = 0;
    for (const std::int64_t count : bytes) messages += (count + message_bytes - 1) / message_bytes;
    return messages;
  };
  std::vector<MPI_Request> requests;
  requests.reserve(messages_of(send_bytes) + messages_of(received_bytes));
  meet(comm);
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

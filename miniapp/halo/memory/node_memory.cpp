// SPDX-License-Identifier: BSD-3-Clause
//
// Segments of ranks of a node (node_memory.hpp). A rank finds that of another in /proc; a token at
// its end tells it from a stranger's, as processes of other containers may have the same number.
#include "miniapp/halo/memory/node_memory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <limits>
#include <random>

namespace rowhalo {

namespace {

struct File {
  int number = -1;
  explicit File(int file) : number(file) {}
  ~File() {
    if (number >= 0) ::close(number);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
};

[[noreturn]] void refuse(const char* what, std::int64_t bytes, int error) {
  throw InputError(fmt::format("ranks of a node cannot share {} bytes of memory ({}: {}); use mpi",
                               bytes, what, std::strerror(error)),
                   std::numeric_limits<std::int64_t>::max(), ExitCode::run_time);
}

constexpr std::size_t page = 4096;

}  // namespace

void NodeMemory::Unmap::operator()(std::byte* data) const {
  munmap(data, bytes);
}

NodeMemory::Mapping NodeMemory::map(int file, std::size_t bytes) {
  void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (data == MAP_FAILED) refuse("mmap", static_cast<std::int64_t>(bytes), errno);
  return {static_cast<std::byte*>(data), Unmap{bytes}};
}

NodeMemory::Mapping NodeMemory::map_of(std::int64_t process, std::int64_t file,
                                       std::int64_t bytes) {
  const std::string path = fmt::format("/proc/{}/fd/{}", process, file);
  const File opened(open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (opened.number < 0) refuse(path.c_str(), bytes, errno);
  if (lseek(opened.number, 0, SEEK_END) != bytes) refuse(path.c_str(), bytes, ESTALE);
  return map(opened.number, static_cast<std::size_t>(bytes));
}

NodeMemory::NodeMemory(const Comm& comm, const std::vector<int>& ranks, std::size_t bytes) {
  const std::size_t own_bytes = (bytes + sizeof(std::int64_t) + page - 1) / page * page;
  std::random_device random;
  const auto own_token = static_cast<std::int64_t>(random()) << 32 | comm.rank;
  const auto token_of = [](const Mapping& segment) -> std::int64_t& {
    return reinterpret_cast<std::int64_t*>(segment.get() + segment.get_deleter().bytes)[-1];
  };

  const File file(memfd_create("rowhalo", MFD_CLOEXEC));
  agree(comm, [&] {
    const auto size = static_cast<std::int64_t>(own_bytes);
    if (file.number < 0) refuse("memfd_create", size, errno);
    // Reserved now: a page that is missing later would kill the process.
    int error = EINTR;
    while (error == EINTR) error = posix_fallocate(file.number, 0, size);
    if (error != 0) refuse("fallocate", size, error);
    Mapping& own = segments_[comm.rank] = map(file.number, own_bytes);
    token_of(own) = own_token;
  });
  const std::vector<std::int64_t> processes = gather_to_all(comm, getpid());
  const std::vector<std::int64_t> files = gather_to_all(comm, file.number);
  const std::vector<std::int64_t> sizes = gather_to_all(comm, static_cast<std::int64_t>(own_bytes));
  const std::vector<std::int64_t> tokens = gather_to_all(comm, own_token);
  agree(comm, [&] {
    for (const int rank : ranks) {
      if (rank == comm.rank) continue;
      Mapping& theirs = segments_[rank] = map_of(processes[rank], files[rank], sizes[rank]);
      if (token_of(theirs) != tokens[rank]) refuse("another container", sizes[rank], ESTALE);
    }
  });
}

std::vector<int> sharing_ranks(const Comm& comm, const NodeMap& nodes) {
  const NodeMap hosts = node_map(comm, 0);
  const auto together_with = [&](const std::vector<int>& place_of, int rank) {
    return place_of.empty() || place_of[rank] == place_of[comm.rank];
  };
  std::vector<int> ranks;
  for (int rank = 0; rank < comm.size; ++rank) {
    if (together_with(hosts.node_of, rank) && together_with(nodes.node_of, rank)) {
      ranks.push_back(rank);
    }
  }
  return ranks;
}

std::string shared_memory_refusal(const Comm& comm, const NodeMap& nodes) {
  try {
    NodeMemory(comm, sharing_ranks(comm, nodes), 1);
  } catch (const RankFailed&) {
    throw;
  } catch (const AgreedError& refusal) {
    return refusal.what();
  }
  return {};
}

}  // namespace rowhalo

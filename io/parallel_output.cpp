// SPDX-License-Identifier: BSD-3-Clause
//
// One file that all ranks write (parallel_output.hpp).
#include "io/parallel_output.hpp"

#include "io/collective.hpp"

namespace rowhalo {

ParallelOutput::ParallelOutput(const std::string& path, const Comm& comm)
    : path_(path), comm_(comm) {
  const auto name = found_by_root(comm, [&] { return temporary_.emplace(path_).name(); });
  agree(comm_, [&] { file_ = open_for_writing(name, path_); });
}

void ParallelOutput::write(std::int64_t offset, std::string_view bytes) const {
  write_at(file_, offset, bytes, path_);
}

std::int64_t ParallelOutput::append(std::int64_t offset, const std::vector<std::string>& parts,
                                    Progress& progress) const {
  std::int64_t bytes = 0;
  for (const std::string& part : parts) bytes += std::ssize(part);
  std::int64_t place = offset + sum_over_lower_ranks(comm_, bytes);
  agree(comm_, [&] {
    for (const std::string& part : parts) {
      write(place, part);
      place += std::ssize(part);
      progress.tick();
    }
  });
  return offset + sum_over_ranks(comm_, bytes);
}

void ParallelOutput::finish() {
  agree(comm_, [&] { close_written(std::move(file_), path_); });
  agree(comm_, [&] {
    if (comm_.rank == 0) temporary_->rename_to_path();
  });
}

}  // namespace rowhalo

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

void ParallelOutput::finish() {
  agree(comm_, [&] { close_written(std::move(file_), path_); });
  agree(comm_, [&] {
    if (comm_.rank == 0) temporary_->rename_to_path();
  });
}

}  // namespace rowhalo

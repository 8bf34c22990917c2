// SPDX-License-Identifier: BSD-3-Clause
//
// One file that all ranks write together, each at offsets that it knows; it appears whole or not at
// all (output_file.hpp).
// pwrite and not MPI-IO: ranks write long stretches of their own, so that collective buffering
// would gain nothing, and offsets and sizes are 64 bits wide throughout.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/output_file.hpp"
#include "partition/comm.hpp"

namespace rowhalo {

class ParallelOutput {
 public:
  /// Collective. Makes the temporary file. Throws AgreedError (run time).
  ParallelOutput(const std::string& path, const Comm& comm);

  /// Local, for any thread: throws InputError (run time); called inside agree().
  void write(std::int64_t offset, std::string_view bytes) const;
  /// Collective. Writes the parts of all ranks, in their order, from `offset` on, and returns where
  /// they end. Throws AgreedError (run time).
  std::int64_t append(std::int64_t offset, const std::vector<std::string>& parts,
                      Progress& progress) const;
  /// Collective, when all has been written: the file takes its name. Throws AgreedError (run time).
  void finish();

 private:
  std::string path_;
  Comm comm_;
  std::optional<TemporaryFile> temporary_;  ///< rank 0
  FileDescriptor file_;
};

}  // namespace rowhalo

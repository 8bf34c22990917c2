// SPDX-License-Identifier: BSD-3-Clause
//
// One HDF5 file in the hands of all ranks. With a parallel HDF5 it is open on all of them at once
// through MPI-IO; with a serial one, ranks take turns, and a note on stderr says so.
// Transfers are independent: each rank moves one long stretch of its own, so that two-phase
// collective buffering has nothing to merge (4 ranks of one host read three times slower with it),
// and what fails, fails on one rank without leaving the others in a collective call.
#pragma once

#include <functional>
#include <string>

#include "io/hdf5/handles.hpp"
#include "partition/base/progress.hpp"
#include "partition/comm.hpp"

namespace rowhalo {

/// Local. Opens a file for reading, by this rank alone. Throws InputError: missing, no HDF5 file,
/// truncated... `place` is the file as the user named it.
Hdf5File open_hdf5(const std::string& path, const std::string& place);

enum class Hdf5Access { read, write };

/// Collective. Runs `work` on every rank with the existing file `path` open. `work` does not
/// communicate and may throw InputError, which becomes AgreedError.
void with_shared_hdf5(const std::string& path, const std::string& place, Hdf5Access access,
                      const Comm& comm, Progress& progress,
                      const std::function<void(hid_t file)>& work);

/// Collective. Writes target `name`, `bytes` of data, under a temporary name that is renamed: rank
/// 0 begins the file as target.hpp says and adds what `add` makes in it, then `fill` runs on every
/// rank as `work` does above. Throws AgreedError (run time).
void write_shared_hdf5(const std::string& name, std::int64_t bytes, const Comm& comm,
                       Progress& progress, const std::function<void(hid_t file)>& add,
                       const std::function<void(hid_t file)>& fill);

}  // namespace rowhalo

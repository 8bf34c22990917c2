// SPDX-License-Identifier: BSD-3-Clause
//
// The table of matrix sources: files and generators. A source gives every rank its even share of
// rows (even_split in whole blocks), read or made in parallel.
// Adding a source is one new file and one line in sources.cpp.
#pragma once

#include <span>
#include <string>

#include "partition/base/progress.hpp"
#include "partition/base/spec.hpp"
#include "partition/comm.hpp"
#include "partition/distributed_csr.hpp"

namespace rowhalo {

struct SourceEntry {
  const char* name;      ///< generator name, or suffix with its dot (".mtx", ".mtx.gz")
  const char* usage;     ///< as in messages and --help: "stencil27:N | stencil27:nx=,ny=,nz="
  const char* summary;   ///< one line
  const char* unusable;  ///< null, or why this build cannot read it and the remedy
  /// Collective. Throws AgreedError on bad input. For a file `spec.text()` is the path.
  DistributedCsr (*load)(const Spec& spec, const Comm& comm, Progress& progress);
};

std::span<const SourceEntry> sources();

/// Collective. The matrix that `--matrix text` names: a path by its suffix, else a generator.
/// `block` overrides the source's block size when >= 1 (0: what the source says). Every rank gets
/// its even share of rows. Throws AgreedError: unknown generator (lists the valid ones), missing
/// file...
DistributedCsr load_matrix(const std::string& text, int block, const Comm& comm,
                           Progress& progress);

}  // namespace rowhalo

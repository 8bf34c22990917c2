// SPDX-License-Identifier: BSD-3-Clause
//
// The table of matrix sources: files and generators. A source gives every rank its even share of
// rows (even_split in whole blocks), read or made in parallel.
// Adding a source is one new file and one line in sources.cpp.
#pragma once

#include <span>
#include <string>

#include "io/file_kind.hpp"
#include "partition/base/progress.hpp"
#include "partition/base/spec.hpp"
#include "partition/comm.hpp"
#include "partition/matrix/distributed_csr.hpp"

namespace rowhalo {

/// What is known of a matrix without its entries: of a file the header, of a generator what its
/// options say.
struct MatrixOutline {
  MatrixInfo info;
  std::int64_t nonzeros = 0;
  bool exact = true;  ///< nonzeros are known, not expected
};

struct SourceFunctions {
  /// Collective. Throws AgreedError on bad input. For a file `spec.text()` is the path.
  DistributedCsr (*load)(const Spec& spec, const Comm& comm, Progress& progress);
  /// Collective. Reads no entries and makes none, so that it may be larger than the memory.
  MatrixOutline (*outline)(const Spec& spec, const Comm& comm);
  /// Collective; null for generators. Writes the matrix, whose rows stand in even shares, to `path`
  /// under a temporary name that is renamed at the end. Throws AgreedError (run time).
  void (*save)(const std::string& path, const DistributedCsr& matrix, const Comm& comm,
               Progress& progress) = nullptr;
};

struct SourceEntry {
  const char* name;     ///< generator name, or suffix with its dot (".mtx", ".mtx.gz")
  const char* usage;    ///< as in messages and --help: "stencil27:N | stencil27:nx=,ny=,nz="
  const char* summary;  ///< one line
  const SourceFunctions* functions;
  FileKind kind = FileKind::none;  ///< of the file; none: a generator
  const char* unusable = nullptr;  ///< null, or why this build cannot read it and the remedy
};

std::span<const SourceEntry> sources();
/// The entry for a kind of file, or null.
const SourceEntry* source_of_kind(FileKind kind);

/// Whether --matrix with `text` means a file: it has a slash or one of the suffixes, or it is no
/// generator and there is such a file.
bool names_matrix_file(const std::string& text);

/// Collective. The matrix that `text` of `option` names: of a file, whose content says what it is,
/// else of a generator.
/// `block` overrides the source's block size when >= 1 (0: what the source says). Every rank gets
/// its even share of rows. Throws AgreedError: unknown generator (lists the valid ones), missing
/// file...
DistributedCsr load_matrix(const std::string& text, int block, const Comm& comm, Progress& progress,
                           const std::string& option = "--matrix");

/// Collective. The same without the entries; `block` as above. Throws as load_matrix does, but for
/// faults that only the entries show.
MatrixOutline outline_matrix(const std::string& text, int block, const Comm& comm,
                             const std::string& option = "--matrix");

/// Collective. Writes `matrix` to the file `path`, whose kind is known by its suffix.
void save_matrix(const std::string& path, const DistributedCsr& matrix, const Comm& comm,
                 Progress& progress);

/// Collective, before the work starts: throws AgreedError (usage) when `path` could not be written
/// by save_matrix (unknown suffix, directory missing or not writable). `option` is for the message.
void check_matrix_target(const std::string& path, const std::string& option, const Comm& comm);

}  // namespace rowhalo

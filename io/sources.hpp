// SPDX-License-Identifier: BSD-3-Clause
//
// The table of sources: files of matrices and vectors (vector_file.hpp), and generators of
// matrices. A source gives every rank its even share of rows (even_split in whole blocks), read or
// made in parallel.
// Adding a source is one new file and one line in sources.cpp.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

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

/// Dense vectors in files of a kind that has a form of its own for them.
struct VectorFunctions {
  /// Collective. As read_vector (vector_file.hpp); nothing where the file holds a matrix instead.
  /// Null: the vector is read as the matrix that it is.
  std::optional<std::vector<double>> (*read)(const std::string& name, GlobalIndex size,
                                             const Comm& comm, Progress& progress);
  /// Collective. As write_vector.
  void (*write)(const std::string& name, const std::vector<double>& share, Precision precision,
                const Comm& comm, Progress& progress);
};

/// What a file is read or written as.
enum class FileUse { matrix, vector };

struct SourceEntry {
  const char* name;     ///< generator name, or suffix with its dot (".mtx", ".mtx.gz")
  const char* usage;    ///< as in messages and --help: "stencil27:N | stencil27:nx=,ny=,nz="
  const char* summary;  ///< one line
  const SourceFunctions* functions;
  FileKind kind = FileKind::none;            ///< of the file; none: a generator
  const char* vector_usage = nullptr;        ///< of a file as a vector
  const VectorFunctions* vectors = nullptr;  ///< null: as matrices, and not written
  const char* unusable = nullptr;  ///< null, or why this build cannot use it and the remedy

  bool is_file() const { return kind != FileKind::none; }
  const char* usage_of(FileUse use) const { return use == FileUse::matrix ? usage : vector_usage; }
  bool writes(FileUse use) const {
    return use == FileUse::matrix ? functions->save != nullptr : vectors != nullptr;
  }
};

std::span<const SourceEntry> sources();
/// The entry for a kind of file, or null.
const SourceEntry* source_of_kind(FileKind kind);

/// Local. The entry for the existing file `path`, by its content, else by its name. Throws
/// InputError beginning with `what`: no kind that is read.
const SourceEntry& source_of_file(const std::string& path, const std::string& what, FileUse use);
/// Local. The entry that writes `name` of `option`, by its suffix; throws InputError listing the
/// kinds of files that can be written.
const SourceEntry& source_to_write(const std::string& name, const std::string& option, FileUse use);

/// Whether `text` has the suffix of a file, or there is such a file.
bool names_file(const std::string& text);
/// Whether --matrix with `text` means a file: it has a slash, or it names no generator but a file.
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

/// Collective, before the work starts: throws AgreedError (usage) when `name` of `option` could not
/// be written by save_matrix or write_vector (unknown suffix, directory missing or not writable).
void check_target(const std::string& name, const std::string& option, FileUse use,
                  const Comm& comm);

}  // namespace rowhalo

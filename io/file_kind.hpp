// SPDX-License-Identifier: BSD-3-Clause
//
// What kind of file a name stands for: what its first bytes say, and only where they say nothing,
// what its suffix says. Kinds that users have and that are not read are known, too, so that a
// message can say how to convert them. And how users name a file and what of it they mean:
//   FILE   FILE.h5:/OBJECT (group or dataset)   FILE.tar.gz:MEMBER   and behind each :column=K
// A name that is a file as it stands is that file, whatever colons it has.
// Local; nothing here knows of MPI.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rowhalo {

enum class FileKind {
  none,
  matrix_market,
  matrix_market_gz,
  hdf5,  ///< also .h5ad of AnnData, .mat of MATLAB 7.3
  petsc,
  npz,  ///< of scipy.sparse.save_npz
  tar,  ///< of Matrix Market files, compressed by gzip or not
};

/// What the first bytes of a file say.
struct FileContent {
  FileKind kind = FileKind::none;
  const char* refusal = nullptr;  ///< of a kind that is not read: what it is, and the remedy
};

/// Local. Throws InputError, beginning with `path`, where it cannot be read.
FileContent content_of(const std::string& path);

/// The kind that `file` is by its name, in any case of letters.
FileKind kind_by_suffix(std::string_view file);

/// Whether files of this name are written: not those that have an HDF5 layout of their own (.mat,
/// .h5ad).
bool has_writable_suffix(std::string_view file);

/// Local. The kind of the existing file `path` by its content, else by its suffix; none where
/// neither tells. Throws InputError, beginning with `what`, for a kind that is not read.
FileKind kind_of_file(const std::string& path, const std::string& what);

/// Whether `block`, 512 bytes, is the header of a member of a tar archive: its checksum is right.
bool is_tar_header(std::string_view block);

/// What `packed`, deflated data or their start, unpacks to: the first `bytes`, fewer where it ends
/// or is damaged. `window_bits` as zlib has them.
std::string inflated_start(std::string_view packed, std::int64_t bytes, int window_bits);

struct FileLocation {
  std::string file;         ///< its path
  std::string object;       ///< in an HDF5 file, with its first slash; empty where none is named
  std::string member;       ///< of an archive; empty where none is named
  std::int64_t column = 0;  ///< of an array, from 1; 0: none is named, -1: it is no such number
};

FileLocation file_location(const std::string& name);

/// Whether there is a regular file of this name; false, too, where that cannot be told.
bool is_existing_file(const std::string& path);

}  // namespace rowhalo

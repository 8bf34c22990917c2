// SPDX-License-Identifier: BSD-3-Clause
//
// Files that appear whole or not at all: written under a temporary name in the same folder, then
// renamed. Local; nothing here knows of MPI.
// The temporary file under which an output is written until it is complete. It lies in the folder
// of the target and is named
//   TARGET.part-HOST-BOOT-SPACE-PID-START-RANDOM
// TARGET: the target's name (its first 100 bytes); HOST, BOOT: host name and start of the system
// (boot_id); SPACE: number space of process ids (containers have their own); PID, START: the
// process and its start time. It is made with O_EXCL and O_NOFOLLOW, so that no file that exists
// and no symbolic link is written to. After a run was killed its temporary file remains; the next
// run that completes the same target removes it if HOST, BOOT and SPACE are its own and the process
// no longer exists. All others are left alone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/input_file.hpp"

namespace rowhalo {

// What can be known before anything is written.

/// Throws InputError (usage), beginning with `option`, when no regular file could be made at
/// `path`: directory missing or not writable, or something else of that name.
void check_output_path(const std::string& path, const std::string& option);

/// Files that are named on a command line.
enum class FileRole { input, output, stream };

struct NamedFile {
  std::string option;  ///< as the user knows it: "--json"
  std::string text;    ///< what the user wrote: "m.h5:/group"
  std::string path;    ///< of the file: "m.h5"
  FileRole role;       ///< stream: stdout and what else is open already; streams may share a file
};

/// Local. Throws InputError (usage) naming both options when an output is also an input, a stream
/// or another output. Files are the same when device and inode are, whatever their names (links,
/// "./"); files that do not exist yet, when folder and name are. Character devices (terminals,
/// /dev/null) may be named several times.
void check_aliases(const std::vector<NamedFile>& files);

// The following throw InputError (run time), too; `path` is for messages.

/// Throws the InputError "PATH: WHAT: reason; remedy", with the reason from errno.
[[noreturn]] void fail_to_write(const std::string& path, const char* what);
/// Opens the existing file `name`, which is no symbolic link.
FileDescriptor open_for_writing(const std::string& name, const std::string& path);
/// Writes from byte `offset` on; for any thread.
void write_at(const FileDescriptor& file, std::int64_t offset, std::string_view bytes,
              const std::string& path);
/// Writes to a stream: a pipe, a terminal, a device; waits where it is not ready.
void write_stream(int descriptor, std::string_view bytes, const std::string& path);
/// Some file systems say only now that writing failed.
void close_written(FileDescriptor&& file, const std::string& path);
/// Writes a file in one go, under a temporary name that is renamed.
void write_whole(const std::string& path, std::string_view bytes);

/// Where `path` leads when symbolic links at its end are followed; also if nothing is there.
std::string followed(const std::string& path);

/// Removed by the destructor unless it was renamed, and where the job ends by an error that nothing
/// catches (unfinished_files.hpp). A target that is a symbolic link stays one: the
/// file that it leads to is replaced. The permissions of an existing target are kept.
/// All functions throw InputError (run time) naming the target and the reason.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& path);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::string& name() const { return name_; }
  /// Replaces what is in the file by `bytes`.
  void write(std::string_view bytes) const;
  /// Makes the file at least `bytes` long, with its space on the disk as far as the file system can
  /// promise that.
  void reserve(std::int64_t bytes) const;
  void rename_to_path();

 private:
  std::string path_, target_, name_;
  unsigned mode_ = 0;  ///< permissions of the existing target; 0: there is none
  bool exists_ = false;
};

}  // namespace rowhalo

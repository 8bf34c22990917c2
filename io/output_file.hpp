// SPDX-License-Identifier: BSD-3-Clause
//
// Files that appear whole or not at all: written under a temporary name in the same folder, then
// renamed (temporary_file.hpp). Local; nothing here knows of MPI.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "io/file_descriptor.hpp"

namespace rowhalo {

/// Throws InputError (usage), beginning with `option`, when no regular file could be made at
/// `path`: directory missing or not writable, or something else of that name.
void check_output_path(const std::string& path, const std::string& option);

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

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// Members of a tar archive, compressed by gzip or not, as the SuiteSparse collection has them:
// NAME/NAME.mtx, and for some matrices NAME/NAME_b.mtx, NAME/NAME_x.mtx beside it. Read as a
// stream. Formats: ustar and pax (POSIX.1-2001), GNU's long names and large sizes. Local.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <string>

namespace rowhalo {

/// Leaves `archive`, which stands at its start, at the first byte of a member and gives its size:
/// of that which is called `member`, with its folder or without; if that is empty, of the matrix:
/// FOLDER/FOLDER.mtx, else the only .mtx. Throws InputError, beginning with `path`, that lists what
/// there is.
std::int64_t find_tar_member(gzFile archive, const std::string& path, const std::string& member);

}  // namespace rowhalo

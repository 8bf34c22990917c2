// SPDX-License-Identifier: BSD-3-Clause
//
// Sparse matrices as scipy.sparse.save_npz writes them: a zip archive of NumPy's arrays, in the
// formats csr, csc and coo. What is stored plain every rank reads for itself; what is deflated, as
// save_npz does unless told otherwise, rank 0 reads in pieces that all ranks inflate, since it
// cannot be entered in the middle: each keeps its own numbers.
#pragma once

#include <string>

#include "io/file_outline.hpp"
#include "io/npz/npy.hpp"
#include "io/npz/zip.hpp"
#include "io/sources.hpp"

namespace rowhalo {

enum class NpzFormat { csr, csc, coo };

/// One array of one dimension in the archive; plain bytes, for MPI.
struct NpzArray {
  ZipData data;
  NpyItem item;
  std::int64_t header_bytes = 0;  ///< before the first item
  std::int64_t count = 0;         ///< items
};

struct NpzOutline : FileOutline {
  NpzFormat format = NpzFormat::csr;
  NpzArray first, second, values;  ///< indptr and indices, or row and col; data
};

/// Local. Throws InputError that says what is missing, what is there instead, and the remedy.
NpzOutline examine_npz(const std::string& path);

}  // namespace rowhalo

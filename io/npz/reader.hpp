// SPDX-License-Identifier: BSD-3-Clause
//
// Sparse matrices as scipy.sparse.save_npz writes them: a zip archive of NumPy's arrays, in the
// formats csr, csc and coo. What is stored plain every rank reads for itself; what is deflated, as
// save_npz does unless told otherwise, rank 0 inflates and hands out in pieces, in the order of the
// file, since it cannot be entered in the middle.
#pragma once

#include <string>

#include "io/sources.hpp"

namespace rowhalo {

enum class NpzFormat { csr, csc, coo };

/// One array of one dimension in the archive; plain bytes, for MPI.
struct NpzArray {
  std::int64_t offset = 0, packed = 0;  ///< of the member in the file
  std::int64_t header_bytes = 0;        ///< before the first item
  std::int64_t count = 0;               ///< items
  std::uint32_t crc = 0;
  bool deflated = false, big_endian = false;
  char kind = 'f';
  int item_bytes = 8;
};

struct NpzOutline {
  NpzFormat format = NpzFormat::csr;
  GlobalIndex rows = 0, columns = 0;
  std::int64_t nonzeros = 0;
  NpzArray first, second, values;  ///< indptr and indices, or row and col; data
};

/// Local. Throws InputError that says what is missing, what is there instead, and the remedy.
NpzOutline examine_npz(const std::string& path);

}  // namespace rowhalo

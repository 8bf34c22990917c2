// SPDX-License-Identifier: BSD-3-Clause
//
// Matrices in HDF5 files, as h5py users store scipy's csr_matrix: a group (the root by default)
// with the datasets `indptr`, `indices` and `data`. Every rank reads and writes its own rows.
//
// Attributes of the group, each of them optional but for the number of columns:
//   rows, columns, nonzeros   integers; instead of the first two also `shape` = [rows, columns]
//                             (anndata; h5sparse_shape), as an attribute or a dataset
//   format                    "csr" (also encoding-type "csr_matrix", h5sparse_format "csr")
//   block                     rows and columns that belong together
//   field                     "real", "integer" or "pattern"
//   symmetry                  "general", "symmetric" or "skew-symmetric": what is known of the
//                             matrix; all entries are stored in any case
#pragma once

#include <string>

#include "io/sources.hpp"
#include "partition/base/progress.hpp"
#include "partition/comm.hpp"
#include "partition/matrix/distributed_csr.hpp"

namespace rowhalo {

/// Collective. The header of the matrix `name`: FILE.h5[:/group]. Throws AgreedError.
MatrixOutline outline_hdf5_matrix(const std::string& name, const Comm& comm);

/// Collective. The matrix in even shares of whole blocks. Columns may stand in any order, and
/// duplicates are summed. Throws AgreedError naming dataset and row.
DistributedCsr read_hdf5_matrix(const std::string& name, const Comm& comm, Progress& progress);

/// Collective. Writes int64 `indptr`, int32 `indices` (int64 from 2^31 columns on), float64 `data`
/// and all attributes above. Without a group in `name` the file is made anew; with one, everything
/// else that the file holds is kept (target.hpp).
void write_hdf5_matrix(const std::string& name, const DistributedCsr& matrix, const Comm& comm,
                       Progress& progress);

}  // namespace rowhalo

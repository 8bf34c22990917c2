// SPDX-License-Identifier: BSD-3-Clause
//
// Matrices in HDF5 files, as h5py users store scipy's csr_matrix and csc_matrix: a group (the root
// by default) with the datasets `indptr`, `indices` and `data`. Every rank reads and writes its own
// rows; of a CSC matrix it reads its own columns, whose entries then go to the ranks of their rows.
//
// Attributes of the group, each of them optional but for the number of columns (CSC: of rows):
//   rows, columns, nonzeros   integers; instead of the first two also `shape` = [rows, columns]
//                             (anndata; h5sparse_shape), as an attribute or a dataset
//   format                    "csr" or "csc" (also encoding-type "csr_matrix", h5sparse_format), in
//                             any case of letters; where it is missing the shape tells, and of a
//                             square matrix rows are assumed, which a note says
//   block                     rows and columns that belong together
//   field                     "real", "integer" or "pattern"
//   symmetry                  "general", "symmetric" or "skew-symmetric": what is known of the
//                             matrix; all entries are stored in any case
// A group with `barcodes` and `features` or `genes` is of 10x Genomics: columns. One with `jc`,
// `ir`, `data` and the attribute MATLAB_sparse (rows) is MATLAB's of version 7.3: columns.
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

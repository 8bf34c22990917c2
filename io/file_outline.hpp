// SPDX-License-Identifier: BSD-3-Clause
//
// What the header of a file says of its matrix, whatever the kind of file: plain bytes, which rank
// 0 finds and sends to all.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "partition/matrix/distributed_csr.hpp"

namespace rowhalo {

// The words of Matrix Market files, which HDF5 files take, too.
enum class MatrixMarketField { real, integer, pattern };
enum class MatrixMarketSymmetry { general, symmetric, skew_symmetric };

std::string_view name_of(MatrixMarketField field);
std::string_view name_of(MatrixMarketSymmetry symmetry);

struct FileOutline {
  GlobalIndex rows = 0, columns = 0;
  std::int64_t nonzeros = 0;
  int block = 1;
  MatrixMarketField field = MatrixMarketField::real;
  MatrixMarketSymmetry symmetry = MatrixMarketSymmetry::general;
};

/// Of the file that the user named `name`.
MatrixInfo info_of(const FileOutline& outline, const std::string& name);

}  // namespace rowhalo

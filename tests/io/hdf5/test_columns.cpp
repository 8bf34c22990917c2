// SPDX-License-Identifier: BSD-3-Clause
//
// Matrices in compressed columns (CSC), as scipy, AnnData and others store them in HDF5.
#include "io/hdf5/matrix.hpp"
#include "tests/io/hdf5_recipe.hpp"

using namespace rowhalo;

TEST_CASE("Columns (CSC) of other programs become rows") {
  const SharedDirectory directory;
  // The recipe's arrays are those of the columns of the transpose.
  const std::vector<ExactEntry> entries{exact(0, 0, 1), exact(1, 2, 3), exact(2, 0, 2),
                                        exact(3, 2, -4)};
  Hdf5Recipe recipe;
  recipe.shape = {4, 3};
  for (const char* word : {"csc", "CSC", "csc_matrix", "Csc_Array"}) {
    recipe.words = {{"format", word}};
    const DistributedCsr matrix = read_hdf5(make_hdf5(directory, "s.h5", recipe));
    REQUIRE_ALL_RANKS(gathered(matrix) == entries);
    REQUIRE_ALL_RANKS(evenly_dealt(matrix) && matrix.info.rows == 4 && matrix.info.columns == 3);
  }
  recipe.words.clear();  // the shape tells
  REQUIRE_ALL_RANKS(gathered(read_hdf5(make_hdf5(directory, "s.h5", recipe))) == entries);
  recipe.indptr_type = recipe.indices_type = H5T_NATIVE_DOUBLE;  // whole numbers all the same
  REQUIRE_ALL_RANKS(gathered(read_hdf5(make_hdf5(directory, "s.h5", recipe))) == entries);
  recipe.shape = {4, 4};
  recipe.indptr = {0, 2, 2, 4, 4};
  recipe.words = {{"h5sparse_format", "csc"}};
  recipe.numbers = {{"block", 2}};
  const DistributedCsr blocks = read_hdf5(make_hdf5(directory, "s.h5", recipe));
  REQUIRE_ALL_RANKS(gathered(blocks) == entries);
  REQUIRE_ALL_RANKS(blocks.info.block == 2 && evenly_dealt(blocks));
}

// SPDX-License-Identifier: BSD-3-Clause
//
// The matrix as a source hands it over and as it travels: every rank holds some contiguous block of
// global rows with global column numbers. No rank ever holds the whole matrix.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "partition/base/types.hpp"
#include "partition/comm.hpp"

namespace rowhalo {

/// Regular grid whose points are the block rows of the matrix; point (x, y, z) has number
/// x + extent[0] * (y + extent[1] * z).
struct Grid {
  std::array<GlobalIndex, 3> extent{1, 1, 1};
  bool corners =
      false;  ///< a point is coupled across edges and corners, too, not only across faces
};

/// What is known of a matrix before its entries.
struct MatrixInfo {
  std::string source;  ///< as the user named it
  GlobalIndex rows = 0;
  GlobalIndex columns = 0;
  std::string field = "real";  ///< real | integer | pattern
  std::string symmetry =
      "general";  ///< general | symmetric | skew-symmetric, as stored in the source
  int block = 1;  ///< rows (and columns) that belong together
  std::optional<Grid> grid;
};

/// Rows on one rank, with global column numbers.
struct CsrRows {
  std::vector<Offset> offsets{0};  ///< local_rows() + 1
  std::vector<GlobalIndex> columns;
  std::vector<double> values;

  GlobalIndex local_rows() const { return static_cast<GlobalIndex>(offsets.size()) - 1; }
  Offset local_nonzeros() const { return offsets.back(); }
  /// Leaves none.
  CsrRows take_rows() { return std::exchange(*this, {}); }
};

/// Rows [first_row, first_row + local_rows()) of the matrix. Columns ascend within a row, without
/// duplicates. Blocks of ranks ascend without gaps; a block may be empty.
struct DistributedCsr : CsrRows {
  MatrixInfo info;
  GlobalIndex first_row = 0;
};

/// First of the `items` that part `part` of `parts` gets when they are distributed evenly in whole
/// blocks of `block`; part == parts gives `items`.
constexpr GlobalIndex even_split(GlobalIndex items, int block, int parts, int part) {
  const GlobalIndex blocks = (items + block - 1) / block;
  const GlobalIndex first =
      (blocks / parts) * part + (blocks % parts < part ? blocks % parts : part);
  return first * block < items ? first * block : items;
}

/// The part that owns `item` under even_split.
constexpr int even_split_owner(GlobalIndex items, int block, int parts, GlobalIndex item) {
  const GlobalIndex blocks = (items + block - 1) / block;
  const GlobalIndex small = blocks / parts, larger = blocks % parts, b = item / block;
  return static_cast<int>(b < larger * (small + 1) ? b / (small + 1)
                                                   : larger + (b - larger * (small + 1)) / small);
}

/// even_split_owner for items that mostly follow each other: divides only when the owner changes.
class EvenOwner {
 public:
  EvenOwner(GlobalIndex items, int parts, int block = 1)
      : items_(items), parts_(parts), block_(block), last_(even_split(items, block, parts, 1)) {}

  int operator()(GlobalIndex item) {
    if (item < first_ || item >= last_) {
      owner_ = even_split_owner(items_, block_, parts_, item);
      first_ = even_split(items_, block_, parts_, owner_);
      last_ = even_split(items_, block_, parts_, owner_ + 1);
    }
    return owner_;
  }
  /// First item of the owner that was last told.
  GlobalIndex first() const { return first_; }

 private:
  GlobalIndex items_;
  int parts_, block_, owner_ = 0;
  GlobalIndex first_ = 0, last_;
};

/// Rank (or part) r owns [starts[r], starts[r + 1]) of some global numbers.
struct OwnedRanges {
  std::vector<GlobalIndex> starts;

  GlobalIndex count(int rank) const { return starts[rank + 1] - starts[rank]; }
  int owner(GlobalIndex number) const;
};
OwnedRanges even_ranges(GlobalIndex items, int block, int parts);
/// Collective. When each rank owns `count`.
OwnedRanges ranges_of_counts(const Comm& comm, std::int64_t count);

/// An entry on its way to the owner of its row (entry_chunks.hpp).
struct Entry {
  GlobalIndex row;
  GlobalIndex column;
  double value;
};

/// Local; the same on every rank. Throws AgreedError "OPTION: ... only a square matrix can be DONE;
/// leave ... out" when it is not.
void require_square(const MatrixInfo& info, const char* option, const char* done);

/// Collective. Sum mod 2^64 over all entries of hash_of_entry(i, j, a_ij).
std::uint64_t fingerprint(const Comm& comm, const DistributedCsr& matrix);
/// Collective. The fingerprint that the transpose has.
std::uint64_t transposed_fingerprint(const Comm& comm, const DistributedCsr& matrix);
/// Collective. The same of the places of the entries alone.
std::uint64_t pattern_fingerprint(const Comm& comm, const DistributedCsr& matrix);

}  // namespace rowhalo

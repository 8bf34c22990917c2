// SPDX-License-Identifier: BSD-3-Clause
//
// The layout of PETSc's binary files (MatView and VecView on a binary viewer) as pure functions of
// bytes. All numbers are big-endian:
//   matrix  class id 1211216, rows, columns, nonzeros; row lengths; columns; values (float64)
//   dense   the same header with nonzeros -1; then all values, row by row
//   vector  class id 1211214, entries; values
// Integers have 32 bits, or 64 in all places (the header too) when PETSc was built with 64-bit
// indices; the first eight bytes tell. Source: PETSc manual, MatLoad() and VecLoad().
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "io/file_outline.hpp"

namespace rowhalo {

enum class PetscObject : std::int32_t { matrix = 1211216, vector = 1211214 };

/// The header of one object and where its parts stand.
struct PetscHeader : FileOutline {
  PetscObject object = PetscObject::matrix;
  int index_bytes = 4;
  bool dense = false;  ///< `nonzeros`: rows * columns; of a vector: its entries

  std::int64_t header_bytes() const {
    return index_bytes * (object == PetscObject::matrix ? 4 : 2);
  }
  bool compressed() const { return object == PetscObject::matrix && !dense; }
  std::int64_t length_at(GlobalIndex row) const { return header_bytes() + row * index_bytes; }
  std::int64_t column_at(std::int64_t entry) const { return length_at(rows) + entry * index_bytes; }
  std::int64_t value_at(std::int64_t entry) const {
    return (compressed() ? column_at(nonzeros) : header_bytes()) + entry * 8;
  }
};

/// Longest header.
inline constexpr std::int64_t petsc_header_bytes = 32;

/// Whether the class id at the start of a file, in either width, is that of a matrix.
bool begins_with_petsc_matrix(std::string_view start);
/// Whether it is that of any object of PETSc, also in the byte order that PETSc does not
/// write.
bool begins_like_petsc(std::string_view start);

/// The header at the start of a file of `file_bytes`; `start` are its first petsc_header_bytes, or
/// all there are. Throws InputError with `path` and byte: another object than `wanted`, numbers
/// that make no sense, a file shorter than the header says, values that are not real and double.
/// Further objects may follow, as PETSc allows.
PetscHeader parse_petsc_header(std::string_view start, std::int64_t file_bytes, PetscObject wanted,
                               const std::string& path);
/// Local, after parse_petsc_header: throws InputError when what follows the object in the file,
/// whose first bytes are `behind`, is no other object; the values are complex then, or single.
void check_petsc_end(const PetscHeader& header, std::string_view behind, std::int64_t file_bytes,
                     const std::string& path);

/// The header that is written: 32-bit where sizes and nonzeros fit, since every PETSc reads it.
/// Of a vector `rows` and `nonzeros` are its entries, and `columns` is 1.
PetscHeader petsc_header(PetscObject object, GlobalIndex rows, GlobalIndex columns,
                         std::int64_t nonzeros);
std::string petsc_header_text(const PetscHeader& header);

/// Block size that the text of FILE.info names (-matload_block_size b, with any prefix), else 1.
/// Throws InputError with `path` and line.
int petsc_block_size(std::string_view info, const std::string& path);

constexpr std::uint32_t big_endian(std::uint32_t number) {
  return std::endian::native == std::endian::big ? number : __builtin_bswap32(number);
}
constexpr std::uint64_t big_endian(std::uint64_t number) {
  return std::endian::native == std::endian::big ? number : __builtin_bswap64(number);
}

}  // namespace rowhalo

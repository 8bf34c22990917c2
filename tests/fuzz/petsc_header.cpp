// SPDX-License-Identifier: BSD-3-Clause
//
// Headers of PETSc's binary files and their .info. Input: a byte for what is wanted, eight for the
// size of the file, 32 of the header, eight behind the object, then the text of .info. A header
// that is accepted lies in the file with all its parts.
#include "io/petsc/format.hpp"
#include "partition/base/errors.hpp"
#include "tests/fuzz/target.hpp"

using namespace rowhalo;

namespace {

void check_header(std::string_view start, std::string_view behind, std::int64_t file_bytes,
                  PetscObject wanted) {
  const PetscHeader header = parse_petsc_header(start, file_bytes, wanted, "f");
  require(header.rows >= 0 && header.columns >= 0 && header.nonzeros >= 0, "no negative sizes");
  require(header.value_at(header.nonzeros) <= file_bytes, "the values are in the file");
  if (header.compressed()) {
    require(header.column_at(0) >= header.length_at(0), "columns behind lengths");
    require(header.value_at(0) >= header.column_at(0), "values behind columns");
  }
  check_petsc_end(header, behind, file_bytes, "f");
}

}  // namespace

void run_input(std::string_view input) {
  Draw draw(input);
  const unsigned kind = draw.byte();
  const PetscObject wanted = kind % 2 == 0 ? PetscObject::matrix : PetscObject::vector;
  std::int64_t file_bytes = draw.word();
  if (kind / 2 % 2 == 0) file_bytes &= 0xffff;
  file_bytes &= INT64_MAX;
  const std::string_view start =
      draw.take(static_cast<std::size_t>(std::min<std::int64_t>(petsc_header_bytes, file_bytes)));
  const std::string_view behind = draw.take(8);
  try {
    check_header(start, behind, file_bytes, wanted);
  } catch (const InputError&) {
  }
  try {
    require(petsc_block_size(draw.rest(), "f.info") >= 1, "blocks have a size");
  } catch (const InputError&) {
  }
}

// SPDX-License-Identifier: BSD-3-Clause
//
// Headers of PETSc's binary files (format.hpp).
#include "io/petsc/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "io/input_file.hpp"
#include "io/matrix_market/parser.hpp"
#include "partition/base/errors.hpp"

namespace rowhalo {

namespace {

constexpr std::int64_t largest_int32 = std::numeric_limits<std::int32_t>::max();

/// Class ids of PETSc's objects lie close together.
bool is_class_id(std::int64_t id) {
  return id > 1211200 && id < 1211300;
}

[[noreturn]] void fail_at(const std::string& path, std::int64_t byte, const std::string& what) {
  throw InputError(fmt::format("{}: byte {}: {}", path, byte, what), byte);
}

std::int64_t integer_at(std::string_view bytes, std::size_t offset, int index_bytes) {
  const std::uint64_t number = number_in(bytes.substr(offset, index_bytes), std::endian::big);
  return index_bytes == 4 ? static_cast<std::int32_t>(number) : static_cast<std::int64_t>(number);
}

void append_integer(std::string& bytes, int index_bytes, std::int64_t number) {
  for (int shift = 8 * (index_bytes - 1); shift >= 0; shift -= 8) {
    bytes += static_cast<char>(number >> shift & 0xff);
  }
}

const char* name_of(PetscObject object) {
  return object == PetscObject::matrix ? "matrix" : "vector";
}

/// Bytes of the whole object when its values take `value_bytes`; it may not fit into 64 bits.
__int128 object_bytes(const PetscHeader& header, int value_bytes) {
  const __int128 nonzeros = header.nonzeros;
  __int128 bytes = header.header_bytes() + nonzeros * value_bytes;
  if (header.compressed()) bytes += (nonzeros + header.rows) * header.index_bytes;
  return bytes;
}

std::string promised(const PetscHeader& header) {
  if (header.object == PetscObject::vector) return fmt::format("{} entries", header.nonzeros);
  return fmt::format("{} rows and {} {}", header.rows,
                     header.dense ? header.columns : header.nonzeros,
                     header.dense ? "dense columns" : "nonzeros");
}

/// Class id of a file in the byte order that PETSc does not write.
bool is_little_endian(std::string_view start) {
  return is_class_id(static_cast<std::int64_t>(number_in(start.substr(0, 4), std::endian::little)));
}

/// 4 or 8; the class id is the first integer of either kind.
int index_bytes_of(std::string_view start, PetscObject wanted, const std::string& path) {
  if (start.empty()) throw InputError(path + ": the file is empty; copy or make it again", 0);
  const auto too_short = [&](std::size_t wanted_bytes) {
    if (start.size() >= wanted_bytes) return;
    fail_at(path, static_cast<std::int64_t>(start.size()),
            fmt::format("the file ends within its header, {} bytes are missing; copy it again",
                        wanted_bytes - start.size()));
  };
  too_short(4);
  if (is_little_endian(start)) {
    fail_at(path, 0,
            "the numbers are little-endian, but PETSc's binary files are big-endian; write it by "
            "PETSc (MatView, petsc4py), or by NumPy as '>i4' and '>f8'");
  }
  std::int64_t id = integer_at(start, 0, 4);
  int index_bytes = 4;
  if (id == 0 && start.size() >= 8) {
    id = integer_at(start, 0, 8);
    index_bytes = 8;
  }
  if (id != static_cast<std::int64_t>(wanted)) {
    const bool other = id == static_cast<std::int64_t>(PetscObject::matrix) ||
                       id == static_cast<std::int64_t>(PetscObject::vector);
    const auto found = static_cast<PetscObject>(id);
    fail_at(path, 0,
            other
                ? fmt::format("the file holds a {} (class id {}) where a {} ({}) is needed; name "
                              "another file",
                              name_of(found), id, name_of(wanted), static_cast<int>(wanted))
                : fmt::format("the class id {} is not that of a {} in PETSc's binary format ({}); "
                              "check what the file is",
                              id, name_of(wanted), static_cast<int>(wanted)));
  }
  too_short(index_bytes * (wanted == PetscObject::matrix ? 4U : 2U));
  return index_bytes;
}

}  // namespace

bool begins_with_petsc_matrix(std::string_view start) {
  const auto id = static_cast<std::int64_t>(PetscObject::matrix);
  if (start.size() >= 4 && integer_at(start, 0, 4) == id) return true;
  return start.size() >= 8 && integer_at(start, 0, 8) == id;
}

bool begins_like_petsc(std::string_view start) {
  if (start.size() < 4) return false;
  return is_class_id(integer_at(start, 0, 4)) || is_little_endian(start) ||
         (start.size() >= 8 && is_class_id(integer_at(start, 0, 8)));
}

PetscHeader parse_petsc_header(std::string_view start, std::int64_t file_bytes, PetscObject wanted,
                               const std::string& path) {
  PetscHeader header;
  header.object = wanted;
  header.index_bytes = index_bytes_of(start, wanted, path);
  const auto number = [&](int place, const char* what, std::int64_t least) {
    const std::int64_t byte = place * header.index_bytes;
    const std::int64_t value = integer_at(start, byte, header.index_bytes);
    if (value < least) fail_at(path, byte, fmt::format("the number of {} is {}", what, value));
    return value;
  };
  if (wanted == PetscObject::matrix) {
    header.rows = number(1, "rows", 0);
    header.columns = number(2, "columns", 0);
    header.nonzeros = number(3, "nonzeros", -1);
    header.dense = header.nonzeros == -1;
    const __int128 all = static_cast<__int128>(header.rows) * header.columns;
    if (header.dense && all > file_bytes) {
      fail_at(path, 0,
              fmt::format("the header promises {} x {} dense values, but the file has only "
                          "{} bytes; copy it again",
                          header.rows, header.columns, file_bytes));
    }
    if (header.dense) header.nonzeros = static_cast<std::int64_t>(all);
  } else {
    header.rows = header.nonzeros = number(1, "entries", 0);
    header.columns = 1;
  }
  const __int128 needed = object_bytes(header, 8);
  if (needed > file_bytes) {
    const auto missing = static_cast<double>(needed - file_bytes);
    const bool single = header.nonzeros > 0 && object_bytes(header, 4) == file_bytes;
    fail_at(path, file_bytes,
            single
                ? "the size says that the values are of single precision; write them with a PETSc "
                  "of double precision"
                : fmt::format("the file ends here, but its header promises {}: {:.0f} bytes are "
                              "missing; copy it again",
                              promised(header), missing));
  }
  return header;
}

void check_petsc_end(const PetscHeader& header, std::string_view behind, std::int64_t file_bytes,
                     const std::string& path) {
  const auto end = static_cast<std::int64_t>(object_bytes(header, 8));
  if (end == file_bytes) return;
  const auto index_bytes = static_cast<std::size_t>(header.index_bytes);
  if (behind.size() >= index_bytes && is_class_id(integer_at(behind, 0, header.index_bytes))) {
    return;
  }
  if (object_bytes(header, 16) <= file_bytes) {
    fail_at(
        path, header.value_at(0),
        "the size says that the values are complex (16 bytes each) and complex matrices are not "
        "supported, only real ones; write the real part");
  }
  fail_at(
      path, end,
      fmt::format("{} bytes follow that are no object of PETSc's; the file is damaged or not what "
                  "its header says ({})",
                  file_bytes - end, promised(header)));
}

PetscHeader petsc_header(PetscObject object, GlobalIndex rows, GlobalIndex columns,
                         std::int64_t nonzeros) {
  PetscHeader header;
  header.object = object;
  header.rows = rows;
  header.columns = columns;
  header.nonzeros = nonzeros;
  // Row lengths and column numbers are at most the number of columns.
  if (std::max({rows, columns, nonzeros}) > largest_int32) header.index_bytes = 8;
  return header;
}

std::string petsc_header_text(const PetscHeader& header) {
  std::string bytes;
  append_integer(bytes, header.index_bytes, static_cast<std::int64_t>(header.object));
  append_integer(bytes, header.index_bytes, header.rows);
  if (header.object == PetscObject::vector) return bytes;
  append_integer(bytes, header.index_bytes, header.columns);
  append_integer(bytes, header.index_bytes, header.nonzeros);
  return bytes;
}

int petsc_block_size(std::string_view info, const std::string& path) {
  int line = 0, block = 1;
  while (!info.empty()) {
    const std::size_t end = std::min(info.find('\n'), info.size());
    const std::vector<std::string_view> words = tokens_of(info.substr(0, end));
    info.remove_prefix(std::min(end + 1, info.size()));
    ++line;
    if (words.empty() || words[0][0] != '-' || !words[0].ends_with("matload_block_size")) continue;
    const std::string_view word = words.size() > 1 ? words[1] : "";
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), block);
    if (error != std::errc{} || stop != word.data() + word.size() || block < 1) {
      throw InputError(
          fmt::format("{}:{}: the block size '{}' is not a number of at least 1; "
                      "correct it or remove the file",
                      path, line, word));
    }
  }
  return block;
}

}  // namespace rowhalo

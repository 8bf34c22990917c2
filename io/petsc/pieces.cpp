// SPDX-License-Identifier: BSD-3-Clause
//
// Big-endian arrays in pieces (reader.hpp).
#include <algorithm>
#include <bit>
#include <optional>
#include <vector>

#include "io/petsc/reader.hpp"
#include "partition/base/errors.hpp"

namespace rowhalo {

namespace {

/// Calls work(begin, count) for the pieces of `size` numbers, from several threads. The first
/// InputError in the file is thrown when all are through.
void in_pieces(std::int64_t size, std::int64_t piece, Progress& progress, const auto& work) {
  std::optional<InputError> first;
#pragma omp parallel for schedule(dynamic, 1)
  for (std::int64_t begin = 0; begin < size; begin += piece) {
    const std::int64_t count = std::min(piece, size - begin);
    try {
      work(begin, count);
    } catch (const InputError& error) {
#pragma omp critical(rowhalo_in_pieces)
      if (!first || error.position() < first->position()) first = error;
    }
    progress.add(count);
  }
  if (first) throw *first;
}

template <class Number, class Get>
void write_numbers(const PetscWriter& to, std::int64_t offset, std::int64_t count, const Get& get) {
  in_pieces(count, to.piece, to.progress, [&](std::int64_t begin, std::int64_t size) {
    std::vector<Number> numbers(size);
    for (std::int64_t k = 0; k < size; ++k)
      numbers[k] = big_endian(static_cast<Number>(get(begin + k)));
    const auto* bytes = reinterpret_cast<const char*>(numbers.data());
    to.file.write(offset + begin * static_cast<std::int64_t>(sizeof(Number)),
                  {bytes, size * sizeof(Number)});
  });
}

void write_integers(const PetscWriter& to, std::int64_t offset, std::int64_t count,
                    const auto& get) {
  if (to.index_bytes == 4) {
    write_numbers<std::uint32_t>(to, offset, count, get);
  } else {
    write_numbers<std::uint64_t>(to, offset, count, get);
  }
}

}  // namespace

void PetscReader::integers(std::int64_t offset, std::int64_t count, std::int64_t* to) const {
  in_pieces(count, piece, progress, [&](std::int64_t begin, std::int64_t size) {
    if (index_bytes == 4) {
      std::vector<std::uint32_t> numbers(size);
      file.read(offset + begin * 4, numbers.data(), size * 4);
      std::transform(numbers.begin(), numbers.end(), to + begin, [](std::uint32_t number) {
        return static_cast<std::int32_t>(big_endian(number));
      });
    } else {
      file.read(offset + begin * 8, to + begin, size * 8);
      std::transform(to + begin, to + begin + size, to + begin, [](std::int64_t number) {
        return static_cast<std::int64_t>(big_endian(static_cast<std::uint64_t>(number)));
      });
    }
  });
}

void PetscReader::reals(std::int64_t offset, std::int64_t count, double* to) const {
  in_pieces(count, piece, progress, [&](std::int64_t begin, std::int64_t size) {
    std::vector<std::uint64_t> numbers(size);
    file.read(offset + begin * 8, numbers.data(), size * 8);
    std::transform(numbers.begin(), numbers.end(), to + begin,
                   [](std::uint64_t number) { return std::bit_cast<double>(big_endian(number)); });
  });
}

void PetscWriter::integers(std::int64_t offset, std::int64_t count,
                           const std::int64_t* from) const {
  write_integers(*this, offset, count, [from](std::int64_t k) { return from[k]; });
}

void PetscWriter::lengths(std::int64_t offset, std::int64_t count, const Offset* from) const {
  write_integers(*this, offset, count, [from](std::int64_t k) { return from[k + 1] - from[k]; });
}

void PetscWriter::reals(std::int64_t offset, std::int64_t count, const double* from) const {
  write_numbers<std::uint64_t>(*this, offset, count, [from](std::int64_t k) {
    return std::bit_cast<std::uint64_t>(from[k]);
  });
}

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// Big-endian arrays in pieces (pieces.hpp).
#include "io/petsc/pieces.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <vector>

#include "io/petsc/format.hpp"
#include "partition/base/errors.hpp"

namespace rowhalo {

namespace {

/// Calls work(begin, count) for the pieces of `size` numbers, from several threads. The first
/// InputError in the file is thrown when all are through.
template <class Work>
void in_pieces(std::int64_t size, std::int64_t piece, Progress& progress, const Work& work) {
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

}  // namespace

void PetscReader::integers(std::int64_t offset, std::int64_t count, std::int64_t* to) const {
  in_pieces(count, piece_, progress_, [&](std::int64_t begin, std::int64_t size) {
    if (index_bytes_ == 4) {
      std::vector<std::uint32_t> numbers(size);
      file_.read(offset + begin * 4, numbers.data(), size * 4);
      std::transform(numbers.begin(), numbers.end(), to + begin, [](std::uint32_t number) {
        return static_cast<std::int32_t>(big_endian(number));
      });
    } else {
      file_.read(offset + begin * 8, to + begin, size * 8);
      std::transform(to + begin, to + begin + size, to + begin, [](std::int64_t number) {
        return static_cast<std::int64_t>(big_endian(static_cast<std::uint64_t>(number)));
      });
    }
  });
}

void PetscReader::reals(std::int64_t offset, std::int64_t count, double* to) const {
  in_pieces(count, piece_, progress_, [&](std::int64_t begin, std::int64_t size) {
    std::vector<std::uint64_t> numbers(size);
    file_.read(offset + begin * 8, numbers.data(), size * 8);
    std::transform(numbers.begin(), numbers.end(), to + begin,
                   [](std::uint64_t number) { return std::bit_cast<double>(big_endian(number)); });
  });
}

template <class Number, class Get>
void PetscWriter::write(std::int64_t offset, std::int64_t count, const Get& get) const {
  in_pieces(count, piece_, progress_, [&](std::int64_t begin, std::int64_t size) {
    std::vector<Number> numbers(size);
    for (std::int64_t k = 0; k < size; ++k) numbers[k] = big_endian(get(begin + k));
    const auto* bytes = reinterpret_cast<const char*>(numbers.data());
    file_.write(offset + begin * static_cast<std::int64_t>(sizeof(Number)),
                {bytes, size * sizeof(Number)});
  });
}

template <class Get>
void PetscWriter::write_integers(std::int64_t offset, std::int64_t count, const Get& get) const {
  if (index_bytes_ == 4) {
    write<std::uint32_t>(offset, count,
                         [&](std::int64_t k) { return static_cast<std::uint32_t>(get(k)); });
  } else {
    write<std::uint64_t>(offset, count,
                         [&](std::int64_t k) { return static_cast<std::uint64_t>(get(k)); });
  }
}

void PetscWriter::integers(std::int64_t offset, std::int64_t count,
                           const std::int64_t* from) const {
  write_integers(offset, count, [from](std::int64_t k) { return from[k]; });
}

void PetscWriter::lengths(std::int64_t offset, std::int64_t count, const Offset* from) const {
  write_integers(offset, count, [from](std::int64_t k) { return from[k + 1] - from[k]; });
}

void PetscWriter::reals(std::int64_t offset, std::int64_t count, const double* from) const {
  write<std::uint64_t>(offset, count,
                       [from](std::int64_t k) { return std::bit_cast<std::uint64_t>(from[k]); });
}

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// Conversions of layouts on CPUs (layouts.hpp), in blocks of rows that stay in the first cache.
#include "miniapp/spmv/layouts.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "miniapp/halo/element_word.hpp"
#include "miniapp/halo/memory/memory.hpp"

namespace rowhalo {

namespace {

constexpr std::int64_t entries_of_block = 2048, worth_more_threads = 1 << 15;

/// Entries of one row side by side, of one vector one after the other.
template <class Word>
void rows_from_columns(std::int64_t rows, int vectors, const Word* columns, std::int64_t leading,
                       Word* in_rows) {
  for (int k = 0; k < vectors; ++k) {
    const Word* const column = columns + k * leading;
    for (std::int64_t row = 0; row < rows; ++row) in_rows[row * vectors + k] = column[row];
  }
}

template <class Word>
void columns_from_rows(std::int64_t rows, int vectors, const Word* in_rows, Word* columns,
                       std::int64_t leading) {
  for (int k = 0; k < vectors; ++k) {
    Word* const column = columns + k * leading;
    for (std::int64_t row = 0; row < rows; ++row) column[row] = in_rows[row * vectors + k];
  }
}

/// Calls copy(row, rows) for pieces of vectors in row layout that fit into `piece_bytes`.
constexpr std::size_t piece_bytes = 1 << 16;
template <class Copy>
void in_pieces(std::int64_t rows, const VectorsShape& shape, const Copy& copy) {
  const auto row_bytes = static_cast<std::int64_t>(shape.vectors * bytes_of(shape.type));
  const std::int64_t piece = static_cast<std::int64_t>(piece_bytes) / row_bytes;
  for (std::int64_t row = 0; row < rows; row += piece) copy(row, std::min(piece, rows - row));
}

/// One vector lies alike in both layouts.
bool in_columns(const VectorsShape& shape) {
  return shape.layout == Layout::column || shape.vectors == 1;
}

}  // namespace

void convert_layout(Device device, std::int64_t rows, const ConstVectorsView& from,
                    const VectorsView& to, Stream stream) {
  const VectorsShape &source = from.shape, &target = to.shape;
  const int vectors = source.vectors;
  if (source.layout == target.layout || vectors != target.vectors || source.type != target.type) {
    throw std::logic_error("a conversion of layouts was asked for between vectors that differ");
  }
  if (rows == 0) return;
  if (device == Device::gpu) return convert_layout_on_device(rows, from, to, stream);
  const std::int64_t block = std::max<std::int64_t>(1, entries_of_block / vectors);
  with_element_word(source.type, [&]<class Word>(Word) {
#pragma omp parallel for schedule(static) if (rows * vectors > worth_more_threads)
    for (std::int64_t begin = 0; begin < rows; begin += block) {
      const std::int64_t count = std::min(block, rows - begin);
      const auto* read = reinterpret_cast<const Word*>(from.at(begin, 0));
      auto* written = reinterpret_cast<Word*>(to.at(begin, 0));
      if (target.layout == Layout::row) {
        rows_from_columns(count, vectors, read, source.leading, written);
      } else {
        columns_from_rows(count, vectors, read, written, target.leading);
      }
    }
  });
}

void put_vectors(Device device, std::int64_t rows, const ConstVectorsView& host,
                 const VectorsView& to) {
  if (in_columns(to.shape)) {
    for (int k = 0; k < to.shape.vectors; ++k) {
      copy_between(device, to.at(0, k), host.at(0, k), rows * bytes_of(to.shape.type));
    }
    return;
  }
  alignas(std::uint64_t) std::array<std::byte, piece_bytes> piece{};
  in_pieces(rows, to.shape, [&](std::int64_t row, std::int64_t count) {
    convert_layout(Device::cpu, count, host.from(row), {piece.data(), to.shape});
    copy_between(device, to.at(row, 0), piece.data(), to.shape.bytes_to(count, 0));
  });
}

void get_vectors(Device device, std::int64_t rows, const ConstVectorsView& from,
                 const VectorsView& host) {
  if (in_columns(from.shape)) {
    for (int k = 0; k < from.shape.vectors; ++k) {
      copy_between(device, host.at(0, k), from.at(0, k), rows * bytes_of(from.shape.type));
    }
    return;
  }
  alignas(std::uint64_t) std::array<std::byte, piece_bytes> piece{};
  in_pieces(rows, from.shape, [&](std::int64_t row, std::int64_t count) {
    copy_between(device, piece.data(), from.at(row, 0), from.shape.bytes_to(count, 0));
    convert_layout(Device::cpu, count, {piece.data(), from.shape}, host.from(row));
  });
}

}  // namespace rowhalo

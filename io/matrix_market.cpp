// SPDX-License-Identifier: BSD-3-Clause
//
// Parallel reading of Matrix Market files (matrix_market.hpp).
#include "io/matrix_market.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <type_traits>
#include <utility>

#include "io/text_pieces.hpp"

namespace rowhalo {

namespace {

/// What all ranks must know before the first round.
struct Opening {
  MatrixMarketHeader header;
  std::int64_t file_bytes = 0;
};

MatrixMarketHeader read_header(TextPieces& pieces, const std::string& path) {
  for (std::int64_t bytes = 64 << 10;; bytes *= 2) {
    const std::string_view text = pieces.head(bytes);
    const bool all = static_cast<std::int64_t>(text.size()) < bytes;
    if (const auto header = parse_header(text, all && !pieces.fault(), path)) return *header;
    if (pieces.fault()) {
      const std::int64_t line = 1 + std::count(text.begin(), text.end(), '\n');
      throw InputError(fmt::format("{}:{}: {}", path, line, *pieces.fault()), 0);
    }
  }
}

/// Collective. Opens the file wherever it is read and reads its header.
Opening open_file(TextPieces& pieces, const std::string& path, const Comm& comm,
                  const std::function<void(const MatrixMarketHeader&)>& accept) {
  Opening opening;
  agree(comm, [&] {
    if (comm.rank != 0) return;
    pieces.open();
    opening.header = read_header(pieces, path);
    opening.file_bytes = pieces.file_bytes();
    if (accept) accept(opening.header);
  });
  static_assert(std::is_trivially_copyable_v<Opening>);
  ROWHALO_MPI(MPI_Bcast(&opening, sizeof opening, MPI_BYTE, 0, comm.handle));
  agree(comm, [&] {
    if (comm.rank != 0) pieces.open();
    if (pieces.file_bytes() != 0 && pieces.file_bytes() != opening.file_bytes) {
      throw InputError(path + ": is not the same file on every host; put it on a shared disk");
    }
  });
  pieces.start_at(opening.header.bytes);
  return opening;
}

int threads_for(std::string_view text) {
  constexpr std::int64_t least_bytes = 64 << 10;  // below it a thread costs more than it gains
  const std::int64_t useful = static_cast<std::int64_t>(text.size()) / least_bytes;
  return static_cast<int>(std::clamp<std::int64_t>(useful, 1, omp_get_max_threads()));
}

std::int64_t entries_in(const std::vector<ParsedLines>& parts) {
  std::int64_t entries = 0;
  for (const ParsedLines& part : parts) entries += static_cast<std::int64_t>(part.entries.size());
  return entries;
}

std::int64_t lines_in(const std::vector<ParsedLines>& parts) {
  std::int64_t lines = 0;
  for (const ParsedLines& part : parts) lines += part.lines;
  return lines;
}

std::string promise(const MatrixMarketHeader& header) {
  return fmt::format("the size line (line {}) says {}", header.lines, header.entries);
}

/// Local. Throws InputError for the first fault of this rank's piece: a faulty line, the first
/// entry too many, or damage behind it. `lines` and `entries` stand before the piece in the file.
void check_piece(const std::string& path, const MatrixMarketHeader& header, const TextPiece& piece,
                 const std::vector<ParsedLines>& parts, std::int64_t lines, std::int64_t entries) {
  std::optional<LineFault> first;
  if (!parts.empty() && parts.back().fault) first = parts.back().fault;
  const std::int64_t left = std::max<std::int64_t>(0, header.entries - entries);
  if (entries_in(parts) > left) {
    LineFault surplus = locate_entry(piece.text, left);
    surplus.what = fmt::format(
        "there are more entries than {}; remove the rest or correct the number", promise(header));
    if (!first || surplus.offset < first->offset) first = surplus;
  }
  if (!first && piece.fault) {
    first = {lines_in(parts), static_cast<std::int64_t>(piece.text.size()), *piece.fault};
  }
  if (!first) return;
  throw InputError(fmt::format("{}:{}: {}", path, lines + first->line + 1, first->what),
                   piece.offset + first->offset);
}

/// Calls emit(row, column, value) for every entry that a line of the file stands for.
template <class Emit>
void for_each_entry(const std::vector<Entry>& entries, MatrixMarketSymmetry symmetry, Emit emit) {
  const double sign = symmetry == MatrixMarketSymmetry::skew_symmetric ? -1.0 : 1.0;
  for (const Entry& entry : entries) {
    emit(entry);
    if (symmetry != MatrixMarketSymmetry::general && entry.row != entry.column) {
      emit(Entry{entry.column, entry.row, sign * entry.value});
    }
  }
}

/// The entries in file order, mirrored ones at the place of theirs, grouped by the owner of their
/// row.
std::vector<Entry> group_by_owner(const MatrixMarketHeader& header, const Comm& comm,
                                  const std::vector<ParsedLines>& parts,
                                  std::vector<std::int64_t>& counts) {
  const int part_count = static_cast<int>(parts.size());
  const auto owner = [&](const Entry& entry) {
    return comm.size == 1 ? 0 : even_split_owner(header.rows, 1, comm.size, entry.row);
  };
  std::vector<std::vector<std::int64_t>> next(part_count, std::vector<std::int64_t>(comm.size, 0));
#pragma omp parallel for schedule(static, 1) num_threads(std::max(part_count, 1))
  for (int part = 0; part < part_count; ++part) {
    for_each_entry(parts[part].entries, header.symmetry,
                   [&](const Entry& entry) { ++next[part][owner(entry)]; });
  }
  std::int64_t total = 0;
  counts.assign(comm.size, 0);
  for (int rank = 0; rank < comm.size; ++rank) {
    for (auto& starts : next) {
      counts[rank] += starts[rank];
      total += std::exchange(starts[rank], total);
    }
  }
  std::vector<Entry> grouped(total);
#pragma omp parallel for schedule(static, 1) num_threads(std::max(part_count, 1))
  for (int part = 0; part < part_count; ++part) {
    for_each_entry(parts[part].entries, header.symmetry,
                   [&](const Entry& entry) { grouped[next[part][owner(entry)]++] = entry; });
  }
  return grouped;
}

/// Room for this rank's even share of the entries. It is not touched before it is needed, and a
/// larger share only costs a reallocation; a size line that promises more than the file can hold
/// (a byte an entry, compressed) is not believed.
void reserve_share(const Opening& opening, const Comm& comm, std::vector<Entry>& entries) {
  const std::int64_t sides = opening.header.symmetry == MatrixMarketSymmetry::general ? 1 : 2;
  const std::int64_t believed = std::min(opening.header.entries, opening.file_bytes);
  entries.reserve(believed * sides / comm.size + believed * sides / comm.size / 16);
}

}  // namespace

DistributedCsr read_matrix_market(const std::string& path, const Comm& comm, Progress& progress,
                                  std::int64_t piece_bytes,
                                  const std::function<void(const MatrixMarketHeader&)>& accept) {
  progress.phase("read");
  std::vector<Entry> entries;
  Opening opening;
  {
    TextPieces pieces(path, path.ends_with(".gz"), comm, piece_bytes);
    opening = open_file(pieces, path, comm, accept);
    const MatrixMarketHeader& header = opening.header;
    reserve_share(opening, comm, entries);

    std::int64_t lines_before = header.lines, entries_before = 0;
    while (!pieces.finished()) {
      const TextPiece piece = pieces.next();
      std::vector<ParsedLines> parts = parse_lines(piece.text, header, threads_for(piece.text));
      const std::int64_t count = entries_in(parts), lines = lines_in(parts);
      const std::int64_t first = entries_before + sum_over_lower_ranks(comm, count);
      const std::int64_t first_line = lines_before + sum_over_lower_ranks(comm, lines);
      agree(comm, [&] { check_piece(path, header, piece, parts, first_line, first); });
      entries_before += sum_over_ranks(comm, count);
      lines_before += sum_over_ranks(comm, lines);

      if (header.layout == MatrixMarketLayout::array) {
        std::int64_t place = first;
        for (ParsedLines& part : parts) {
          place_array_values(header, place, part.entries);
          place += static_cast<std::int64_t>(part.entries.size());
        }
      }
      std::vector<std::int64_t> counts, received_counts;
      std::vector<Entry> grouped = group_by_owner(header, comm, parts, counts);
      std::vector<ParsedLines>().swap(parts);
      if (comm.size > 1) grouped = exchange(comm, grouped, counts, received_counts);
      entries.insert(entries.end(), grouped.begin(), grouped.end());
      progress.tick();
    }
    agree(comm, [&] {
      if (comm.rank != 0 || entries_before == header.entries) return;
      throw InputError(fmt::format(
          "{}:{}: the file ends after {} entr{}, but {}; copy the file again or correct the number",
          path, lines_before, entries_before, entries_before == 1 ? "y" : "ies", promise(header)));
    });
  }
  progress.phase("assemble");
  MatrixInfo info;
  info.source = path;
  info.rows = opening.header.rows;
  info.columns = opening.header.columns;
  info.field = name_of(opening.header.field);
  info.symmetry = name_of(opening.header.symmetry);
  return assemble_rows(info, even_split(info.rows, 1, comm.size, comm.rank),
                       even_split(info.rows, 1, comm.size, comm.rank + 1), std::move(entries));
}

}  // namespace rowhalo

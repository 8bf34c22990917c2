// SPDX-License-Identifier: BSD-3-Clause
//
// Parallel reading of Matrix Market files (reader.hpp), and the sources .mtx, .mtx.gz and .tar.gz.
#include "io/matrix_market/reader.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>

#include "io/collective.hpp"
#include "io/file_kind.hpp"
#include "io/host_memory.hpp"
#include "io/matrix_market/text_pieces.hpp"
#include "io/notices.hpp"
#include "io/sources.hpp"
#include "partition/matrix/entry_delivery.hpp"

namespace rowhalo {

namespace {

/// What all ranks must know before the first round.
struct Opening {
  MatrixMarketHeader header;
  std::int64_t file_bytes = 0;
};

/// Collective. What is to be read of the file that `name` names: rank 0 looks at its content.
TextSource source_of(const std::string& name, const Comm& comm) {
  const FileLocation location = file_location(name);
  TextSource source{name, location.file};
  const FileKind found =
      found_by_root(comm, [&] { return kind_of_file(location.file, location.file); });
  source.gzip = found == FileKind::matrix_market_gz || found == FileKind::tar;
  if (found == FileKind::tar) source.member = location.member;
  return source;
}

/// Rank 0. Comments are dropped as they come.
MatrixMarketHeader read_header(TextPieces& pieces, const std::string& path) {
  constexpr std::int64_t step = 64 << 10;
  MatrixMarketHeader header;
  for (std::int64_t bytes = step;;) {
    const std::string_view text = pieces.head(bytes);
    const bool all = static_cast<std::int64_t>(text.size()) < bytes;
    const std::int64_t before = header.bytes;
    if (parse_header(text, all && !pieces.fault(), path, header)) return header;
    if (pieces.fault()) {
      throw InputError(fmt::format("{}:{}: {}", path, header.lines + 1, *pieces.fault()), 0);
    }
    pieces.drop_head(header.bytes - before);
    bytes = header.bytes > before ? step : 2 * bytes;  // or the line is longer than that
  }
}

/// Rank 0. Throws InputError where the file cannot hold the entries that its size line promises. A
/// few that lack are left to the lines, which can tell what is wrong.
void check_room(const MatrixMarketHeader& header, std::int64_t most_bytes,
                const std::string& path) {
  constexpr std::int64_t few = 1000;
  const std::int64_t text_bytes = most_bytes - header.bytes;
  const std::int64_t entry_bytes = least_entry_bytes(header);
  const std::int64_t room = (text_bytes + 1) / entry_bytes;  // the last line may lack its end
  if (header.entries - few <= room) return;
  throw InputError(
      fmt::format(
          "{}:{}: the size line says {} entries of at least {} bytes each, but the file has "
          "room for {} at most; copy the file again or correct the number",
          path, header.lines, header.entries, entry_bytes, room),
      0);
}

/// Collective. Opens the file wherever it is read and reads its header.
MatrixMarketHeader open_file(TextPieces& pieces, const std::string& path, const Comm& comm) {
  const auto opening = found_by_root(comm, [&] {
    pieces.open();
    const MatrixMarketHeader header = read_header(pieces, path);
    check_room(header, pieces.most_text_bytes(), path);
    return Opening{header, pieces.file_bytes()};
  });
  agree(comm, [&] {
    if (comm.rank != 0) pieces.open();
    if (pieces.file_bytes() != 0 && pieces.file_bytes() != opening.file_bytes) {
      throw InputError(path + ": is not the same file on every host; put it on a shared disk");
    }
  });
  pieces.start_at(opening.header.bytes);
  return opening.header;
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

/// What a line of the file stands for besides its own entry.
Mirror mirror_of(MatrixMarketSymmetry symmetry) {
  if (symmetry == MatrixMarketSymmetry::general) return Mirror::none;
  return symmetry == MatrixMarketSymmetry::symmetric ? Mirror::equal : Mirror::negated;
}

/// Where something stands in the file.
struct Place {
  std::int64_t entries = 0, lines = 0;  ///< before it
};

/// Collective. Where this rank's piece begins; moves `round` from the start of the round to its
/// end.
Place place_of_piece(const Comm& comm, const std::vector<ParsedLines>& parts, Place& round) {
  const std::int64_t mine[2] = {entries_in(parts), lines_in(parts)};
  std::vector<std::int64_t> all(2 * static_cast<std::size_t>(comm.size));
  ROWHALO_MPI(MPI_Allgather(mine, 2, MPI_INT64_T, all.data(), 2, MPI_INT64_T, comm.handle));
  Place place;
  for (int rank = 0; rank < comm.size; ++rank) {
    if (rank == comm.rank) place = round;
    round.entries += all[2 * rank];
    round.lines += all[2 * rank + 1];
  }
  return place;
}

/// Adds the numbers of this rank's piece that fp64 does not hold; `lines` stand before it.
void add_rounded(const std::string& path, const std::vector<ParsedLines>& parts, std::int64_t lines,
                 RoundedNumbers& rounded) {
  for (const ParsedLines& part : parts) {
    if (part.rounded > 0) {
      const std::int64_t line = lines + part.first_rounded.line + 1;
      RoundedNumbers here{part.rounded, line,
                          fmt::format("{}:{}: {}", path, line, part.first_rounded.what)};
      rounded.add(here);
    }
    lines += part.lines;
  }
}

/// Collective. All entries of the file that belong to rows of this rank.
void read_entries(TextPieces& pieces, const std::string& path, const MatrixMarketHeader& header,
                  const Comm& comm, Progress& progress, EntryDelivery& delivery) {
  std::vector<ParsedLines> parts;  // reused: fresh memory costs page faults
  Place round{0, header.lines};
  RoundedNumbers rounded;
  progress.expect(header.entries);
  while (!pieces.finished()) {
    const TextPiece piece = pieces.next();
    pieces.read_ahead();
    parse_lines(piece.text, header, threads_for(piece.text), parts);
    const std::int64_t before = round.entries;
    const Place here = place_of_piece(comm, parts, round);
    agree(comm, [&] { check_piece(path, header, piece, parts, here.lines, here.entries); });
    add_rounded(path, parts, here.lines, rounded);
    std::int64_t first = here.entries;
    std::vector<std::span<const Entry>> entries;
    for (ParsedLines& part : parts) {
      if (header.layout == MatrixMarketLayout::array) {
        place_array_values(header, first, part.entries);
      }
      first += std::ssize(part.entries);
      entries.emplace_back(part.entries);
    }
    delivery.send(entries);
    progress.add(round.entries - before);
    leave_if_requested(comm, progress);
  }
  agree(comm, [&] {
    if (comm.rank != 0 || round.entries == header.entries) return;
    throw InputError(fmt::format(
        "{}:{}: the file ends after {} entr{}, but {}; copy the file again or correct the number",
        path, round.lines, round.entries, round.entries == 1 ? "y" : "ies", promise(header)));
  });
  warn_of_rounded(comm, path, rounded);
}

}  // namespace

DistributedCsr read_matrix_market(const std::string& path, const Comm& comm, Progress& progress,
                                  std::int64_t piece_bytes) {
  progress.phase("read");
  std::optional<TextPieces> pieces;
  pieces.emplace(source_of(path, comm), comm, piece_bytes);
  const MatrixMarketHeader header = open_file(*pieces, path, comm);
  agree(comm, [&] {
    check_memory(fmt::format("{}:{}", path, header.lines),
                 {header.rows, header.columns, least_nonzeros(header), delivery_bytes}, comm);
  });
  EntryDelivery delivery(comm, header.rows, mirror_of(header.symmetry));
  read_entries(*pieces, path, header, comm, progress, delivery);
  pieces.reset();  // its memory
  progress.phase("assemble");
  return delivery.assemble(info_of(header, path));
}

MatrixMarketHeader read_matrix_market_header(const std::string& path, const Comm& comm) {
  TextPieces pieces(source_of(path, comm), comm, default_piece_bytes);
  return open_file(pieces, path, comm);
}

namespace {

DistributedCsr load_matrix_market(const Spec& spec, const Comm& comm, Progress& progress) {
  return read_matrix_market(spec.text(), comm, progress);
}

MatrixOutline outline_matrix_market(const Spec& spec, const Comm& comm) {
  const MatrixMarketHeader header = read_matrix_market_header(spec.text(), comm);
  // Mostly the whole diagonal of a symmetric matrix is there.
  const bool exact = header.symmetry == MatrixMarketSymmetry::general ||
                     header.layout == MatrixMarketLayout::array;
  return {info_of(header, spec.text()), least_nonzeros(header), exact};
}

}  // namespace

extern const SourceFunctions archive_source{load_matrix_market, outline_matrix_market};
extern const SourceFunctions matrix_market_source{
    load_matrix_market, outline_matrix_market,
    [](const std::string& path, const DistributedCsr& matrix, const Comm& comm,
       Progress& progress) { write_matrix_market(path, matrix, comm, progress); }};

}  // namespace rowhalo

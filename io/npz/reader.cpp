// SPDX-License-Identifier: BSD-3-Clause
//
// Reading of .npz files (reader.hpp), and the source .npz.
#include "io/npz/reader.hpp"

#include <utility>

#include "io/collective.hpp"
#include "io/csr_arrays.hpp"
#include "partition/matrix/entry_delivery.hpp"
#include "partition/matrix/transpose.hpp"
#include "io/file_location.hpp"
#include "io/host_memory.hpp"
#include "io/npz/stream.hpp"
#include "partition/row_order.hpp"

namespace rowhalo {

namespace {

const char* name_of(const NpzArray& array, const NpzOutline& outline) {
  const bool coordinates = outline.format == NpzFormat::coo;
  if (&array == &outline.first) return coordinates ? "row" : "indptr";
  if (&array == &outline.second) return coordinates ? "col" : "indices";
  return "data";
}

/// Collective. What rank 0 finds, for all.
NpzOutline agreed_npz(const std::string& path, const Comm& comm) {
  return found_by_root(comm, [&] { return examine_npz(path); });
}

/// Streams of one file.
struct NpzReading {
  const InputFile& file;
  const NpzOutline& outline;
  const Comm& comm;
  Progress& progress;

  NpzStream stream(const NpzArray& array) const {
    return NpzStream(file, array, file.path() + ":" + name_of(array, outline), comm, progress);
  }
};

/// Collective. Rows, or columns under the names of rows; info of `matrix` is set.
void read_npz_compressed(const NpzReading& reading, DistributedCsr& matrix,
                         RoundedNumbers& rounded) {
  const Comm& comm = reading.comm;
  const NpzOutline& outline = reading.outline;
  const bool by_columns = outline.format == NpzFormat::csc;
  const EvenShare share(comm, matrix.info.rows);
  matrix.first_row = share.first;
  matrix.offsets =
      reading.stream(outline.first).integers(share.first, share.size() + 1, matrix.info.rows + 1);
  const std::string place = reading.file.path() + ":indptr";
  Offset begin = 0;
  agree(comm, [&] {
    begin = take_offsets(place, by_columns, outline.nonzeros, matrix);
    const Offset end = begin + matrix.local_nonzeros();
    const bool wrong_start = comm.rank == 0 && begin != 0;
    const bool wrong_end = comm.rank == comm.size - 1 && end != outline.nonzeros;
    if (!wrong_start && !wrong_end) return;
    throw InputError(fmt::format("{}: {} with {} where {} is wanted; make the file again", place,
                                 wrong_start ? "begins" : "ends", wrong_start ? begin : end,
                                 wrong_start ? 0 : outline.nonzeros));
  });
  const std::string indices = reading.file.path() + ":indices";
  const Offset nonzeros = matrix.local_nonzeros();
  reading.progress.expect(2 * nonzeros);
  matrix.columns = reading.stream(outline.second).integers(begin, nonzeros, outline.nonzeros);
  bool ascending = true;
  agree(comm, [&] {
    if (matrix.columns.empty()) return;
    ColumnCheck check(matrix, indices, by_columns);
    check(std::span<const std::int64_t>(matrix.columns));
    ascending = check.ascending();
  });
  matrix.values = reading.stream(outline.values).reals(begin, nonzeros, outline.nonzeros, rounded);
  if (!ascending) put_in_order(matrix);
}

/// Local. Throws InputError for the first entry that is not of the matrix.
void check_positions(const NpzReading& reading, const std::vector<Entry>& entries,
                     std::int64_t first) {
  const NpzOutline& outline = reading.outline;
  for (std::int64_t k = 0; k < std::ssize(entries); ++k) {
    const auto [row, column, value] = entries[k];
    const bool wrong_row = row < 0 || row >= outline.rows;
    if (!wrong_row && column >= 0 && column < outline.columns) continue;
    throw InputError(
        fmt::format("{}:{}[{}]: {} is not in 0..{}; make the file again", reading.file.path(),
                    wrong_row ? "row" : "col", first + k, wrong_row ? row : column,
                    (wrong_row ? outline.rows : outline.columns) - 1),
        first + k);
  }
}

/// Collective. Entries in any order, in rounds: in each rank r gets the r-th consecutive piece.
DistributedCsr read_npz_entries(const NpzReading& reading, const MatrixInfo& info,
                                RoundedNumbers& rounded) {
  constexpr std::int64_t piece = std::int64_t{1} << 18;
  const Comm& comm = reading.comm;
  const NpzOutline& outline = reading.outline;
  NpzStream rows = reading.stream(outline.first), columns = reading.stream(outline.second),
            values = reading.stream(outline.values);
  EntryDelivery delivery(comm, outline.rows, Mirror::none);
  reading.progress.expect(3 * outline.nonzeros / comm.size);
  for (std::int64_t begin = 0; begin < outline.nonzeros; begin += comm.size * piece) {
    const std::int64_t end = std::min(outline.nonzeros, begin + comm.size * piece);
    const std::int64_t first = std::min(end, begin + comm.rank * piece);
    const std::int64_t count = std::min(piece, end - first);
    const std::vector<std::int64_t> row = rows.integers(first, count, end),
                                    column = columns.integers(first, count, end);
    const std::vector<double> value = values.reals(first, count, end, rounded);
    std::vector<Entry> entries;
    for (std::size_t k = 0; k < row.size(); ++k) entries.push_back({row[k], column[k], value[k]});
    agree(comm, [&] { check_positions(reading, entries, first); });
    delivery.send({entries});
  }
  reading.progress.phase("assemble");
  return delivery.assemble(info);
}

/// Collective. Every rank gets its even share of rows. Throws AgreedError naming file and array.
DistributedCsr load_npz(const Spec& spec, const Comm& comm, Progress& progress) {
  progress.phase("read");
  const std::string& name = spec.text();
  const std::string path = file_location(name).file;
  const NpzOutline outline = agreed_npz(path, comm);
  InputFile file;
  agree(comm, [&] {
    MatrixSize size{outline.rows, outline.columns, outline.nonzeros};
    if (outline.format != NpzFormat::csr) size.nonzero_bytes = delivery_bytes;
    check_memory(name, size, comm);
    if (comm.rank == 0 || !outline.values.data.deflated || !outline.second.data.deflated) {
      file = InputFile(path);
    }
  });
  const NpzReading reading{file, outline, comm, progress};
  RoundedNumbers rounded;
  DistributedCsr matrix;
  matrix.info = info_of(outline, name);
  if (outline.format == NpzFormat::coo) {
    matrix = read_npz_entries(reading, matrix.info, rounded);
  } else {
    if (outline.format == NpzFormat::csc) std::swap(matrix.info.rows, matrix.info.columns);
    read_npz_compressed(reading, matrix, rounded);
  }
  warn_of_rounded(comm, name, rounded);
  if (outline.format != NpzFormat::csc) return matrix;
  return transposed(comm, std::move(matrix), progress);
}

}  // namespace

extern const SourceFunctions npz_source{
    load_npz, [](const Spec& spec, const Comm& comm) {
      const NpzOutline found = agreed_npz(file_location(spec.text()).file, comm);
      return MatrixOutline{info_of(found, spec.text()), found.nonzeros};
    }};

}  // namespace rowhalo

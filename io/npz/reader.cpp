// SPDX-License-Identifier: BSD-3-Clause
//
// Reading of .npz files (reader.hpp), and the source .npz. Of a matrix of 3 rows and 4 columns in
// the format csr, a.npz holds format.npy ("csr"), shape.npy ([3, 4]), indptr.npy (4 numbers),
// indices.npy and data.npy (a number per entry).
#include "io/npz/reader.hpp"

#include <zlib.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "io/collective.hpp"
#include "io/csr_arrays.hpp"
#include "io/file_kind.hpp"
#include "io/host_memory.hpp"
#include "io/sources.hpp"
#include "partition/base/checked_cast.hpp"
#include "partition/matrix/entry_delivery.hpp"
#include "partition/matrix/transpose.hpp"
#include "partition/row_order.hpp"

namespace rowhalo {

namespace {

constexpr std::int64_t piece_items = std::int64_t{1} << 18, packed_bytes = 256 << 10;

/// Unpacks a member in order, on all ranks at once: rank 0 reads, and every rank has all bytes, so
/// that what is wrong with them is wrong on each.
struct Inflater {
  Inflater(const InputFile& input, const NpzArray& array, const std::string& name,
           const Comm& ranks)
      : file(input),
        place(name),
        comm(ranks),
        at(array.data.offset),
        left(array.data.packed),
        crc_wanted(array.data.crc) {
    constexpr int raw_window_bits = -15;
    if (inflateInit2(&stream, raw_window_bits) != Z_OK) {
      throw std::runtime_error("inflateInit2: out of memory");
    }
  }
  ~Inflater() { inflateEnd(&stream); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  /// Collective. The next `bytes`. Throws AgreedError where the data end or are damaged.
  void next(char* to, std::int64_t bytes) {
    stream.next_out = reinterpret_cast<Bytef*>(to);
    stream.avail_out = checked_cast<uInt>(bytes, "bytes of a piece");
    while (stream.avail_out > 0) {
      if (stream.avail_in == 0) refill();
      const int code = inflate(&stream, Z_NO_FLUSH);
      if (code == Z_STREAM_END) break;
      if (code != Z_OK) fail("the compressed data are damaged; copy the file again");
    }
    if (stream.avail_out > 0) fail("the compressed data end early; copy the file again");
    crc = crc32(crc, reinterpret_cast<const Bytef*>(to), static_cast<uInt>(bytes));
  }
  void check_end() const {
    if (crc != crc_wanted) fail("the checksum is wrong, the data are damaged; copy the file again");
  }

 private:
  void refill() {
    if (left == 0) fail("the compressed data end early; copy the file again");
    buffer = found_by_root(comm, [&] { return file.text(at, std::min(left, packed_bytes)); });
    at += std::ssize(buffer);
    left -= std::ssize(buffer);
    stream.next_in = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_in = static_cast<uInt>(buffer.size());
  }
  void fail(const char* what) const {
    agree(comm, [&] { throw InputError(place + ": " + what); });
  }

  const InputFile& file;
  const std::string& place;
  const Comm& comm;
  std::int64_t at, left;
  uLong crc = crc32(0, nullptr, 0), crc_wanted;
  std::string buffer;
  z_stream stream{};
};

/// One array of the file, read once from front to back by all ranks together.
class NpzStream {
 public:
  /// `file` is open on rank 0, and on every rank if the array is not deflated, and outlives the
  /// stream; `place` is file and array.
  NpzStream(const InputFile& file, const NpzArray& array, std::string place, const Comm& comm,
            Progress& progress)
      : file_(file), array_(array), place_(std::move(place)), comm_(comm), progress_(progress) {
    if (array.data.deflated) inflater_.emplace(file_, array_, place_, comm_);
  }
  NpzStream(const NpzStream&) = delete;
  NpzStream& operator=(const NpzStream&) = delete;

  /// Collective. The items [first, first + count), which are this rank's affair. All ranks read on
  /// to item `end` together: none has items behind it, or before that of the call before. Throws
  /// AgreedError.
  std::vector<std::int64_t> integers(std::int64_t first, std::int64_t count, std::int64_t end) {
    std::vector<std::int64_t> out;
    agree(comm_, [&] { out.resize(count); });
    read(first, count, end, [&](const char* bytes, std::int64_t at, std::int64_t items) {
      read_npy_integers(array_.item, bytes, items, out.data() + at - first);
    });
    return out;
  }

  std::vector<double> reals(std::int64_t first, std::int64_t count, std::int64_t end,
                            RoundedNumbers& rounded) {
    std::vector<double> out;
    agree(comm_, [&] { out.resize(count); });
    read(first, count, end, [&](const char* bytes, std::int64_t at, std::int64_t items) {
      read_npy_reals(array_.item, bytes, items, place_, at, out.data() + at - first, rounded);
    });
    return out;
  }

 private:
  /// What takes `count` items, the first of which is number `first` of the array.
  using Take = std::function<void(const char* bytes, std::int64_t first, std::int64_t count)>;

  void read(std::int64_t first, std::int64_t count, std::int64_t end, const Take& take) {
    agree(comm_, [&] {
      buffer_.resize(std::max(piece_items * array_.item.bytes, array_.header_bytes));
      if (!array_.data.deflated) read_stored(first, count, take);
    });
    if (array_.data.deflated) read_deflated(first, count, end, take);
  }

  void read_stored(std::int64_t first, std::int64_t count, const Take& take) {
    for (std::int64_t at = first; at < first + count; at += piece_items) {
      const std::int64_t items = std::min(piece_items, first + count - at);
      file_.read(array_.data.offset + array_.header_bytes + at * array_.item.bytes, buffer_.data(),
                 items * array_.item.bytes);
      take(buffer_.data(), at, items);
      progress_.add(items);
    }
  }

  /// Collective.
  void read_deflated(std::int64_t first, std::int64_t count, std::int64_t end, const Take& take) {
    if (next_ == 0) inflater_->next(buffer_.data(), array_.header_bytes);
    while (next_ < end) {
      const std::int64_t items = std::min(piece_items, end - next_);
      inflater_->next(buffer_.data(), items * array_.item.bytes);
      const std::int64_t from = std::clamp<std::int64_t>(first - next_, 0, items),
                         to = std::clamp<std::int64_t>(first + count - next_, 0, items);
      if (from < to) take(buffer_.data() + from * array_.item.bytes, next_ + from, to - from);
      next_ += items;
      progress_.add(to - from);
    }
    if (next_ == array_.count) inflater_->check_end();
  }

  const InputFile& file_;
  NpzArray array_;
  std::string place_;
  Comm comm_;
  Progress& progress_;
  std::string buffer_;                ///< a piece
  std::int64_t next_ = 0;             ///< the first item that is not inflated yet
  std::optional<Inflater> inflater_;  ///< of a deflated array
};

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
  const std::string& path;
  const InputFile& file;  ///< open where it is read
  const NpzOutline& outline;
  const Comm& comm;
  Progress& progress;

  NpzStream stream(const NpzArray& array) const {
    return NpzStream(file, array, path + ":" + name_of(array, outline), comm, progress);
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
  const std::string place = reading.path + ":indptr";
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
  const std::string indices = reading.path + ":indices";
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
    throw InputError(fmt::format("{}:{}[{}]: {} is not in 0..{}; make the file again", reading.path,
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
    if (outline.format == NpzFormat::coo) size.nonzero_bytes = delivery_bytes;
    if (outline.format == NpzFormat::csc) size.nonzero_bytes = transpose_bytes;
    check_memory(name, size, comm);
    if (comm.rank == 0 || !outline.values.data.deflated || !outline.second.data.deflated) {
      file = InputFile(path);
    }
  });
  const NpzReading reading{path, file, outline, comm, progress};
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

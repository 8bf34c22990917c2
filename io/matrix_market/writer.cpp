// SPDX-License-Identifier: BSD-3-Clause
//
// Parallel writing of Matrix Market files (reader.hpp), of matrices and of vectors.
#include "io/matrix_market/reader.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>
#include <omp.h>
#include <zlib.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <span>
#include <stdexcept>
#include <vector>

#include "io/file_kind.hpp"
#include "io/matrix_market/parser.hpp"
#include "io/parallel_output.hpp"
#include "io/sources.hpp"
#include "partition/base/checked_cast.hpp"
#include "partition/matrix/matrix_statistics.hpp"

namespace rowhalo {

namespace {

constexpr std::int64_t round_entries = std::int64_t{1} << 22;  // of all ranks: 96 MiB at the sender
constexpr std::size_t longest_line = 72;  // two numbers of 20 characters, one of 24
constexpr int compression_level = 1;      // twice as fast as the next, 8 % longer

/// Whether the value can be written as a whole number; -0 would lose its sign.
bool is_integer(double value) {
  return std::abs(value) < 0x1p53 && value == std::trunc(value) &&
         !(value == 0 && std::signbit(value));
}

/// Collective.
MatrixMarketField field_of(const Comm& comm, const DistributedCsr& matrix) {
  if (matrix.info.field == "real") return MatrixMarketField::real;
  const auto everywhere = [&](auto property) {
    const bool all = std::all_of(matrix.values.begin(), matrix.values.end(), property);
    return max_over_ranks(comm, std::int64_t{!all}) == 0;
  };
  const bool ones = everywhere([](double value) { return value == 1; });
  const bool integers = everywhere(is_integer);
  if (matrix.info.field == "pattern" && ones) return MatrixMarketField::pattern;
  return integers ? MatrixMarketField::integer : MatrixMarketField::real;
}

/// Collective. The symmetry that the source had, if the matrix still has it: of others, and of a
/// skew-symmetric one that stores its diagonal, all entries are written.
MatrixMarketSymmetry symmetry_of(const Comm& comm, const DistributedCsr& matrix) {
  const bool skew = matrix.info.symmetry == name_of(MatrixMarketSymmetry::skew_symmetric);
  if (!skew && matrix.info.symmetry != name_of(MatrixMarketSymmetry::symmetric)) {
    return MatrixMarketSymmetry::general;
  }
  Progress apart;  // the phase remains that of writing
  const MatrixStatistics found = matrix_statistics(comm, matrix, apart);
  const bool holds = skew ? found.symmetry == ValueSymmetry::skew && found.diagonal_entries == 0
                          : found.symmetry == ValueSymmetry::symmetric;
  if (!holds) return MatrixMarketSymmetry::general;
  return skew ? MatrixMarketSymmetry::skew_symmetric : MatrixMarketSymmetry::symmetric;
}

/// The entries at and below the diagonal.
DistributedCsr lower_triangle(const DistributedCsr& matrix) {
  DistributedCsr lower;
  lower.info = matrix.info;
  lower.first_row = matrix.first_row;
  for (GlobalIndex row = 0; row < matrix.local_rows(); ++row) {
    for (Offset k = matrix.offsets[row]; k < matrix.offsets[row + 1]; ++k) {
      if (matrix.columns[k] > matrix.first_row + row) break;
      lower.columns.push_back(matrix.columns[k]);
      lower.values.push_back(matrix.values[k]);
    }
    lower.offsets.push_back(std::ssize(lower.columns));
  }
  return lower;
}

/// Appends this rank's entries [begin, end), counted from its first.
void append_entries(const DistributedCsr& matrix, Offset begin, Offset end,
                    std::vector<Entry>& entries) {
  const auto above = std::upper_bound(matrix.offsets.begin(), matrix.offsets.end(), begin);
  GlobalIndex row = above - matrix.offsets.begin() - 1;
  for (Offset k = begin; k < end; ++k) {
    while (matrix.offsets[row + 1] <= k) ++row;
    entries.push_back({matrix.first_row + row, matrix.columns[k], matrix.values[k]});
  }
}

/// Collective. This rank's piece of the round that begins with entry `begin` of the matrix; `first`
/// is the first that this rank holds.
std::vector<Entry> deal_piece(const Comm& comm, const DistributedCsr& matrix, std::int64_t first,
                              std::int64_t begin, std::int64_t piece) {
  const auto own = [&](std::int64_t entry) {
    return std::clamp<std::int64_t>(entry - first, 0, matrix.local_nonzeros());
  };
  std::vector<Entry> entries;
  entries.reserve(own(begin + comm.size * piece) - own(begin));
  std::vector<std::int64_t> counts(comm.size), received_counts;
  for (int rank = 0; rank < comm.size; ++rank) {
    const std::int64_t from = own(begin + rank * piece), to = own(begin + (rank + 1) * piece);
    append_entries(matrix, from, to, entries);
    counts[rank] = to - from;
  }
  return comm.size == 1 ? entries : exchange(comm, entries, counts, received_counts);
}

char* format_value(char* at, double value) {
  if (std::isnan(value)) return std::copy_n("nan", 3, at);  // not every reader takes its sign
  // The same characters in a fraction of the time.
  if (is_integer(value) && std::abs(value) < 1e15) {
    return std::to_chars(at, at + 20, static_cast<std::int64_t>(value)).ptr;
  }
  return fmt::format_to(at, FMT_COMPILE("{}"), value);
}

std::string format_entries(const Entry* entries, std::int64_t count, MatrixMarketField field) {
  std::string text(count * longest_line, '\0');
  char* at = text.data();
  for (const Entry* entry = entries; entry != entries + count; ++entry) {
    at = std::to_chars(at, at + 20, entry->row + 1).ptr;
    *at++ = ' ';
    at = std::to_chars(at, at + 20, entry->column + 1).ptr;
    if (field == MatrixMarketField::integer) {
      *at++ = ' ';
      at = std::to_chars(at, at + 20, static_cast<std::int64_t>(entry->value)).ptr;
    } else if (field == MatrixMarketField::real) {
      *at++ = ' ';
      at = format_value(at, entry->value);
    }
    *at++ = '\n';
  }
  text.resize(at - text.data());
  return text;
}

/// One gzip member.
std::string compressed(const std::string& text) {
  constexpr int gzip_window_bits = 15 + 16;
  z_stream stream{};
  if (deflateInit2(&stream, compression_level, Z_DEFLATED, gzip_window_bits, 8,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::runtime_error("deflateInit2: out of memory");
  }
  std::string bytes(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = checked_cast<uInt>(text.size(), "bytes to compress");
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = checked_cast<uInt>(bytes.size(), "bytes to compress");
  const int code = deflate(&stream, Z_FINISH);
  bytes.resize(stream.total_out);
  deflateEnd(&stream);
  if (code != Z_STREAM_END) throw std::logic_error("deflateBound was too small");
  return bytes;
}

/// The text of `size` numbers in `count` parts, which threads make: text_of(begin, end).
std::vector<std::string> text_in_parts(std::int64_t size, std::int64_t count, const auto& text_of) {
  std::vector<std::string> parts(count);
#pragma omp parallel for schedule(static, 1)
  for (std::int64_t part = 0; part < count; ++part) {
    parts[part] = text_of(size * part / count, size * (part + 1) / count);
  }
  return parts;
}

/// The entries as they stand in the file, in one part per thread.
std::vector<std::string> parts_of(const std::vector<Entry>& entries, MatrixMarketField field,
                                  bool gzip) {
  constexpr std::int64_t least_entries = 4096;  // below it a thread costs more than it gains
  const std::int64_t size = std::ssize(entries);
  const auto count = std::clamp<std::int64_t>(size / least_entries, std::min<std::int64_t>(size, 1),
                                              omp_get_max_threads());
  return text_in_parts(size, count, [&](std::int64_t begin, std::int64_t end) {
    std::string text = format_entries(entries.data() + begin, end - begin, field);
    return gzip ? compressed(text) : text;
  });
}

/// Numbers of a vector, one a line, in the shortest form; NaN without its sign, which not every
/// reader takes.
template <class T>
std::string format_values(std::span<const double> values) {
  std::string text;
  for (const double one : values) {
    const T value = static_cast<T>(one);
    if (std::isnan(value))
      text += "nan\n";
    else
      fmt::format_to(std::back_inserter(text), "{}\n", value);
  }
  return text;
}

/// Collective. As an array file with one column (which is read as the matrix that it is).
void write_matrix_market_vector(const std::string& name, const std::vector<double>& share,
                                Precision precision, const Comm& comm, Progress& progress) {
  const bool wide = vector_type(precision) == NumberType::fp64;
  std::vector<std::string> parts = text_in_parts(
      std::ssize(share), omp_get_max_threads(), [&](std::int64_t begin, std::int64_t end) {
        const std::span values(share.begin() + begin, share.begin() + end);
        return wide ? format_values<double>(values) : format_values<float>(values);
      });
  const std::int64_t size = sum_over_ranks(comm, std::ssize(share));
  if (comm.rank == 0) {
    parts.insert(parts.begin(),
                 fmt::format("%%MatrixMarket matrix array real general\n{} 1\n", size));
  }
  ParallelOutput file(name, comm);
  file.append(0, parts, progress);
  file.finish();
}

}  // namespace

void write_matrix_market(const std::string& path, const DistributedCsr& whole, const Comm& comm,
                         Progress& progress, std::int64_t piece_entries) {
  const MatrixMarketSymmetry symmetry = symmetry_of(comm, whole);
  const bool general = symmetry == MatrixMarketSymmetry::general;
  const DistributedCsr lower = general ? DistributedCsr{} : lower_triangle(whole);
  const DistributedCsr& matrix = general ? whole : lower;
  const bool gzip = kind_by_suffix(path) == FileKind::matrix_market_gz;
  const MatrixMarketField field = field_of(comm, matrix);
  const std::int64_t first = sum_over_lower_ranks(comm, matrix.local_nonzeros());
  const std::int64_t nonzeros = sum_over_ranks(comm, matrix.local_nonzeros());
  const std::int64_t piece = std::clamp<std::int64_t>(round_entries / comm.size, 1,
                                                      std::max<std::int64_t>(1, piece_entries));
  progress.expect(nonzeros);

  ParallelOutput file(path, comm);
  std::string header =
      fmt::format("%%MatrixMarket matrix coordinate {} {}\n{} {} {}\n", name_of(field),
                  name_of(symmetry), matrix.info.rows, matrix.info.columns, nonzeros);
  if (gzip) header = compressed(header);
  agree(comm, [&] {
    if (comm.rank == 0) file.write(0, header);
  });
  std::int64_t offset = std::ssize(header);
  for (std::int64_t begin = 0; begin < nonzeros; begin += comm.size * piece) {
    offset = file.append(
        offset, parts_of(deal_piece(comm, matrix, first, begin, piece), field, gzip), progress);
    progress.add(comm.size * piece);
  }
  file.finish();
}

extern const VectorFunctions matrix_market_vectors{nullptr, write_matrix_market_vector};

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// Pieces of a plain or gzip-compressed text for all ranks (text_pieces.hpp). With pieces of 4 bytes
// on two ranks, "1 1\n12 2\n3 3\n" is "1 1\n" on rank 0 and "12 2\n" on rank 1, in the next round
// "3 3\n" and nothing.
#include "io/matrix_market/text_pieces.hpp"

#include <fmt/format.h>
#include <omp.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "partition/base/checked_cast.hpp"

namespace rowhalo {

namespace {

constexpr std::int64_t step_bytes = 64 << 10;  // of inflating and of looking for the end of a line
constexpr std::int64_t most_round_bytes = 64 << 20;  // inflated
constexpr const char* overlong_line =
    "this line is longer than 64 MiB, so this is no Matrix Market file; check what it is";

}  // namespace

void TextPieces::CloseGzip::operator()(gzFile file) const {
  gzclose_r(file);
}

TextPieces::TextPieces(TextSource source, const Comm& comm, std::int64_t piece_bytes)
    : source_(std::move(source)), comm_(comm), piece_bytes_(piece_bytes) {
  if (source_.gzip && comm.size > 1) {
    piece_bytes_ = std::clamp(most_round_bytes / (comm.size - 1), std::int64_t{1}, piece_bytes);
  }
}

void TextPieces::open() {
  if (source_.gzip && comm_.rank != 0) return;
  file_ = InputFile(source_.file);
  file_bytes_ = file_.bytes();
  if (file_bytes_ == 0) {
    throw InputError(source_.file + ":1: the file is empty; copy or make it again");
  }
  if (!source_.gzip) return;
  inflater_.reset(gzdopen(file_.number(), "rb"));
  if (inflater_ == nullptr) throw std::runtime_error("gzdopen: out of memory");
  file_.release();  // gzclose closes it
  gzbuffer(inflater_.get(), 256 << 10);
  if (source_.member) {
    member_bytes_ = member_left_ = find_tar_member(inflater_.get(), source_.file, *source_.member);
  }
}

std::int64_t TextPieces::most_text_bytes() const {
  constexpr std::int64_t deflate_ratio = 1032;  // zlib's technical details
  if (member_bytes_) return *member_bytes_;
  return source_.gzip ? file_bytes_ * deflate_ratio : file_bytes_;
}

/// Appends `bytes` of the file from `offset` on, less where it ends; sets fault_.
void TextPieces::read_plain(std::string& text, std::int64_t offset, std::int64_t bytes) {
  const std::size_t before = text.size();
  bytes = std::max<std::int64_t>(0, std::min(bytes, file_bytes_ - offset));
  text.resize(before + bytes);
  std::int64_t done = 0;
  while (done < bytes) {
    const ssize_t count =
        ::pread(file_.number(), text.data() + before + done, bytes - done, offset + done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      fault_ = count < 0 ? fmt::format("reading failed: {}", std::strerror(errno))
                         : "the file became shorter while it was read; try again";
      break;
    }
    done += count;
  }
  text.resize(before + done);
}

std::string_view TextPieces::head(std::int64_t bytes) {
  if (bytes > longest_line_bytes) {
    fault_ = overlong_line;
  } else if (source_.gzip) {
    while (!inflated_all_ && static_cast<std::int64_t>(ahead_.size()) < bytes) inflate_more();
  } else {
    const auto have = static_cast<std::int64_t>(ahead_.size());
    read_plain(ahead_, head_start_ + have, bytes - have);
  }
  return ahead_;
}

void TextPieces::drop_head(std::int64_t bytes) {
  ahead_.erase(0, bytes);
  head_start_ += bytes;
}

void TextPieces::start_at(std::int64_t offset) {
  body_start_ = round_start_ = offset;
  finished_ = !source_.gzip && offset >= file_bytes_;
  if (source_.gzip && comm_.rank == 0) ahead_.erase(0, offset - head_start_);
  if (!source_.gzip) std::string().swap(ahead_);
}

TextPiece TextPieces::next() {
  return source_.gzip ? next_inflated() : next_plain();
}

/// Reads on until buffer_, which lies at `offset` of the file, ends with a line.
void TextPieces::complete_last_line(std::int64_t offset) {
  while (!fault_ && buffer_.back() != '\n') {
    const std::size_t searched = buffer_.size();
    const std::int64_t next = offset + static_cast<std::int64_t>(searched);
    if (next >= file_bytes_) return;
    read_plain(buffer_, next, step_bytes);
    const std::size_t newline = buffer_.find('\n', searched);
    if (newline != std::string::npos) {
      buffer_.resize(newline + 1);
    } else if (static_cast<std::int64_t>(buffer_.size()) > piece_bytes_ + longest_line_bytes) {
      fault_ = overlong_line;
    }
  }
}

TextPiece TextPieces::next_plain() {
  TextPiece piece;
  const std::int64_t begin = round_start_ + comm_.rank * piece_bytes_;
  const std::int64_t end = std::min(begin + piece_bytes_, file_bytes_);
  round_start_ += comm_.size * piece_bytes_;
  finished_ = round_start_ >= file_bytes_;
  if (begin >= end) return piece;

  // One byte more at the front tells whether a line begins at `begin`.
  const std::int64_t from = begin == body_start_ ? begin : begin - 1;
  buffer_.clear();
  read_plain(buffer_, from, end - from);
  std::size_t first = 0;
  if (from != begin) {
    const std::size_t newline = buffer_.find('\n');
    first = newline == std::string::npos ? buffer_.size() : newline + 1;
  }
  if (first < buffer_.size()) complete_last_line(from);
  // After a fault only whole lines count: the rest would be taken for a faulty line.
  if (fault_) buffer_.resize(std::max(first, buffer_.rfind('\n') + 1));
  piece.text = std::string_view(buffer_).substr(first);
  piece.offset = from + static_cast<std::int64_t>(first);
  piece.fault = fault_;
  return piece;
}

/// Rank 0. Appends to ahead_; at the end of the data sets inflated_all_, and fault_ for damage.
void TextPieces::inflate_more() {
  const std::size_t before = ahead_.size();
  const std::int64_t wanted = std::min(step_bytes, member_left_.value_or(step_bytes));
  ahead_.resize(before + wanted);
  const int count = gzread(inflater_.get(), ahead_.data() + before, static_cast<unsigned>(wanted));
  ahead_.resize(before + std::max(count, 0));
  if (member_left_) *member_left_ -= std::max(count, 0);
  if (member_left_ == 0) inflated_all_ = true;
  if (count == wanted) return;
  inflated_all_ = true;
  int code = Z_OK;
  gzerror(inflater_.get(), &code);
  if (code == Z_BUF_ERROR || (code == Z_OK && member_left_)) {
    fault_ = source_.member ? "the archive ends early (truncated); copy the file again"
                            : "the compressed data end early (truncated); copy the file again";
  } else if (code == Z_ERRNO) {
    fault_ = fmt::format("reading failed: {}", std::strerror(errno));
  } else if (code != Z_OK) {
    fault_ = "the compressed data are damaged; copy the file again";
  }
}

/// Rank 0. Where the line ends that holds byte `wanted` - 1 of ahead_, or the text. After a fault
/// the part of a line that is left is dropped: it would be taken for a faulty line.
std::size_t TextPieces::inflated_line_end(std::size_t wanted) {
  std::size_t searched = wanted - 1, newline = ahead_.find('\n', searched);
  while (newline == std::string::npos && !inflated_all_) {
    searched = std::max(searched, ahead_.size());
    inflate_more();
    newline = ahead_.find('\n', searched);
    if (ahead_.size() > wanted + longest_line_bytes) {
      fault_ = overlong_line;
      inflated_all_ = true;
    }
  }
  if (newline == std::string::npos && fault_) ahead_.resize(ahead_.rfind('\n') + 1);
  return newline == std::string::npos ? ahead_.size() : newline + 1;
}

/// Rank 0. Cuts the next round: whole lines, piece_bytes_ or a line more for each rank that reads.
/// On one rank it runs beside the parsing of the round before.
void TextPieces::inflate_round() {
  std::size_t end = 0;
  next_round_.ends.assign(comm_.size, 0);
  for (int rank = comm_.size == 1 ? 0 : 1; rank < comm_.size; ++rank) {
    next_round_.ends[rank] = end = inflated_line_end(end + piece_bytes_);
  }
  std::string rest = ahead_.substr(end);
  ahead_.resize(end);
  next_round_.text = std::exchange(ahead_, std::move(rest));
  next_round_.last = inflated_all_ && ahead_.empty();
  next_round_.fault = fault_;
  next_is_inflated_ = true;
}

void TextPieces::read_ahead() {
  if (!source_.gzip || comm_.rank != 0 || finished_) return;
  if (comm_.size > 1) {
    inflate_round();
  } else if (omp_get_max_threads() > 1) {
    inflating_ = std::async(std::launch::async, [this] { inflate_round(); });
  }
}

TextPiece TextPieces::next_inflated() {
  struct Description {
    std::int64_t offset = 0;
    int bytes = 0;
    bool last = false;
  } mine;
  std::vector<Description> all(comm_.size);  // of rank 0, as the next
  std::vector<int> bytes(comm_.size), starts(comm_.size);
  if (comm_.rank == 0) {
    if (inflating_.valid()) inflating_.get();
    if (!next_is_inflated_) inflate_round();
    std::swap(round_, next_round_);
    next_is_inflated_ = false;
    int start = 0;
    for (int rank = 0; rank < comm_.size; ++rank) {
      const int end = checked_cast<int>(round_.ends[rank], "bytes of a round");
      starts[rank] = std::exchange(start, end);
      bytes[rank] = end - starts[rank];
      all[rank] = {round_start_ + starts[rank], bytes[rank], round_.last};
    }
    round_start_ += start;
  }
  ROWHALO_MPI(MPI_Scatter(all.data(), sizeof mine, MPI_BYTE, &mine, sizeof mine, MPI_BYTE, 0,
                          comm_.handle));
  TextPiece piece;
  piece.offset = mine.offset;
  piece.text = round_.text;
  if (comm_.size > 1) {
    buffer_.resize(mine.bytes);
    ROWHALO_MPI(MPI_Scatterv(round_.text.data(), bytes.data(), starts.data(), MPI_CHAR,
                             buffer_.data(), mine.bytes, MPI_CHAR, 0, comm_.handle));
    piece.text = buffer_;
  }
  finished_ = mine.last;
  if (finished_) {
    // The fault belongs behind the last line of the round.
    std::string fault = round_.fault.value_or("");
    broadcast(comm_, fault);
    if (!fault.empty() && comm_.rank == comm_.size - 1) piece.fault = fault;
  }
  return piece;
}

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// A text file, plain or gzip-compressed, in line-aligned pieces for all ranks. Pieces come in
// rounds: in every round rank r gets the r-th consecutive piece, so that file order is round, rank,
// position. Plain: every rank reads its own bytes; a line belongs to the piece that holds its first
// byte. gzip cannot be entered in the middle: rank 0 inflates the next round while the others parse
// this one, and gets no text itself; alone it inflates in a thread of its own. Two rounds are in
// its memory, of at most 64 MiB each. A member of a tar archive is read in the same way.
#pragma once

#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/input_file.hpp"
#include "partition/comm.hpp"

struct gzFile_s;  ///< of zlib

namespace rowhalo {

// tar.cpp: members of a tar archive, compressed by gzip or not, as the SuiteSparse collection has
// them: NAME/NAME.mtx, and for some matrices NAME/NAME_b.mtx, NAME/NAME_x.mtx beside it. Read as a
// stream. Formats: ustar and pax (POSIX.1-2001), GNU's long names and large sizes. Local.

/// Leaves `archive`, which stands at its start, at the first byte of a member and gives its size:
/// of that which is called `member`, with its folder or without; if that is empty, of the matrix:
/// FOLDER/FOLDER.mtx, else the only .mtx. Throws InputError, beginning with `path`, that lists what
/// there is.
std::int64_t find_tar_member(gzFile_s* archive, const std::string& path, const std::string& member);

/// A longer line is taken as a sign that the file is no text.
inline constexpr std::int64_t longest_line_bytes = std::int64_t{64} << 20;

/// What is read of a file.
struct TextSource {
  std::string name;                     ///< for messages
  std::string file;                     ///< its path
  bool gzip = false;                    ///< compressed, or an archive: only rank 0 reads it
  std::optional<std::string> member{};  ///< of a tar archive; empty: its matrix
};

/// Whole lines; only the last line of the file may lack its newline.
struct TextPiece {
  std::string_view text;    ///< valid until the next piece
  std::int64_t offset = 0;  ///< of `text` in the (uncompressed) file
  /// Why no text follows although the file goes on (damage, read error); on one rank only.
  std::optional<std::string> fault;
};

class TextPieces {
 public:
  TextPieces(TextSource source, const Comm& comm, std::int64_t piece_bytes);
  TextPieces(const TextPieces&) = delete;
  TextPieces& operator=(const TextPieces&) = delete;

  /// Local. Throws InputError: missing, unreadable, a directory, empty, no such member. Does
  /// nothing where this rank never reads the file.
  void open();
  /// Local, rank 0: at least `bytes` from the start of the file, or where drop_head() ended; less
  /// only where the file ends or fault(), as it does when that is more than a line can have.
  std::string_view head(std::int64_t bytes);
  void drop_head(std::int64_t bytes);
  const std::optional<std::string>& fault() const { return fault_; }
  /// Size of the file itself (compressed, if it is), 0 where this rank does not read it.
  std::int64_t file_bytes() const { return file_bytes_; }
  /// As many bytes as the text can have at most; of rank 0.
  std::int64_t most_text_bytes() const;

  /// Every rank. The first round starts at `offset`, which must lie within the head.
  void start_at(std::int64_t offset);
  /// Collective. This rank's piece of the next round, possibly empty.
  TextPiece next();
  /// Local, once a round, when its piece is there and not parsed yet: gets on with the next round.
  void read_ahead();
  /// The same on every rank: no text is left for another round.
  bool finished() const { return finished_; }

 private:
  struct CloseGzip {
    void operator()(gzFile_s* file) const;
  };

  /// One round of inflated text, on rank 0.
  struct Round {
    std::string text;
    std::vector<std::size_t> ends;  ///< of the pieces of all ranks, in it
    bool last = false;
    std::optional<std::string> fault;  ///< behind the last round
  };

  TextPiece next_plain();
  TextPiece next_inflated();
  void read_plain(std::string& text, std::int64_t offset, std::int64_t bytes);
  void complete_last_line(std::int64_t offset);
  void inflate_more();
  void inflate_round();
  std::size_t inflated_line_end(std::size_t wanted);

  TextSource source_;
  Comm comm_;
  std::int64_t piece_bytes_;
  std::int64_t file_bytes_ = 0;
  InputFile file_;
  std::unique_ptr<gzFile_s, CloseGzip> inflater_;
  Round round_, next_round_;
  bool next_is_inflated_ = false;
  std::string ahead_;  ///< read from the start, or inflated, but not yet in a piece
  bool inflated_all_ = false;
  std::optional<std::int64_t> member_bytes_, member_left_;  ///< of an archive, not inflated yet
  std::int64_t head_start_ = 0;
  std::int64_t body_start_ = 0;
  std::int64_t round_start_ = 0;  ///< where the next piece of rank 0 begins
  bool finished_ = false;
  std::string buffer_;  ///< this rank's piece
  std::optional<std::string> fault_;
  /// The next round, when this rank is alone. Last, so that it ends before what it works on.
  std::future<void> inflating_;
};

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// Partitioner `file:PATH`: one line per row with the number of its owner, as METIS's programs write
// it. Empty lines and lines that begin with % or # are skipped. One rank reads, a share of rows at
// a time, which goes to the rank that holds them before the next one is read. Lines are bounded, so
// that no file can take more memory than that.
#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "partition/base/regular_file.hpp"
#include "partition/partitioners/functions.hpp"

namespace rowhalo {

namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

/// The lines of the file; lives on rank 0. All functions throw InputError.
class OwnerFile {
 public:
  OwnerFile(const Spec& options, int parts, const MatrixInfo& info)
      : path_(options.argument()), parts_(parts), info_(info) {
    int descriptor = -1;
    try {
      descriptor = open_regular_file(path_).descriptor;
    } catch (const InputError& error) {
      options.fail(error.what());
    }
    stream_.reset(::fdopen(descriptor, "r"));
    if (!stream_) throw std::runtime_error("fdopen: out of memory");
  }

  /// Owners of the next `count` rows.
  std::vector<int> read(GlobalIndex count, Progress& progress) {
    std::vector<int> owners;
    owners.reserve(count);
    for (GlobalIndex k = 0; k < count; ++k, ++row_) {
      if (!next_line()) {
        fail(fmt::format("the file ends after the owners of {} rows, but {} has {} rows", row_,
                         info_.source, info_.rows));
      }
      owners.push_back(owner());
      if (row_ % info_.block == 0) block_owner_ = owners.back();
      if (owners.back() != block_owner_) {
        fail(
            fmt::format("row {} goes to {}, but the row before it to {}, and rows belong together "
                        "in blocks of {}; give them one owner, or use --block 1",
                        row_, owners.back(), block_owner_, info_.block));
      }
      if (k % 65536 == 0) progress.tick();
    }
    return owners;
  }

  void expect_end() {
    if (!next_line()) return;
    fail(fmt::format("more lines than the {} rows of {}; one per row is wanted", info_.rows,
                     info_.source));
  }

 private:
  [[noreturn]] void fail(const std::string& reason) const {
    throw InputError(fmt::format("{}:{}: {}", path_, number_, reason));
  }

  /// To the next line that is no comment and not empty, without spaces around it.
  bool next_line() {
    constexpr const char* spaces = " \t\r\n";
    std::array<char, 4096> buffer;
    while (std::fgets(buffer.data(), buffer.size(), stream_.get()) != nullptr) {
      line_ = buffer.data();
      ++number_;
      if (!line_.ends_with('\n') && !std::feof(stream_.get())) {
        fail(
            fmt::format("the line is longer than {} characters or holds a null byte; check what "
                        "the file is",
                        buffer.size() - 1));
      }
      line_.erase(0, line_.find_first_not_of(spaces));
      line_.erase(line_.find_last_not_of(spaces) + 1);
      if (!line_.empty() && line_[0] != '%' && line_[0] != '#') return true;
    }
    if (std::ferror(stream_.get()))
      fail(fmt::format("cannot be read on: {}", std::strerror(errno)));
    return false;
  }

  int owner() const {
    int owner = -1;
    const char* end = line_.data() + line_.size();
    const auto [stop, error] = std::from_chars(line_.data(), end, owner);
    if (stop != end || error == std::errc::invalid_argument) {
      fail(fmt::format("'{:.40}' is not an integer; the owner of row {} is wanted", line_, row_));
    }
    if (error == std::errc{} && owner >= 0 && owner < parts_) return owner;
    fail(
        fmt::format("the owner of row {} is {:.40} but must be in 0..{}; use as many ranks as the "
                    "file is made for",
                    row_, line_, parts_ - 1));
  }

  std::string path_;
  int parts_;
  const MatrixInfo& info_;
  std::unique_ptr<std::FILE, CloseFile> stream_;
  std::string line_;
  std::int64_t number_ = 0;  ///< of line_, from 1
  GlobalIndex row_ = 0;
  int block_owner_ = 0;
};

}  // namespace

std::vector<int> assign_file(const DistributedCsr& matrix, int parts, const Spec& options,
                             const Comm& comm, Progress& progress) {
  progress.phase("partition: file");
  std::optional<OwnerFile> file;
  agree(comm, [&] {
    options.allow_only({});
    if (options.argument().empty()) options.fail("the path is missing; use file:PATH");
    if (comm.rank == 0) file.emplace(options, parts, matrix.info);
  });
  const std::vector<std::int64_t> shares = gather_to_all(comm, matrix.local_rows());
  std::vector<int> mine;
  for (int rank = 0; rank < comm.size; ++rank) {
    std::vector<int> owners;
    agree(comm, [&] {
      if (file) owners = file->read(shares[rank], progress);
      if (file && rank + 1 == comm.size) file->expect_end();
    });
    std::vector<std::int64_t> counts(comm.size, 0);
    counts[rank] = static_cast<std::int64_t>(owners.size());
    std::vector<int> received = exchange(comm, owners, counts);
    if (rank == comm.rank) mine = std::move(received);
    progress.tick();
  }
  return mine;
}

}  // namespace rowhalo

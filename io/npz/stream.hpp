// SPDX-License-Identifier: BSD-3-Clause
//
// One array of an .npz file, read once from front to back by all ranks together (reader.hpp).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "io/input_file.hpp"
#include "io/notices.hpp"
#include "io/npz/npy.hpp"
#include "io/npz/reader.hpp"
#include "partition/base/progress.hpp"

namespace rowhalo {

class NpzStream {
 public:
  /// `file` is open on rank 0, and on every rank if the array is not deflated, and outlives the
  /// stream; `place` is file and array.
  NpzStream(const InputFile& file, const NpzArray& array, std::string place, const Comm& comm,
            Progress& progress);
  ~NpzStream();
  NpzStream(const NpzStream&) = delete;
  NpzStream& operator=(const NpzStream&) = delete;

  /// Collective. The items [first, first + count), which are this rank's affair; those of no rank
  /// lie before what has been read or at `end`, the same on all ranks, or behind it. Throws
  /// AgreedError.
  std::vector<std::int64_t> integers(std::int64_t first, std::int64_t count, std::int64_t end);
  std::vector<double> reals(std::int64_t first, std::int64_t count, std::int64_t end,
                            RoundedNumbers& rounded);

 private:
  struct Inflater;
  /// What takes `count` items, the first of which is number `first` of the array.
  using Take = std::function<void(const char* bytes, std::int64_t first, std::int64_t count)>;

  void read(std::int64_t first, std::int64_t count, std::int64_t end, const Take& take);
  void read_stored(std::int64_t first, std::int64_t count, const Take& take);
  void read_deflated(std::int64_t first, std::int64_t count, std::int64_t end, const Take& take);

  const InputFile& file_;
  NpzArray array_;
  std::string place_;
  Comm comm_;
  Progress& progress_;
  std::string buffer_;                  ///< a piece
  std::int64_t next_ = 0;               ///< the first item that is not inflated yet
  std::unique_ptr<Inflater> inflater_;  ///< of a deflated array
};

}  // namespace rowhalo

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
  /// `file` is open on every rank and outlives the stream; `place` is file and array.
  NpzStream(const InputFile& file, const NpzArray& array, std::string place, const Comm& comm,
            Progress& progress);
  ~NpzStream();
  NpzStream(const NpzStream&) = delete;
  NpzStream& operator=(const NpzStream&) = delete;

  const std::string& place() const { return place_; }

  /// Collective. The next items, in the order of the ranks: rank r gets those up to ends[r].
  /// Throws AgreedError.
  std::vector<std::int64_t> integers(const std::vector<std::int64_t>& ends);
  std::vector<double> reals(const std::vector<std::int64_t>& ends, RoundedNumbers& rounded);

 private:
  struct Inflater;
  /// What takes `count` items, the first of which is number `first` of the array.
  using Take = std::function<void(const char* bytes, std::int64_t first, std::int64_t count)>;

  void read(const std::vector<std::int64_t>& ends, const Take& take);
  void read_stored(std::int64_t begin, std::int64_t end, const Take& take);
  void hand_out(const std::vector<std::int64_t>& ends, const Take& take);
  void receive(std::int64_t begin, std::int64_t end, const Take& take);

  const InputFile& file_;
  NpzArray array_;
  std::string place_;
  Comm comm_;
  Progress& progress_;
  std::int64_t next_ = 0;               ///< the first item of the next call
  std::unique_ptr<Inflater> inflater_;  ///< rank 0, of a deflated array
};

}  // namespace rowhalo

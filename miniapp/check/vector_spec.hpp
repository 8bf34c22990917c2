// SPDX-License-Identifier: BSD-3-Clause
//
// What x and y start as: --x and --y. Entries are functions of the index in the source, so that
// they do not depend on ranks, partition or renumbering; a file is read in even shares and asked by
// index.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "partition/base/progress.hpp"
#include "partition/comm.hpp"

namespace rowhalo {

/// What may be written for a vector, as in messages and --help: "random:seed=N", "ones", ...,
/// then the kinds of files.
std::vector<std::string> vector_usages();

class VectorSpec {
 public:
  /// Collective. `option` is "--x" or "--y"; the vector has `size` entries and is number `vector`
  /// of `vectors`, from 0: of random:seed=N that of seed N + vector, of a file its column. Throws
  /// AgreedError.
  VectorSpec(const std::string& text, const char* option, GlobalIndex size, const Comm& comm,
             Progress& progress, int vector = 0, int vectors = 1);

  /// Collective. The entries at `numbers` (in the source's numbering), as stored in `precision`.
  std::vector<double> entries(std::span<const GlobalIndex> numbers, Precision precision) const;

 private:
  double (*entry_)(std::uint64_t seed, std::uint64_t number) = nullptr;  ///< null: of a file
  std::uint64_t seed_ = 1;
  GlobalIndex size_;
  std::vector<double> share_;  ///< of a file
  Comm comm_;
};

}  // namespace rowhalo

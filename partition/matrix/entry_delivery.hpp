// SPDX-License-Identifier: BSD-3-Clause
//
// Entries of a matrix, read in any order by any rank, on their way to the ranks of their rows, in
// rounds of bounded size. So the peak of memory is 24 bytes per entry and, at the end, the
// assembled rows (16).
#pragma once

#include <span>
#include <vector>

#include "partition/matrix/entry_chunks.hpp"

namespace rowhalo {

/// Bytes per entry at the peak of a delivery, for check_memory.
inline constexpr std::int64_t delivery_bytes = sizeof(Entry) + sizeof(GlobalIndex) + sizeof(double);

/// What an entry off the diagonal stands for besides itself: that at (column, row), of its value or
/// of its negative.
enum class Mirror { none, equal, negated };

class EntryDelivery {
 public:
  /// To the ranks of `rows` rows in even shares.
  EntryDelivery(const Comm& comm, GlobalIndex rows, Mirror mirror)
      : comm_(comm), rows_(rows), mirror_(mirror) {}

  /// Collective, once a round. `parts`: what this rank has of the round, in the order of the file,
  /// in which a round's entries follow the order of the ranks; each part is a thread's work.
  void send(const std::vector<std::span<const Entry>>& parts);

  /// Local, last of all. The rows of this rank, of what has arrived in the order of the file.
  DistributedCsr assemble(const MatrixInfo& info);

 private:
  std::vector<std::vector<std::int64_t>> count_by_owner(
      const std::vector<std::span<const Entry>>& parts, std::vector<std::int64_t>& counts) const;
  void group_by_owner(const std::vector<std::span<const Entry>>& parts,
                      std::vector<std::vector<std::int64_t>>&& next, Entry* grouped) const;

  Comm comm_;
  GlobalIndex rows_;
  Mirror mirror_;
  std::vector<Entry> grouped_;  ///< room that the rounds share: fresh memory costs page faults
  EntryChunks arrived_;
};

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// The way of new values, from the rows that a local matrix was made from to its entries: the same
// order mostly; another where columns did not ascend or rows moved to their owners. Values travel
// alone then, by counts that are known from the first time.
#pragma once

#include <vector>

#include "partition/comm.hpp"
#include "partition/local_rows.hpp"
#include "partition/matrix/migrate.hpp"

namespace rowhalo {

class ValueRoute {
 public:
  ValueRoute() = default;
  /// Local. Of an application's rows, which stay where they are.
  explicit ValueRoute(const LocalRows& rows);
  /// Collective. Of rows that go to owners[local row].
  ValueRoute(const Comm& comm, const CsrRows& rows, const std::vector<int>& owners);

  /// Values that this rank gives.
  std::int64_t given() const { return given_; }
  /// Whether rows move between ranks: the same on all of them.
  bool moves() const { return !received_bytes_.empty(); }
  /// Whether values stand where they are given.
  bool keeps_order() const { return !moves() && places_.empty(); }
  /// Bytes that it holds.
  std::int64_t bytes() const;

  /// Brings `given` to `entries`, which do not overlap. Collective where rows move. Values of one
  /// place are added up in the order in which they were given.
  void carry(const Comm& comm, const double* given, double* entries);

 private:
  std::int64_t given_ = 0;
  std::vector<Offset> offsets_;     ///< of the given rows; empty where their order is kept
  std::vector<Offset> places_;      ///< of each given value; ~place: to be added
  std::vector<GlobalIndex> order_;  ///< of the given rows as they leave; empty: as they stand
  std::vector<double> packed_;
  std::vector<std::int64_t> sent_bytes_, received_bytes_;  ///< per rank
};

}  // namespace rowhalo

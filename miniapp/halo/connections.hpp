// SPDX-License-Identifier: BSD-3-Clause
//
// What transports of one run connect once and share: an NCCL communicator takes about a second, and
// `auto` tries transports one after the other.
#pragma once

#include <memory>

namespace rowhalo {

struct NcclConnection;  ///< nccl.cpp

/// For transports of the same ranks, whose exchanges begin in the same order on all of them.
class Connections {
 public:
  Connections();
  /// Ends locally what was not closed, as after an error.
  ~Connections();
  Connections(const Connections&) = delete;
  Connections& operator=(const Connections&) = delete;

  /// Collective; when all transports are closed.
  void close();

  std::unique_ptr<NcclConnection> nccl;  ///< null until a transport has opened it
};

}  // namespace rowhalo

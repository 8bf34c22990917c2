// SPDX-License-Identifier: BSD-3-Clause
//
// What transports of one run connect once and share: an NCCL communicator takes about a second, and
// `auto` tries transports one after the other.
#pragma once

#include <memory>

namespace rowhalo {

/// Ends locally what was not closed, as after an error.
struct Connection {
  virtual ~Connection() = default;
  virtual void close() = 0;  ///< collective
};

/// For transports of the same ranks, whose exchanges begin in the same order on all of them.
struct Connections {
  std::unique_ptr<Connection> nccl;  ///< null until a transport has opened it

  /// Collective; when all transports are closed.
  void close() {
    if (nccl) nccl->close();
    nccl.reset();
  }
};

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// A communicator of a library's own, beside that of its caller.
#pragma once

#include "partition/comm.hpp"

namespace rowhalo {

/// A duplicate, on which errors of MPI come back as codes and failures of one rank are agreed on.
class OwnComm {
 public:
  OwnComm() = default;
  OwnComm(const OwnComm&) = delete;
  OwnComm& operator=(const OwnComm&) = delete;

  const Comm& get() const { return comm_; }
  /// Collective. Keeps the agreement of `comm` if it has one.
  void open(const Comm& comm) {
    MPI_Comm handle = MPI_COMM_NULL;
    ROWHALO_MPI(MPI_Comm_dup(comm.handle, &handle));
    ROWHALO_MPI(MPI_Comm_set_errhandler(handle, MPI_ERRORS_RETURN));
    comm_ = comm;
    comm_.handle = handle;
    if (comm.agreement == nullptr) comm_.agreement = &agreement_;
  }
  /// Collective, once; then nothing.
  void close() {
    if (comm_.handle != MPI_COMM_NULL) MPI_Comm_free(&comm_.handle);
  }

 private:
  Agreement agreement_;
  Comm comm_;
};

}  // namespace rowhalo

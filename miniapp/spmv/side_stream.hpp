// SPDX-License-Identifier: BSD-3-Clause
//
// A stream beside another one: a fork, work in both, a join. Its kernels come first where both want
// the device. Fits into CUDA graphs, which keep the order by events and the priority by node.
// Contract: every fork is followed by a join with the same stream before the next fork.
#pragma once

#include "kernels/gpu/device/runtime.hpp"

namespace rowhalo {

class SideStream {
 public:
  /// What is put into the returned stream comes after what stands in `stream` now.
  Stream fork(Stream stream) const {
    forked_.record(stream);
    forked_.make_wait(side_.stream());
    return side_.stream();
  }
  /// What is put into `stream` from now on comes after what stands beside it.
  void join(Stream stream) const {
    joined_.record(side_.stream());
    joined_.make_wait(stream);
  }

  Stream stream() const { return side_.stream(); }

 private:
  StreamHandle side_{StreamHandle::Priority::high};
  EventHandle forked_{EventHandle::Timing::off}, joined_{EventHandle::Timing::off};
};

}  // namespace rowhalo

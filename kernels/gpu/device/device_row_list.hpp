// SPDX-License-Identifier: BSD-3-Clause
//
// A row list in device memory: a copy of one on the host.
#pragma once

#include "kernels/gpu/device/runtime.hpp"
#include "partition/base/row_list.hpp"

namespace rowhalo {

class DeviceRowList {
 public:
  /// Copies `host` to the current device; back when it is there.
  explicit DeviceRowList(const RowList& host)
      : count_(host.count), groups_(std::span(host.groups)), indices_(std::span(host.indices)) {}
  RowListView view() const { return {count_, groups_.data(), indices_.data()}; }

 private:
  LocalIndex count_;
  DeviceArray<LocalIndex> groups_;
  DeviceArray<LocalIndex> indices_;
};

}  // namespace rowhalo

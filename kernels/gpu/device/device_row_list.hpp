// SPDX-License-Identifier: BSD-3-Clause
//
// A row list in device memory: a copy of one on the host, or one that a format made for itself.
#pragma once

#include "kernels/gpu/device/runtime.hpp"
#include "partition/base/row_list.hpp"

namespace rowhalo {

struct DeviceRowList {
  LocalIndex count = 0;
  DeviceArray<LocalIndex> groups, indices;

  DeviceRowList() = default;
  /// Copies `host` to the current device; back when it is there.
  explicit DeviceRowList(const RowList& host)
      : count(host.count), groups(std::span(host.groups)), indices(std::span(host.indices)) {}

  RowListView view() const { return {count, groups.data(), indices.data()}; }
  std::int64_t bytes() const { return groups.bytes() + indices.bytes(); }
};

}  // namespace rowhalo

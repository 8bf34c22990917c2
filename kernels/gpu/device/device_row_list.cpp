// SPDX-License-Identifier: BSD-3-Clause
//
// Copies a row list to the device (device_row_list.hpp).
#include "kernels/gpu/device/device_row_list.hpp"

namespace rowhalo {

DeviceRowList::DeviceRowList(const RowList& host)
    : count_(host.count), groups_(std::span(host.groups)), indices_(std::span(host.indices)) {}

}  // namespace rowhalo

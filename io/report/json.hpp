// SPDX-License-Identifier: BSD-3-Clause
//
// The report as a JSON value: what the text of --json and the groups of --hdf5 are made from.
#pragma once

#include <nlohmann/json.hpp>

#include "io/report/report.hpp"

namespace rowhalo {

using Json = nlohmann::ordered_json;

Json report_json(const RunReport& report);

/// The sections of `info` (report_info_json.cpp).
Json info_json(const InfoReport& info);
/// A partitioner that was looked at.
Json judgement_json(const PartitionJudgement& judgement);
Json communication_json(const CommunicationReport& communication);

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

}  // namespace rowhalo

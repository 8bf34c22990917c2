// SPDX-License-Identifier: BSD-3-Clause
//
// What JSON reports look like, for the readers of other programs.
#pragma once

#include <string>

namespace rowhalo {

/// The text of report.schema.json: a JSON Schema that takes what to_json writes and nothing else.
std::string report_schema();

}  // namespace rowhalo

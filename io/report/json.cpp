// SPDX-License-Identifier: BSD-3-Clause
//
// The report as JSON. What was not measured is null; so are NaN and infinity, which JSON does not
// have.
#include "io/report/json.hpp"

#include "io/report/writers.hpp"

namespace rowhalo {

std::string to_json(const RunReport& report) {
  return json_of(report).dump(2) + "\n";
}

}  // namespace rowhalo

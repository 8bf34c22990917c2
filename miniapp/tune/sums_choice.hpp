// SPDX-License-Identifier: BSD-3-Clause
//
// `--partial-sums auto`: whether products with partial sums are predicted to be faster.
#pragma once

#include "miniapp/halo/transports.hpp"
#include "partition/assignment.hpp"

namespace rowhalo {

/// Collective. From a cover of this rank's ghost entries (partition/partial_sums.hpp), before
/// anything is moved: what the exchange of entries of x alone takes on the links of `model` against
/// what computing and adding the sums takes, behind which the smaller exchanges travel.
bool sums_pay(const Comm& comm, const LocalMatrix& matrix, const ComputeSite& site,
              const PredictionModel& model, Precision precision);

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// The timeline of a few products, for people who want to see who waits for whom: the trace event
// format of Chrome ("Trace Event Format", Duvanenko, 2016), which Perfetto reads. A process is a
// rank; its threads are the host (how long the calls of a phase take), the stream of the product on
// a GPU (by events), and the halo: from the end of packing to the arrival of the ghosts. Times are
// microseconds since all ranks met, by rank 0's clock: the offset of every other clock is measured
// with messages there and back, the shortest round trip of several.
#pragma once

#include <string>

#include "io/report/report.hpp"
#include "miniapp/tune/products.hpp"

namespace rowhalo {

/// Collective, after products have run: nothing is warmed up. The text on rank 0, empty elsewhere.
std::string trace_products(const ProductSetting& setting, Products& products,
                           const Provenance& provenance);

}  // namespace rowhalo

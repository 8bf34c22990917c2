// SPDX-License-Identifier: BSD-3-Clause
//
// `auto`: the format and the transport are measured, not guessed. Every candidate runs a few
// products on the real blocks and the real plan; the fastest by the slowest rank's time serves all
// ranks.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/report.hpp"
#include "miniapp/distributed_spmv.hpp"

namespace rowhalo {

struct FormatRequest {
  std::string interior = "auto";
  std::string boundary;  ///< empty: the same as the interior's
  Schedule schedule = Schedule::overlap;
  Device device = Device::cpu;
};

struct ChosenKernels {
  std::string interior, boundary;
  LocalKernels kernels;
  std::vector<Candidate> candidates;  ///< empty when the format was named
};

/// Collective. `x`: all local columns in the precision of `block`. Throws AgreedError when a named
/// format is unknown or refuses.
ChosenKernels choose_kernels(const Comm& comm, const CsrView& block, const LocalMatrix& matrix,
                             const FormatRequest& request, const void* x, Progress& progress);

struct ChosenTransport {
  std::string name;
  std::unique_ptr<HaloExchange> halo;
  std::vector<Candidate> candidates;  ///< empty when the transport was named
};

/// Collective. `x`: as above. The transport is made for context.vectors vectors.
ChosenTransport choose_transport(const std::string& name, const TransportContext& context,
                                 const LocalKernels& kernels, const void* x, Progress& progress);

/// Copies the owned entries of `x` (in the precision of the run) into a vector of a transport and
/// fills its ghosts with NaN, so that an exchange that forgets one is seen.
void fill_owned(const HaloVector& target, const void* x);

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// The load functions behind the table of sources (sources.cpp), one file each.
// All are collective and throw AgreedError on bad input.
#pragma once

#include "partition/base/progress.hpp"
#include "partition/base/spec.hpp"
#include "partition/comm.hpp"
#include "partition/distributed_csr.hpp"

namespace rowhalo {

DistributedCsr load_matrix_market(const Spec& spec, const Comm& comm, Progress& progress);
DistributedCsr load_stencil5(const Spec& spec, const Comm& comm, Progress& progress);
DistributedCsr load_stencil7(const Spec& spec, const Comm& comm, Progress& progress);
DistributedCsr load_stencil27(const Spec& spec, const Comm& comm, Progress& progress);
DistributedCsr load_random(const Spec& spec, const Comm& comm, Progress& progress);
DistributedCsr load_dense(const Spec& spec, const Comm& comm, Progress& progress);

}  // namespace rowhalo

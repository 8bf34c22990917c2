// SPDX-License-Identifier: BSD-3-Clause
//
// Files of this process that must not outlive it unfinished. Where a job ends by an error that not
// all ranks share, nothing is unwound and no destructor removes them. For any thread; local.
#pragma once

#include <string>

namespace rowhalo {

void add_unfinished_file(const std::string& name);
/// It was renamed or removed.
void forget_unfinished_file(const std::string& name);
/// For a process that ends next. Does nothing while another thread is inside one of the others.
void remove_unfinished_files() noexcept;

}  // namespace rowhalo

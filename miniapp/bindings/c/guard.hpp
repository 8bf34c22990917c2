// SPDX-License-Identifier: BSD-3-Clause
//
// Between C++ and C: no exception leaves a function of rowhalo.h. Its code is returned, and its
// text kept for the thread.
#pragma once

namespace rowhalo::c {

/// Runs body(data); the code of what it throws, or ROWHALO_SUCCESS.
int guarded(void (*body)(const void*), const void* data) noexcept;
template <class Body>
int guarded(const Body& body) noexcept {
  return guarded([](const void* it) { (*static_cast<const Body*>(it))(); }, &body);
}

/// Local. Throws InputError where an argument is null.
void require_argument(const void* argument, const char* name);

/// Local. Throws InputError unless MPI runs.
void require_mpi();

}  // namespace rowhalo::c

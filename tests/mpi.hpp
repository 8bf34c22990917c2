// SPDX-License-Identifier: BSD-3-Clause
//
// For tests under mpirun. A REQUIRE that fails on one rank leaves the others in the next
// collective; so between collectives only REQUIRE_ALL_RANKS is used: every rank learns the verdict
// first.
#pragma once

#include <string>

#include "partition/comm.hpp"
#include "tests/catch.hpp"

/// The world communicator of the test.
inline rowhalo::Comm world() {
  return rowhalo::Comm::of(MPI_COMM_WORLD);
}

/// Collective. True when `verdict` holds on every rank.
inline bool on_all_ranks(bool verdict) {
  int all = verdict ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return all == 1;
}

/// Collective. Fails on every rank when `...` is false on any; the ranks where it is say so.
#define REQUIRE_ALL_RANKS(...)               \
  do {                                       \
    const bool verdict_ = bool(__VA_ARGS__); \
    CHECK(verdict_);                         \
    INFO(#__VA_ARGS__);                      \
    REQUIRE(on_all_ranks(verdict_));         \
  } while (false)

/// Collective. The message with which `make` is refused, which all ranks must have alike; empty: it
/// is not.
template <class Make>
std::string agreed_refusal(const Make& make) {
  std::string message;
  try {
    make();
  } catch (const rowhalo::AgreedError& error) {
    message = error.what();
  }
  std::string of_root = message;
  rowhalo::broadcast(world(), of_root);
  REQUIRE_ALL_RANKS(message == of_root);
  return message;
}

// SPDX-License-Identifier: BSD-3-Clause
//
// A failure of one rank at every step of the making of an operator, which all ranks must hold
// alike: it is thrown where ranks meet, and by every allocation and call of CUDA and NCCL in turn.
#include <algorithm>
#include <cstdlib>
#include <new>
#include <optional>

#include "tests/miniapp/spmv/application.hpp"
#include "tests/miniapp/spmv/refused_calls.hpp"

namespace {

/// While at least 0: so many allocations more are granted on this rank, and the next is refused.
std::int64_t granted = -1;

}  // namespace

// Inlined into callers, the pair below is none to g++.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

void* operator new(std::size_t bytes) {
  if (granted >= 0 && granted-- == 0) throw std::bad_alloc();
  void* memory = std::malloc(std::max<std::size_t>(bytes, 1));
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

using namespace rowhalo;
using namespace rowhalo::test;

namespace {

constexpr const char* planted = "planted: no answer";
bool unspent = false;  ///< what was to fail was never asked for

bool on_any_rank(bool verdict) {
  return !on_all_ranks(!verdict);
}

/// Makes an operator and its vectors while `arm` has armed something; whether all ranks held one
/// error, and `message` what it said.
bool fails_together(const Application& rows, const Tuning& tuning, Agreement& planting,
                    std::string& message) {
  Comm comm = world();
  comm.agreement = &planting;
  message.clear();
  std::optional<Operator> a;
  bool left = true;  // what was to fail was not asked for
  const auto disarm = [&] {
    left = granted >= 0 || answered_calls >= 0;
    granted = answered_calls = -1;
  };
  try {
    a.emplace(comm, rows.rows, tuning);
    for (int k = 0; k < tuning.halo_vectors && !tuning.foreign_vectors; ++k) a->make_vector();
    disarm();
  } catch (const AgreedError& error) {
    disarm();  // before anything is allocated here
    message = error.what();
  }
  unspent = on_any_rank(left);
  planting = {};
  std::string of_root = message;
  broadcast(world(), of_root);
  if (a) a->close();
  return on_all_ranks(message == of_root);
}

std::vector<Tuning> planted_tunings() {
  std::vector<Tuning> list{{.device = device}};
  list.push_back({.transport = "mpi-neighbor", .order = Order::blocking, .device = device});
  list.push_back({.transport = "mpi-persistent", .device = device});
  if (device == Device::cpu && world().size > 1) list.push_back({.transport = "mpi-shared"});
  list.push_back({.format = "coo", .order = Order::split, .device = device});
  list.push_back({.order = Order::split, .device = device, .refillable = true});
  return list;
}

}  // namespace

TEST_CASE("a failure at any meeting of the ranks is one error on all") {
  const Application rows(world());
  for (const Tuning& tuning : planted_tunings()) {
    INFO(tuning.transport);
    int meetings = 0;
    for (int step = 1;; ++step) {
      const int rank = step % world().size;
      Agreement planting;
      int met = 0;
      planting.at_meeting = [&] {
        if (++met == step && world().rank == rank) throw std::runtime_error(planted);
      };
      std::string message;
      const bool together = fails_together(rows, tuning, planting, message);

      CAPTURE(step, message);
      REQUIRE_ALL_RANKS(together);
      if (message.empty()) break;  // more than there are
      REQUIRE_ALL_RANKS(message.find(planted) != std::string::npos);
      meetings = step;
    }
    REQUIRE_ALL_RANKS(meetings > 20);
    Operator next(world(), rows.rows, tuning);
    REQUIRE_ALL_RANKS(agrees(next, product_of(next, rows.rows, 1, 0, 0), rows.product(1, 0, 0)));
    next.close();
  }
}

TEST_CASE("an allocation that fails in a conversion is an error of the format") {
  const Application rows(world());
  for (const FormatEntry& format : formats()) {
    if (format.device != device || format.baseline || !unusable_reason(format).empty()) continue;
    INFO(format.name);
    const Tuning tuning{.format = format.name, .device = device};
    if (!refusal_of(rows.rows, tuning).empty()) continue;
    for (std::int64_t k = 150;; k += 37) {  // behind those of the partition
      Agreement planting;
      if (world().rank == 0) granted = k;
      std::string message;
      const bool together = fails_together(rows, tuning, planting, message);
      CAPTURE(k, message);
      REQUIRE_ALL_RANKS(together);
      if (unspent) break;
    }
  }
}

TEST_CASE("an allocation that fails on one rank is one error on all") {
  const Application rows(world());
  for (const Tuning& tuning : planted_tunings()) {
    INFO(tuning.transport);
    int failures = 0;
    for (int rank = 0; rank < world().size; ++rank) {
      for (std::int64_t k = 0;; k += 1 + k / 40) {
        Agreement planting;
        if (world().rank == rank) granted = k;
        std::string message;
        const bool together = fails_together(rows, tuning, planting, message);
        CAPTURE(rank, k, message);
        REQUIRE_ALL_RANKS(together);
        if (unspent) break;
        failures += !message.empty();  // without memory to share, ranks of a node send messages
      }
    }
    REQUIRE_ALL_RANKS(failures > 30);
    Operator next(world(), rows.rows, tuning);
    REQUIRE_ALL_RANKS(agrees(next, product_of(next, rows.rows, 1, 0, 0), rows.product(1, 0, 0)));
    next.close();
  }
}

TEST_CASE("new values are taken without an allocation") {
  const Application rows(world());
  for (const FormatEntry& format : formats()) {
    if (format.device != device || !format.refillable || !unusable_reason(format).empty()) continue;
    for (const Order order : {Order::overlap, Order::blocking, Order::split}) {
      for (const Precision precision : {Precision::fp64, Precision::fp32}) {
        INFO(format.name << ", order " << static_cast<int>(order));
        const Tuning tuning{.format = format.name,
                            .order = order,
                            .precision = precision,
                            .device = device,
                            .refillable = true};
        if (!refusal_of(rows.rows, tuning).empty()) continue;
        Operator a(world(), rows.rows, tuning);
        a.refill(rows.values.data());  // OpenMP makes its threads once
        const HeldResources held = held_resources;
        granted = 0;
        bool taken = true;
        try {
          a.refill(rows.values.data());
        } catch (const std::bad_alloc&) {
          taken = false;
        }
        granted = -1;
        if (device == Device::gpu) synchronize_device();
        REQUIRE_ALL_RANKS(taken);
        REQUIRE_ALL_RANKS(held_resources == held);
        a.close();
      }
    }
  }
}

#ifdef ROWHALO_TEST_GPU
TEST_CASE("a call of CUDA or NCCL that fails on one rank is one error on all, and leaks nothing") {
  const Application rows(world());
  std::vector<Tuning> tunings = planted_tunings();
  const bool nccl = world().size == 1 && find_transport("nccl").unusable({device, false}).empty();
  if (nccl) tunings.push_back({.transport = "nccl", .device = device});
  tunings.push_back({.device = device, .foreign_vectors = true});
  for (const Tuning& tuning : tunings) {
    INFO(tuning.transport << ", " << tuning.format);
    Operator(world(), rows.rows, tuning).close();  // libraries keep something from their first use
    const HeldResources held = held_resources;
    int failures = 0;
    for (int rank = 0; rank < world().size; ++rank) {
      for (std::int64_t k = 0;; k += 1 + k / 30) {
        Agreement planting;
        if (world().rank == rank) answered_calls = k;
        std::string message;
        const bool together = fails_together(rows, tuning, planting, message);
        const HeldResources& now = held_resources;
        CAPTURE(rank, k, message, now.device - held.device, now.pinned - held.pinned);
        CAPTURE(now.streams - held.streams, now.events - held.events, now.mappings - held.mappings);
        REQUIRE_ALL_RANKS(together);
        REQUIRE_ALL_RANKS(held_resources == held);
        if (unspent) break;
        failures += !message.empty();  // others only say what GPUs cannot do
      }
    }
    REQUIRE_ALL_RANKS(failures > 30);
    Operator next(world(), rows.rows, tuning);
    if (!tuning.foreign_vectors) {
      REQUIRE_ALL_RANKS(agrees(next, product_of(next, rows.rows, 1, 0, 0), rows.product(1, 0, 0)));
    }
    next.close();
  }
}
#endif

// SPDX-License-Identifier: BSD-3-Clause
//
// A transport alone, for tests: after an exchange every ghost holds its owner's entry, owned
// entries are untouched, and old ghosts never survive.
#pragma once

#include "miniapp/halo/memory/memory.hpp"
#include "miniapp/halo/site.hpp"
#include "miniapp/halo/transports.hpp"
#include "tests/miniapp/problem.hpp"

namespace rowhalo::test {

/// Collective. The site on which a transport is tested: all ranks on one node, else two on each;
/// none when it can serve on neither.
inline std::optional<ComputeSite> site_for(const TransportEntry& transport) {
  ComputeSite site = test_site();
  if (site.device == Device::gpu) site.no_device_messages = device_messages_refusal(world());
  if (transport.unusable(site).empty()) return site;
  site.nodes = emulated_nodes(world().size, world().size > 2 ? 2 : 1);
  if (transport.unusable(site).empty()) return site;
  return {};
}

/// What `vector` holds, owned entries and ghosts.
template <class T>
std::vector<T> contents(const HaloVector& vector) {
  std::vector<T> entries((static_cast<std::size_t>(vector.owned) + vector.ghosts) * vector.vectors);
  if (vector.device == Device::gpu) synchronize_device();
  copy_between(vector.device, entries.data(), vector.data, entries.size() * sizeof(T));
  return entries;
}

/// Collective. Exchanges `vectors` in turn, whose entries tell of their number, the round and, of
/// several in each, the column, so that a stale or a misplaced ghost shows.
template <class T>
bool ghosts_are_right(const Problem& problem, HaloExchange& halo,
                      const std::vector<HaloVector>& vectors) {
  std::optional<StreamHandle> handle;
  if (problem.device == Device::gpu) handle.emplace();
  const Stream stream = handle ? handle->stream() : Stream{};
  bool right = true;
  for (std::size_t round = 0; round < 3 * vectors.size(); ++round) {
    const HaloVector& vector = vectors[round % vectors.size()];
    const auto expected = [&](LocalIndex column, int k) {
      return static_cast<T>(problem.matrix.source_columns[column] + 1000 * static_cast<int>(round) +
                            300000 * k);
    };
    std::vector<T> x;
    for (LocalIndex column = 0; column < problem.matrix.owned_columns; ++column) {
      for (int k = 0; k < vector.vectors; ++k) x.push_back(expected(column, k));
    }
    copy_between(vector.device, vector.data, x.data(), x.size() * sizeof(T));
    if (round % 2 == 0) {
      halo.begin(vector, stream);
      halo.finish(vector, stream);
    } else {
      halo.exchange(vector, stream);
    }
    const std::vector<T> found = contents<T>(vector);
    auto entry = found.begin();
    for (LocalIndex column = 0; column < problem.matrix.local_columns(); ++column) {
      for (int k = 0; k < vector.vectors; ++k) right = *entry++ == expected(column, k) && right;
    }
    // Not right before begin(): a neighbour that is ahead may have stored there already.
    set_bytes(vector.device, vector.ghost_data(), 0xff, vector.ghosts * vector.element_bytes());
  }
  return right;
}

/// Collective. With three vectors of the transport, of the type as wide as T; `exchanges` count as
/// done before; `several`: in each of them.
template <class T>
bool ghosts_are_right(const Problem& problem, const TransportEntry& transport,
                      const ComputeSite& site, std::uint32_t exchanges = 0,
                      Connections* connections = nullptr, int several = 1) {
  constexpr NumberType type = sizeof(T) == 8   ? NumberType::fp64
                              : sizeof(T) == 4 ? NumberType::fp32
                                               : NumberType::fp16;
  TransportContext context{problem.plan, type, 3, problem.comm, site, nullptr, exchanges};
  context.connections = connections;
  context.vectors = several;
  const std::unique_ptr<HaloExchange> halo = transport.make(context);
  std::vector<HaloVector> vectors;
  for (int k = 0; k < context.halo_vectors; ++k) vectors.push_back(halo->make_vector());
  const bool right = ghosts_are_right<T>(problem, *halo, vectors);
  halo->close();
  return right;
}

}  // namespace rowhalo::test

// SPDX-License-Identifier: BSD-3-Clause
//
// The one list of transports (transports.hpp).
#include "miniapp/halo/transports.hpp"

#include <fmt/format.h>

#include <array>

#include "partition/base/spec.hpp"

namespace rowhalo {

std::unique_ptr<HaloExchange> make_mpi_exchange(const TransportContext& context);
std::unique_ptr<HaloExchange> make_mpi_persistent_exchange(const TransportContext& context);

namespace {

constexpr std::array table{
    TransportEntry{"mpi", "nonblocking MPI point-to-point from host buffers", make_mpi_exchange},
    TransportEntry{"mpi-persistent", "the same with persistent requests, set up once a vector",
                   make_mpi_persistent_exchange},
};

}  // namespace

std::span<const TransportEntry> transports() {
  return table;
}

const TransportEntry& find_transport(std::string_view name) {
  std::vector<std::string> names{"auto"};
  for (const TransportEntry& entry : table) {
    if (name == entry.name) return entry;
    names.emplace_back(entry.name);
  }
  throw InputError(fmt::format("--halo {}: no such transport; use {}", name, listed(names)));
}

}  // namespace rowhalo

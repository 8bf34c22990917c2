// SPDX-License-Identifier: BSD-3-Clause
//
// Chooses what a product is made of, by name, by counts or by trial (choose.hpp, trials.hpp):
//
//   schedule   settled_schedule   GPUs: counts may turn overlap into blocking;  CPUs: as asked
//      |
//   format     choose_kernels     a name -> name_kernels;           auto -> try_formats
//      |
//   transport  choose_transport   a name -> find_usable_transport;  auto -> try_transports
//      |
//   schedule, second best format  with --format auto -> try_other_schedules
//
// Example: the tridiagonal matrix of four rows, ten nonzeros, two rows per rank.
//
//     rank 0  r0   2 -1  .  .    interior: 2 nonzeros
//             r1  -1  2 -1  .    boundary: 3, since x2 is a ghost
//     rank 1  r2   . -1  2 -1    boundary: 3, since x1 is a ghost
//             r3   .  . -1  2    interior: 2
//
//   On GPUs settled_schedule() asks in this order. Are there ghosts? Yes. Are there few nonzeros? 5
//   per rank are far below few_entries: where p2p may exchange in the product's stream, overlap
//   becomes blocking. With other transports: is there enough to hide the exchange behind? Interior
//   rows hold 4 of 10 nonzeros, more than a quarter: overlap stays. On CPUs overlap stays until
//   try_other_schedules() finds blocking faster.
//   Formats are tried for these rows, then each usable transport, on GPUs also in a CUDA graph. If
//   the matrix were diagonal, nothing would travel: one transport is taken, and none is timed.
#include "miniapp/tune/choose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <stdexcept>

#include "miniapp/tune/trials.hpp"

namespace rowhalo {

void refuse_without_memory(const Spec& spec, const std::function<void()>& make) {
  try {
    make();
  } catch (const std::bad_alloc& lack) {
    throw InputError("--format " + spec.name(), fmt::format("not enough memory: {}", lack.what()),
                     ExitCode::run_time, Cause::memory);
  }
}

namespace {

/// For Schedule::split, which adds up a row in two parts: refuses formats with the bits of csr and
/// lists the others.
void check_splittable(const FormatEntry& format, const Spec& options) {
  if (!format.canonical) return;
  std::vector<std::string> names;
  for (const FormatEntry& entry : formats()) {
    if (entry.device == format.device && !entry.canonical && !entry.baseline) {
      names.emplace_back(entry.name);
    }
  }
  options.fail(fmt::format(
      "has the bits of csr, which --schedule split would change, because it adds up a row in two "
      "parts; use overlap or blocking, or {}",
      listed(names)));
}

}  // namespace

void check_format(const ProductSetting& setting, const FormatEntry& format, const Spec& options) {
  // The baseline schedules (petsc-like, hpcg-like) add up rows in two parts as well. They take any
  // format, because they stand for another library. Partial sums change the bits anyway.
  if (setting.schedule == Schedule::split && setting.sums == nullptr) {
    check_splittable(format, options);
  }
}

Schedule served_schedule(const ProductSetting& setting, const LocalKernels& kernels) {
  // Three schedules have Order::split (Schedule::split and both baselines): the setting tells
  // which. Else the kernels tell: a vendor's format may have turned overlap into blocking.
  return kernels.order == Order::split ? setting.schedule : schedule_of(kernels.order);
}

const FormatEntry& universal_format(Device device, Precision precision) {
  const auto suits = [&](const FormatEntry& entry) {
    return entry.device == device && entry.automatic && takes(entry, precision);
  };
  const auto first = std::find_if(formats().begin(), formats().end(), suits);
  if (first == formats().end()) throw std::logic_error("no format takes this precision");
  return *first;
}

std::optional<AgreedError> name_kernels(const ProductSetting& setting, const FormatRequest& request,
                                        ChosenKernels& chosen) {
  return agreed_error(setting.measuring.comm, [&] {
    chosen.interior = request.interior;
    chosen.boundary = request.boundary.empty() ? request.interior : request.boundary;
    const Spec interior = Spec::parse(chosen.interior, "--format");
    const Spec boundary = Spec::parse(chosen.boundary, "--boundary-format");
    check_format(setting, find_format(interior.name(), setting.site.device, "--format"), interior);
    // Names the interior's format also where the boundary's lacks the memory.
    refuse_without_memory(interior, [&] {
      chosen.kernels = make_local_kernels(setting, order_of(setting.schedule), interior, boundary);
    });
    chosen.schedule = served_schedule(setting, chosen.kernels);
    if (chosen.schedule == Schedule::blocking) chosen.boundary = chosen.interior;
  });
}

ChosenKernels choose_kernels(const ProductSetting& setting, const FormatRequest& request) {
  ChosenKernels chosen;
  if (request.interior != "auto") {
    if (const auto error = name_kernels(setting, request, chosen)) throw *error;
    return chosen;
  }
  std::vector<const FormatEntry*> candidates;
  for (const FormatEntry& entry : formats()) {
    const bool suits = entry.canonical || !request.canonical;
    if (entry.device == setting.site.device && entry.automatic && suits) {
      candidates.push_back(&entry);
    }
  }
  const std::int64_t most_entries =
      max_over_ranks(setting.measuring.comm, setting.matrix.offsets.back());
  return try_formats(setting, request, candidates,
                     format_budget(setting.site.device, most_entries));
}

namespace {

/// Whether a transport that `halo` allows may exchange in the product's stream, between all ranks.
bool may_exchange_in_line(const ComputeSite& site, const std::string& halo) {
  const auto serves = [&](const TransportEntry& entry) {
    const bool asked = halo == "auto" || halo == "all" || halo == entry.name;
    return entry.in_line && asked && entry.unusable(site).empty();
  };
  // --ranks-per-node may emulate several nodes on one host, or one node on several hosts.
  return site.nodes.nodes == 1 && site.hosts == 1 &&
         std::any_of(transports().begin(), transports().end(), serves);
}

/// Collective. The share of all nonzeros that is in interior rows.
double interior_share(const Comm& comm, const LocalMatrix& matrix) {
  const RowListView interior = matrix.interior.view();
  std::int64_t inside = 0;
  for (LocalIndex k = 0; k < interior.count; ++k) {
    inside += matrix.offsets[interior[k] + 1] - matrix.offsets[interior[k]];
  }
  const std::int64_t all = sum_over_ranks(comm, matrix.offsets.back());
  return static_cast<double>(sum_over_ranks(comm, inside)) / static_cast<double>(all);
}

}  // namespace

SettledSchedule settled_schedule(const Comm& comm, const LocalMatrix& matrix,
                                 const ComputeSite& site, const std::string& halo,
                                 Schedule wanted) {
  if (site.device == Device::cpu || wanted != Schedule::overlap) return {wanted};
  // No row needs ghosts. Overlap would launch an exchange all the same, and the kernel would start
  // later: 0.8 of 7 us on one H200.
  if (sum_over_ranks(comm, matrix.boundary.view().count) == 0) {
    return {Schedule::blocking, ScheduleGrounds::no_ghosts};
  }
  // Measured on 2 and 4 H200s: one kernel for all rows takes 11 % less time than two for the matrix
  // `wave` (1.06 million entries per rank), 4 % less for stencil7:64 (0.9 million), but 37 % more
  // for stencil7:128 (3.6 million).
  constexpr std::int64_t few_entries = 1200000;
  if (may_exchange_in_line(site, halo) &&
      max_over_ranks(comm, matrix.offsets.back()) < few_entries) {
    return {Schedule::blocking, ScheduleGrounds::few_entries};
  }
  constexpr double least_share = 0.25;  // measured on R-MAT, where 12 % are interior
  if (interior_share(comm, matrix) < least_share) {
    return {Schedule::blocking, ScheduleGrounds::few_interior_entries};
  }
  return {wanted};
}

Graphs graphs_on(Device device, bool wanted) {
  return wanted && device == Device::gpu ? Graphs::on : Graphs::off;
}

std::vector<std::string> usable_formats(Device device, bool canonical) {
  std::vector<std::string> names;
  for (const FormatEntry& entry : formats()) {
    if (entry.device != device || (canonical && !entry.canonical)) continue;
    if (unusable_reason(entry).empty()) names.emplace_back(entry.name);
  }
  return names;
}

std::vector<std::string> named_formats(const std::string& text, Device device) {
  if (text == "all") return usable_formats(device);
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string item = text.substr(begin, end - begin);
    const bool option = item.find('=') != std::string::npos && item.find(':') == std::string::npos;
    if (option && !names.empty()) {
      names.back() += "," + item;
    } else {
      names.push_back(item);
    }
    begin = end + 1;
  }
  if (std::find(names.begin(), names.end(), "all") != names.end()) {
    throw InputError("--format: all stands for every format; write it alone");
  }
  return names;
}

std::vector<TransportVariant> usable_transports(const ComputeSite& site, bool graphs) {
  std::vector<TransportVariant> variants;
  for (const TransportEntry& entry : transports()) {
    if (!entry.unusable(site).empty()) continue;
    variants.push_back({&entry, false});
    if (graphs && entry.graphs) variants.push_back({&entry, true});
  }
  return variants;
}

namespace {

/// For ranks that exchange nothing: keeps one of `variants` and returns the others, for reports. In
/// a graph is better than without; in a graph, p2p (in_line) is better than nccl, which has to
/// connect. Among equals the first of the table is kept. There is always one: mpi serves every
/// site.
std::vector<TransportCandidate> leave_out_exchanges(std::vector<TransportVariant>& variants) {
  const auto worth = [](const TransportVariant& one) {
    return 2 * int{one.graph} + int{one.graph && one.entry->in_line};
  };
  const TransportVariant kept = *std::ranges::max_element(variants, {}, worth);
  std::vector<TransportCandidate> left_out;
  for (const TransportVariant& one : variants) {
    if (one.entry == kept.entry && one.graph == kept.graph) continue;
    left_out.push_back({one.entry->name, one.graph, {}, {}, Outcome::skipped});
  }
  variants = {kept};
  return left_out;
}

}  // namespace

const TransportEntry& find_usable_transport(const std::string& name, const ComputeSite& site) {
  const TransportEntry& entry = find_transport(name, "--halo");
  const std::string reason = entry.unusable(site);
  if (!reason.empty()) throw InputError("--halo " + name, reason);
  return entry;
}

ChosenTransport choose_transport(const ProductSetting& setting, const std::string& name,
                                 bool graphs, const ChosenKernels& kernels) {
  ChosenTransport chosen;
  const double spent = kernels.cost ? kernels.cost->seconds : 0;
  if (name != "auto") {
    agree(setting.measuring.comm, [&] {
      const TransportEntry& entry = find_usable_transport(name, setting.site);
      chosen.name = name;
      chosen.graph = graphs && entry.graphs;  // not timed
      chosen.spent_seconds = spent;
    });
    return chosen;
  }
  std::vector<TransportVariant> variants = usable_transports(setting.site, graphs);
  if (sum_over_ranks(setting.measuring.comm, setting.ghosts()) == 0) {
    chosen.candidates = leave_out_exchanges(variants);
  }
  // Transports that cannot be tried are candidates, too: reports give their reasons.
  for (const TransportEntry& entry : transports()) {
    const std::string reason = entry.unusable(setting.site);
    if (reason.empty()) continue;
    chosen.candidates.push_back({entry.name, false, {}, {}, Outcome::refused, reason});
  }
  ChosenTransport fastest = try_transports(setting, variants, kernels.kernels, spent);
  fastest.candidates.insert(fastest.candidates.begin(), chosen.candidates.begin(),
                            chosen.candidates.end());
  return fastest;
}

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// Owners as the user asks for them, and the choice of `auto` (assignment.hpp). A partitioner that
// refuses a matrix tells all ranks the same, so a refusal can be caught here and become a line of
// the table of candidates.
#include "partition/assignment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "partition/base/clock.hpp"
#include "partition/partitioners/functions.hpp"

namespace rowhalo {

namespace {

constexpr double value_bytes_of_x = 8;

/// `auto` neither looks for a smaller halo where the halo costs less than the first share of a
/// product, nor leaves a partitioner for a later one that is not predicted to be faster by more: a
/// model tells no such difference, and rows in the order of the matrix keep its diagonals and its
/// locality. A graph is cut only where the halo costs more than the second share and the cut takes
/// no longer than this.
constexpr double negligible_share = 0.05, large_share = 0.25, longest_cut_seconds = 1;

int parts_of(const PartitionRequest& request) {
  return static_cast<int>(request.nodes.node_of.size());
}

std::vector<int> assign(const Comm& comm, const DistributedCsr& matrix,
                        const PartitionerEntry& entry, const Spec& options,
                        const PartitionRequest& request, Progress& progress) {
  const bool one_level =
      !request.hierarchical || request.nodes.nodes == 1 || request.nodes.nodes == parts_of(request);
  return one_level ? entry.assign(matrix, parts_of(request), options, comm, progress)
                   : assign_over_nodes(comm, matrix, entry, options, request.nodes, progress);
}

double matrix_bytes(std::int64_t rows, std::int64_t nonzeros) {
  return 4 * static_cast<double>(csr_words(rows, nonzeros));
}

/// Of the same rows and nonzeros, evenly over the parts and without any halo.
double seconds_without_halo(const PartitionQuality& quality, const PredictionModel& model) {
  return matrix_bytes(starts_of(quality.rows).back(), starts_of(quality.nonzeros).back()) /
         quality.parts() / model.memory_bytes_per_second;
}

/// Collective. Fills quality and times of the candidate, or why it refuses; the owners, if it can
/// be used.
std::vector<int> try_partitioner(const Comm& comm, const DistributedCsr& matrix,
                                 const PartitionerEntry& entry, const PartitionRequest& request,
                                 PartitionCandidate& candidate, Progress& progress) {
  const double start = now_seconds();
  try {
    const Spec options = Spec::parse(entry.name, "--partition");
    std::vector<int> owners = assign(comm, matrix, entry, options, request, progress);
    candidate.seconds = max_over_ranks(comm, now_seconds() - start);
    judge_owners(comm, matrix, owners, request, candidate, progress);
    return owners;
  } catch (const AgreedError& refusal) {
    candidate.outcome = outcome_of(refusal);
    candidate.figures.refusal = refusal.what();
    return {};
  }
}

std::vector<const PartitionerEntry*> partitioners_that(bool (*suit)(const PartitionerEntry&)) {
  std::vector<const PartitionerEntry*> entries;
  for (const PartitionerEntry& entry : partitioners()) {
    if (suit(entry)) entries.push_back(&entry);
  }
  return entries;
}

std::vector<PartitionCandidate> untried(const std::vector<const PartitionerEntry*>& entries) {
  std::vector<PartitionCandidate> candidates(entries.size());
  for (std::size_t k = 0; k < entries.size(); ++k) {
    candidates[k].name = entries[k]->name;
    if (entries[k]->unusable == nullptr) continue;
    candidates[k].outcome = Outcome::refused;
    candidates[k].figures.refusal = entries[k]->unusable;
  }
  return candidates;
}

/// The last that is predicted to be faster than the ones before it by more than the negligible
/// share; so none is faster than it by more. Null when none could be used.
PartitionCandidate* best_of(std::vector<PartitionCandidate>& candidates) {
  PartitionCandidate* best = nullptr;
  for (PartitionCandidate& candidate : candidates) {
    if (!candidate.quality) continue;
    const double seconds = (1 + negligible_share) * candidate.predicted_seconds;
    if (best == nullptr || seconds < best->predicted_seconds) best = &candidate;
  }
  return best;
}

/// Why a partitioner cannot gain much on the best so far, or not soon enough; empty when it is
/// worth a try.
std::optional<PartitionFigures> not_worth_it(const PartitionerEntry& entry, std::int64_t nonzeros,
                                             std::vector<PartitionCandidate>& candidates,
                                             const PredictionModel& model) {
  using enum PartitionGrounds;
  const PartitionCandidate* best = best_of(candidates);
  const bool cuts = entry.seconds_per_nonzero > 0;
  if (best != nullptr) {
    const double least = cuts ? large_share : negligible_share;
    const double limit = (1 + least) * seconds_without_halo(*best->quality, model);
    if (best->predicted_seconds <= limit) {
      return PartitionFigures{near_no_halo, least, 0, best->name};
    }
    if (cuts && find_partitioner(best->name).seconds_per_nonzero > 0) {
      return PartitionFigures{same_graph, 0, 0, best->name};
    }
  }
  const double seconds = entry.seconds_per_nonzero * static_cast<double>(nonzeros);
  if (seconds <= longest_cut_seconds) return {};
  return PartitionFigures{long_cut, 0, seconds};
}

/// What takes no longer than a walk over the matrix comes first.
Assignment choose(const Comm& comm, const DistributedCsr& matrix, const PartitionRequest& request,
                  Progress& progress) {
  std::vector<const PartitionerEntry*> entries =
      partitioners_that([](const PartitionerEntry& entry) { return entry.automatic; });
  std::stable_partition(entries.begin(), entries.end(), [](const PartitionerEntry* entry) {
    return entry->seconds_per_nonzero == 0;
  });
  const std::int64_t nonzeros = sum_over_ranks(comm, matrix.local_nonzeros());
  Assignment chosen;
  chosen.candidates = untried(entries);
  for (std::size_t k = 0; k < entries.size(); ++k) {
    PartitionCandidate& candidate = chosen.candidates[k];
    if (candidate.outcome == Outcome::refused) continue;
    leave_if_requested(comm, progress);
    candidate.outcome = Outcome::slower;  // unless something else is said of it
    if (const auto why = not_worth_it(*entries[k], nonzeros, chosen.candidates, request.model)) {
      candidate.outcome = Outcome::skipped;
      candidate.figures = *why;
      continue;
    }
    std::vector<int> owners =
        try_partitioner(comm, matrix, *entries[k], request, candidate, progress);
    if (best_of(chosen.candidates) == &candidate) chosen.owners = std::move(owners);
  }
  PartitionCandidate* best = best_of(chosen.candidates);
  if (best == nullptr) {
    throw AgreedError(ExitCode::usage,
                      "--partition auto: every partitioner refuses this matrix; the first said: " +
                          chosen.candidates.front().figures.refusal);
  }
  const bool shortest =
      std::none_of(chosen.candidates.begin(), chosen.candidates.end(), [&](const auto& other) {
        return other.quality && other.predicted_seconds < best->predicted_seconds;
      });
  best->outcome = Outcome::chosen;
  best->figures.grounds = shortest ? PartitionGrounds::shortest : PartitionGrounds::near_shortest;
  best->figures.share = negligible_share;
  chosen.name = best->name;
  return chosen;
}

}  // namespace

double predicted_seconds(const PartitionQuality& quality, const std::vector<PartTraffic>& traffic,
                         const PredictionModel& model) {
  const auto bytes = [](const NodeTraffic& side) {
    return value_bytes_of_x * static_cast<double>(side.entries);
  };
  const auto seconds = [&](const NodeTraffic& side, const Link& link) {
    if (side.messages == 0) return 0.0;
    return static_cast<double>(side.messages) * link.latency_seconds +
           bytes(side) / link.bytes_per_second;
  };
  double slowest = 0;
  for (int part = 0; part < quality.parts(); ++part) {
    const PartTraffic& own = traffic[part];
    const double halo_bytes = 2 * (bytes(own.sent_inside) + bytes(own.sent_between) +
                                   bytes(own.received_inside) + bytes(own.received_between));
    const double memory = (matrix_bytes(quality.rows[part], quality.nonzeros[part]) + halo_bytes) /
                          model.memory_bytes_per_second;
    const double out =
        seconds(own.sent_inside, model.inside) + seconds(own.sent_between, model.between);
    const double in =
        seconds(own.received_inside, model.inside) + seconds(own.received_between, model.between);
    slowest = std::max({slowest, memory, out, in});
  }
  return slowest;
}

void judge_owners(const Comm& comm, const DistributedCsr& matrix, const std::vector<int>& owners,
                  const PartitionRequest& request, PartitionCandidate& candidate,
                  Progress& progress) {
  candidate.quality = partition_quality(comm, matrix, owners, parts_of(request), progress);
  candidate.traffic = traffic_of_parts(comm, candidate.quality->flows, request.nodes);
  candidate.predicted_seconds =
      predicted_seconds(*candidate.quality, candidate.traffic, request.model);
}

void check_partition_request(const PartitionRequest& request) {
  if (request.partition == "auto") return;
  const Spec spec = Spec::parse(request.partition, "--partition");
  const PartitionerEntry& entry = find_partitioner(spec.name(), "--partition");
  if (entry.argument != nullptr && request.hierarchical) {
    spec.fail(
        fmt::format("--hierarchical has nothing to choose where '{}' says the owners; leave "
                    "one of them out",
                    entry.name));
  }
}

Assignment assign_owners(const Comm& comm, const DistributedCsr& matrix,
                         const PartitionRequest& request, Progress& progress) {
  agree(comm, [&] { check_partition_request(request); });
  std::string name = request.partition;
  if (name == "auto") {
    if (parts_of(request) > 1) return choose(comm, matrix, request, progress);
    name = partitioners().front().name;  // one part is one part
  }
  const Spec spec = Spec::parse(name, "--partition");
  return {name, assign(comm, matrix, find_partitioner(spec.name()), spec, request, progress), {}};
}

std::vector<PartitionCandidate> compare_partitioners(const Comm& comm, const DistributedCsr& matrix,
                                                     const PartitionRequest& request,
                                                     Progress& progress) {
  const std::vector<const PartitionerEntry*> entries =
      partitioners_that([](const PartitionerEntry& entry) { return entry.argument == nullptr; });
  std::vector<PartitionCandidate> candidates = untried(entries);
  for (std::size_t k = 0; k < entries.size(); ++k) {
    if (entries[k]->unusable != nullptr) continue;
    leave_if_requested(comm, progress);
    try_partitioner(comm, matrix, *entries[k], request, candidates[k], progress);
  }
  return candidates;
}

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// Partitioner `metis`: METIS_PartGraphKway (Karypis, Kumar: Multilevel k-way partitioning scheme
// for irregular graphs, 1998) on the graph of blocks, weighted by nonzeros. Neither of its
// objectives gives the smaller halo on all matrices (volume is 2 to 10 % better on meshes, cut up
// to 30 % on webs), so that both are tried and the halo is counted, unless one is asked for. METIS
// is serial: the graph is gathered on rank 0 as long as it has at most `limit` edges, beyond that
// ptscotch is for it.
#include <fcntl.h>
#include <fmt/format.h>
#include <metis.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

#include "partition/partitioners/block_graph.hpp"
#include "partition/partitioners/functions.hpp"
#include "partition/quality.hpp"

namespace rowhalo {

namespace {

/// An edge counts on both sides; rank 0 was seen to take 20 bytes for each, most of it in METIS: 2
/// GB.
constexpr std::int64_t default_limit = 100'000'000;

struct MetisOptions {
  std::vector<mobjtype_et> objectives;
  double imbalance;                    ///< most nonzeros of a part over the mean
  idx_t seed = 4321;                   ///< METIS's own
  std::int64_t limit = default_limit;  ///< edges of the gathered graph
};

MetisOptions read_metis_options(const Spec& options) {
  allow_keys(options, {"objective", "imbalance", "seed", "limit"});
  MetisOptions choices;
  const std::string_view objective = options.word("objective", {"best", "volume", "cut"});
  if (objective != "cut") choices.objectives.push_back(METIS_OBJTYPE_VOL);
  if (objective != "volume") choices.objectives.push_back(METIS_OBJTYPE_CUT);
  choices.imbalance = read_imbalance(options);
  constexpr std::int64_t largest = std::numeric_limits<idx_t>::max();
  choices.seed = static_cast<idx_t>(options.integer("seed", choices.seed, 0, largest));
  choices.limit = options.integer("limit", default_limit, 0, largest);
  return choices;
}

/// While one lives, stdout goes nowhere: METIS writes there ("Cannot bisect a graph with 0
/// vertices!") when a few heavy vertices leave nothing for some parts, which is no fault, and where
/// a report may go.
class SilentStdout {
 public:
  SilentStdout() : saved_(dup(STDOUT_FILENO)) {
    if (saved_ < 0) return;  // a line of METIS does less harm than a lost stdout
    std::fflush(stdout);
    const int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere < 0) return;
    dup2(nowhere, STDOUT_FILENO);
    close(nowhere);
  }
  ~SilentStdout() {
    if (saved_ < 0) return;
    std::fflush(stdout);
    dup2(saved_, STDOUT_FILENO);
    close(saved_);
  }
  SilentStdout(const SilentStdout&) = delete;
  SilentStdout& operator=(const SilentStdout&) = delete;

 private:
  int saved_;
};

/// The part of every vertex. Throws InputError when METIS fails.
std::vector<int> cut(LibraryGraph<idx_t>& graph, int parts, mobjtype_et objective,
                     const MetisOptions& choices) {
  idx_t settings[METIS_NOPTIONS];
  METIS_SetDefaultOptions(settings);
  settings[METIS_OPTION_OBJTYPE] = objective;
  settings[METIS_OPTION_UFACTOR] = static_cast<idx_t>(std::lround((choices.imbalance - 1) * 1000));
  settings[METIS_OPTION_SEED] = choices.seed;
  settings[METIS_OPTION_NUMBERING] = 0;
  auto vertices = static_cast<idx_t>(graph.weights.size());
  idx_t constraints = 1, part_count = parts, value = 0;
  std::vector<idx_t> result(graph.weights.size());
  const SilentStdout silent;
  const int status = METIS_PartGraphKway(
      &vertices, &constraints, graph.starts.data(), graph.neighbours.data(), graph.weights.data(),
      nullptr, nullptr, &part_count, nullptr, nullptr, settings, &value, result.data());
  if (status != METIS_OK) {
    throw InputError(fmt::format("--partition metis: METIS {} on a graph of {} vertices and {} "
                                 "edges; use ptscotch",
                                 status == METIS_ERROR_MEMORY ? "ran out of memory" : "failed",
                                 vertices, graph.neighbours.size()),
                     std::numeric_limits<std::int64_t>::max(), ExitCode::run_time);
  }
  return {result.begin(), result.end()};
}

}  // namespace

std::vector<int> assign_metis(const DistributedCsr& matrix, int parts, const Spec& options,
                              const Comm& comm, Progress& progress) {
  progress.phase("partition: metis");
  expect_duration("metis", matrix, comm, progress);
  MetisOptions choices;
  agree(comm, [&] { choices = read_metis_options(options); });
  BlockGraph graph = make_block_graph(comm, matrix, options, progress);
  if (auto owners = owners_without_cut(comm, matrix, parts, graph, progress)) return *owners;
  agree(comm, [&] {
    if (graph.edges <= choices.limit && std::in_range<idx_t>(graph.vertices)) return;
    options.fail(
        fmt::format("the graph of {} has {} vertices and {} edges, but one rank takes at "
                    "most {} edges; use ptscotch, or raise metis:limit=",
                    matrix.info.source, graph.vertices, graph.edges, choices.limit));
  });
  LibraryGraph<idx_t> whole = gathered(comm, for_library<idx_t>(graph));

  std::vector<int> best;
  std::int64_t least_halo = std::numeric_limits<std::int64_t>::max();
  for (const mobjtype_et objective : choices.objectives) {
    leave_if_requested(comm, progress);
    std::vector<int> parts_of_all;
    {
      const LibraryCall call(progress);
      agree(comm, [&] {
        if (comm.rank == 0) parts_of_all = cut(whole, parts, objective, choices);
      });
    }
    std::vector<int> owners = owners_of_rows(matrix, graph, dealt_out(comm, graph, parts_of_all));
    if (choices.objectives.size() == 1) return owners;
    const std::int64_t halo = partition_quality(comm, matrix, owners, parts, progress).halo_entries;
    if (halo < least_halo) {
      least_halo = halo;
      best = std::move(owners);
    }
  }
  return best;
}

}  // namespace rowhalo

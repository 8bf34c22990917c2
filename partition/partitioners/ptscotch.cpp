// SPDX-License-Identifier: BSD-3-Clause
//
// Partitioner `ptscotch`: SCOTCH_dgraphPart (Chevalier, Pellegrini: PT-Scotch, 2008) on the graph
// of blocks, weighted by nonzeros, which stays distributed: no rank holds all of it. A context of
// its own gives it one thread, a fixed seed and the deterministic algorithms, so that the owners
// are the same on every run with the same number of ranks.
#include <fmt/format.h>
#include <ptscotch.h>

#include <limits>
#include <utility>

#include "partition/partitioners/block_graph.hpp"
#include "partition/partitioners/functions.hpp"

namespace rowhalo {

namespace {

/// Vertices a rank below which one rank cuts the graph alone: on ranks with next to none PT-Scotch
/// 7.0 was seen to fail on some and to wait on others.
constexpr GlobalIndex least_vertices = 100;

struct ScotchOptions {
  double imbalance;  ///< most nonzeros of a part over the mean
  SCOTCH_Num seed = 1;
};

ScotchOptions read_scotch_options(const Spec& options) {
  allow_keys(options, {"imbalance", "seed"});
  ScotchOptions choices;
  choices.imbalance = read_imbalance(options);
  choices.seed = static_cast<SCOTCH_Num>(
      options.integer("seed", 1, 0, std::numeric_limits<SCOTCH_Num>::max()));
  return choices;
}

/// Initialised and, at the end of its life, exited object of the library.
template <class Object, auto exit>
struct Handle {
  Object object;

  ~Handle() { exit(&object); }
  Object* get() { return &object; }
};
using Context = Handle<SCOTCH_Context, SCOTCH_contextExit>;
using ScotchGraph = Handle<SCOTCH_Dgraph, SCOTCH_dgraphExit>;
using Strategy = Handle<SCOTCH_Strat, SCOTCH_stratExit>;

/// The part of each of this rank's vertices. Collective. Throws AgreedError when the library fails,
/// on a single rank InputError.
std::vector<int> cut(const Comm& comm, LibraryGraph<SCOTCH_Num>& share, int parts,
                     const ScotchOptions& choices) {
  const auto check = [&](int code, const char* call) {
    const auto refuse = [&] {
      if (code == 0) return;
      throw InputError(fmt::format("--partition ptscotch: {} failed; use metis, box or nnz", call),
                       std::numeric_limits<std::int64_t>::max(), ExitCode::run_time);
    };
    if (comm.size == 1) {
      refuse();
    } else {
      agree(comm, refuse);
    }
  };
  Context context;
  SCOTCH_contextInit(context.get());
  SCOTCH_contextThreadSpawn(context.get(), 1, nullptr);
  SCOTCH_contextRandomSeed(context.get(), choices.seed);
  SCOTCH_contextOptionSetNum(context.get(), SCOTCH_OPTIONNUMDETERMINISTIC, 1);
  SCOTCH_contextOptionSetNum(context.get(), SCOTCH_OPTIONNUMRANDOMFIXEDSEED, 1);

  ScotchGraph graph, bound;
  SCOTCH_dgraphInit(graph.get(), comm.handle);
  SCOTCH_dgraphInit(bound.get(), comm.handle);
  const auto vertices = static_cast<SCOTCH_Num>(share.weights.size());
  const auto edges = static_cast<SCOTCH_Num>(share.neighbours.size());
  check(SCOTCH_dgraphBuild(graph.get(), 0, vertices, vertices, share.starts.data(), nullptr,
                           share.weights.data(), nullptr, edges, edges, share.neighbours.data(),
                           nullptr, nullptr),
        "SCOTCH_dgraphBuild");
  check(SCOTCH_contextBindDgraph(context.get(), graph.get(), bound.get()),
        "SCOTCH_contextBindDgraph");
  Strategy strategy;
  SCOTCH_stratInit(strategy.get());
  check(SCOTCH_stratDgraphMapBuild(strategy.get(), SCOTCH_STRATQUALITY, comm.size, parts,
                                   choices.imbalance - 1),
        "SCOTCH_stratDgraphMapBuild");
  std::vector<SCOTCH_Num> result(vertices);
  check(SCOTCH_dgraphPart(bound.get(), parts, strategy.get(), result.data()), "SCOTCH_dgraphPart");
  return {result.begin(), result.end()};
}

}  // namespace

std::vector<int> assign_ptscotch(const DistributedCsr& matrix, int parts, const Spec& options,
                                 const Comm& comm, Progress& progress) {
  progress.phase("partition: ptscotch");
  expect_duration("ptscotch", matrix, comm, progress);
  ScotchOptions choices;
  agree(comm, [&] { choices = read_scotch_options(options); });
  BlockGraph graph = make_block_graph(comm, matrix, options, progress);
  if (auto owners = owners_without_cut(comm, matrix, parts, graph, progress)) return *owners;
  // PT-Scotch fails where ranks hold no vertices; so small a graph is not worth a cut.
  if (graph.vertices < comm.size) return even_owners(matrix, parts);
  constexpr std::int64_t largest = std::numeric_limits<SCOTCH_Num>::max();
  agree(comm, [&] {
    if (graph.vertices <= largest && graph.edges <= largest) return;
    options.fail(
        fmt::format("the graph of {} has {} vertices and {} edges, but this PT-Scotch "
                    "counts to {}; install one with 64-bit numbers, or use box or nnz",
                    matrix.info.source, graph.vertices, graph.edges, largest));
  });
  LibraryGraph<SCOTCH_Num> share = for_library<SCOTCH_Num>(graph);
  leave_if_requested(comm, progress);
  const LibraryCall call(progress);
  if (comm.size > 1 && graph.vertices >= least_vertices * comm.size) {
    return owners_of_rows(matrix, graph, cut(comm, share, parts, choices));
  }
  LibraryGraph<SCOTCH_Num> whole = gathered(comm, std::move(share));
  std::vector<int> parts_of_all;
  agree(comm, [&] {
    if (comm.rank == 0) parts_of_all = cut(Comm::of(MPI_COMM_SELF), whole, parts, choices);
  });
  return owners_of_rows(matrix, graph, dealt_out(comm, graph, parts_of_all));
}

}  // namespace rowhalo

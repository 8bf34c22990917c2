// SPDX-License-Identifier: BSD-3-Clause
//
// Who adds up the sums of all ranks: nobody on one rank; kernels that store into each other's GPU,
// at the end of a step (kernels/vectors/over_ranks.hpp); NCCL; MPI on the host. A new way is a
// class in rank_sums.cpp and a line in make_rank_sums().
#pragma once

#include <memory>
#include <string_view>

#include "kernels/vectors/over_ranks.hpp"
#include "miniapp/halo/transports.hpp"

namespace rowhalo {

class RankSums {
 public:
  virtual ~RankSums() = default;
  RankSums() = default;
  RankSums(const RankSums&) = delete;
  RankSums& operator=(const RankSums&) = delete;

  virtual const char* name() const = 0;
  /// Never blocks the host, so that reductions fit into CUDA graphs.
  virtual bool on_device() const = 0;
  /// Steps and finish_sums() do it all, once `sums` knows the peers; start() and finish() are not
  /// called.
  virtual bool by_steps() const { return false; }
  virtual void introduce_peers(OverRanks&) const {}

  /// Adds up sums[0, count) of all ranks in place, when what stands in `stream` is done: values, or
  /// accumulators where there are some. Other work may stand between the two.
  virtual void start(SumsView /*sums*/, int /*count*/, Stream) {}
  virtual void finish(Stream) {}

  /// Throws std::runtime_error when it has failed beside the host's calls.
  virtual void check() const {}
  /// Collective; before the destructor, which is local.
  virtual void close() {}
};

/// Collective. What suits ranks that exchange entries by transport `halo`.
std::unique_ptr<RankSums> make_rank_sums(const Comm& comm, const ComputeSite& site,
                                         std::string_view halo);

/// How an accumulator or a value is added up: its words, and whether they are integers.
struct SumWords {
  void* data;
  std::int64_t count;
  bool integers;

  SumWords(SumsView sums, int sums_count)
      : data(sums.exact != nullptr ? static_cast<void*>(sums.exact) : sums.values),
        count(sums_count * (sums.exact != nullptr ? ExactSum::words : 1)),
        integers(sums.exact != nullptr) {}
  std::size_t bytes() const { return static_cast<std::size_t>(count) * sizeof(double); }
};

}  // namespace rowhalo

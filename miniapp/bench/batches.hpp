// SPDX-License-Identifier: BSD-3-Clause
//
// How a product is timed, ours and PETSc's alike: in batches of many products, each batch begun
// together and its time the slowest rank's; the median over batches is the result.
#pragma once

#include <vector>

#include "miniapp/machine/telemetry.hpp"
#include "miniapp/tune/timing.hpp"

namespace rowhalo {

struct BatchOptions {
  int iterations = 0;          ///< products per batch; 0: as batch_iterations() says
  int batches = 20;            ///< at least
  int warmup = 10;             ///< products before the first batch
  double min_seconds = 1;      ///< batches go on until this long has passed
  int fewest = 10;             ///< products per batch, even where one takes long; an even number
  Telemetry* watch = nullptr;  ///< samples the machine during the batches, if given
};

/// How long a batch is to take where its products are not given: 20 ms, less (down to 2 ms) where
/// min_seconds is too short for so many of those.
double batch_seconds(const BatchOptions& options);

/// Products of a batch of so many seconds where one takes so long: an even number, at least
/// `fewest`.
int batch_iterations(double product_seconds, double batch_seconds, int fewest);

/// Of unsorted values, by linear interpolation; 0 of none.
double quantile(std::vector<double> values, double fraction);
double median(std::vector<double> values);

struct Interval {
  double low = 0, high = 0;
};
/// Where the median of what the values are drawn from lies with a confidence of 95 %: between two
/// of them, counted from the middle (order statistics; Le Boudec, Performance Evaluation, 2.2). All
/// of them where they are too few.
Interval interval_of_median(std::vector<double> values);

struct BatchTimes {
  int iterations = 0;
  std::vector<double> seconds;  ///< of one product, a value per batch, the slowest rank's
  bool interrupted = false;     ///< a signal ended the batches early, perhaps before the first
  int part = 0;                 ///< products of the only batch, where that was ended; else 0
  std::vector<double> own_seconds{};  ///< of one product, a value per batch, this rank's

  double median() const { return rowhalo::median(seconds); }
};

/// Collective. The batches end early, on all ranks alike, when a signal has come to any rank:
/// within half a second or a product, in the middle of a batch, which then counts only if it is the
/// first. Products per batch are rounded up to whole steps of the sequence.
BatchTimes measure_batches(const Measuring& with, const BatchOptions& options,
                           ProductSequence& products);

}  // namespace rowhalo

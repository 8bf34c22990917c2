// SPDX-License-Identifier: BSD-3-Clause
//
// What every command that multiplies has in common: options checked, device settled, matrix read
// and distributed, vectors and references made, report written. The commands (run, kernels) are
// what stands between prepare() and write_report().
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "io/report/report.hpp"
#include "miniapp/bench/choose.hpp"
#include "miniapp/bench/measurement.hpp"
#include "miniapp/check/validation.hpp"
#include "miniapp/cli/device.hpp"
#include "miniapp/cli/options.hpp"
#include "miniapp/cli/outputs.hpp"
#include "miniapp/process/progress_line.hpp"
#include "miniapp/process/watchdog.hpp"
#include "partition/assignment.hpp"

namespace rowhalo {

/// What y is held against: alpha*A*x + beta*y0, per owned row.
struct Reference {
  const char* name;
  std::vector<double> product;
};

/// Whether formats, transports and precisions of products have to suit the device.
enum class Purpose { product, inspection };

/// All functions are collective.
class Session {
 public:
  Session(const CommandLine& line, const Job& job);

 protected:
  /// Device, options that can be known to be wrong before any work is done, header.
  void begin(Purpose purpose = Purpose::product);
  ExitCode dry();     ///< instead of all that follows: only the outline of the matrix
  void read();        ///< the matrix, from its source
  void renumber();    ///< --shuffle, if asked for
  void distribute();  ///< to its owners, with its plan
  void prepare();     ///< x, y0, and the block in the memory of the device
  /// Table and files of the report; outputs_.finish() comes later.
  void write_report();

  /// A signal has come to some rank; the report's status says so from then on.
  bool interrupted();
  /// Names the phase for the watchdog and on the terminal.
  void phase(const char* name) { progress_.phase(name); }
  /// Seconds that `work` takes on the slowest rank.
  template <class Work>
  double timed(Work work) {
    using clock = std::chrono::steady_clock;
    const clock::time_point start = clock::now();
    work();
    return max_over_ranks(comm_, std::chrono::duration<double>(clock::now() - start).count());
  }

  /// What is asked of the partition, for any number of parts.
  PartitionRequest partition_request(const NodeMap& nodes) const;
  Stream stream() const { return stream_ ? stream_->stream() : Stream{}; }
  BatchOptions batch_options() const {
    return {options_.iterations, options_.batches, options_.warmup, options_.min_seconds};
  }
  /// PETSc's and our own reference, as far as they are asked for, into references_; the report of a
  /// validation that has not looked at any y yet.
  ValidationReport compute_references();
  /// Holds the y of `kernels`, with hash `y_hash`, against the references; `verdict` becomes the
  /// reason when it fails.
  ValidationReport check(const std::vector<std::byte>& y, std::uint64_t y_hash,
                         const LocalKernels& kernels, std::string& verdict);
  /// Why y after `products` products in a row is wrong; empty when it is right or not validated.
  std::string repeated_fault(const std::vector<std::byte>& y, int products) const;

  const RunOptions& options_;
  Comm comm_;
  Progress& progress_;
  const Watchdog& watchdog_;
  Outputs outputs_;
  RunReport report_;
  RankDevice device_;
  std::int64_t base_bytes_ = 0;           ///< of the host's memory, before anything was read
  std::int64_t free_bytes_before_ = 0;    ///< of the device, before anything was put there
  std::optional<DistributedCsr> source_;  ///< between read() and distribute()
  LocalMatrix matrix_;
  HaloPlan plan_;
  Schedule schedule_ = Schedule::overlap;  ///< as settled
  std::optional<LoadedMatrix> block_;
  std::unique_ptr<const LoadedColumns> columns_;  ///< for a baseline's schedule
  std::vector<double> x_, y0_;  ///< by number in the source, as stored in the precision
  std::vector<std::byte> stored_x_, stored_y0_;
  std::vector<Reference> references_;
  std::optional<ValidationReport> reference_report_;  ///< once references_ are there
  std::string trace_;                                 ///< text of the timeline, on rank 0

 private:
  void check_product_options() const;
  void print_header();
  CheckedProduct checked(const void* y, RowBits bits = RowBits::any) const {
    return {matrix_, options_.precision, options_.alpha, options_.beta, x_, y0_, y, bits};
  }

  std::optional<ProgressLine> progress_line_;  ///< rank 0, on a terminal
  std::optional<StreamHandle> stream_;
  std::optional<Shuffle> shuffle_;
};

}  // namespace rowhalo

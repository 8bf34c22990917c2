// SPDX-License-Identifier: BSD-3-Clause
//
// The result of one run. Filled by the driver; the terminal table, the FOM lines, JSON, CSV and
// HDF5 are writers of this struct and of nothing else. Times in seconds, sizes in bytes. A
// std::optional that is empty was not measured and is null in JSON. The names of all fields, and
// what they mean: fields.hpp; report.timing->median_seconds is timing.median_seconds there.
// Decisions are an Outcome with its figures; their sentences: reasons.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/report/info.hpp"
#include "io/report/network.hpp"
#include "io/report/solve.hpp"
#include "io/report/system.hpp"
#include "io/report/telemetry.hpp"
#include "partition/base/outcome.hpp"
#include "partition/base/types.hpp"
#include "partition/halo_plan.hpp"
#include "partition/nodes.hpp"

namespace rowhalo {

/// Version of the JSON layout (frozen: CHANGELOG.md).
inline constexpr int schema_version = 1;

/// Of every run of one executable.
struct BuildProvenance {
  std::string version, git, compiler, flags, mpi;
  std::optional<std::string> cuda, nccl, petsc, hdf5;  ///< empty: built without
};

struct Provenance : BuildProvenance {
  std::vector<std::string> hosts;    ///< one per rank
  std::vector<std::string> devices;  ///< one per rank; "cpu" or the GPU's name
  std::string time;                  ///< start, UTC, ISO 8601
};

struct MatrixReport {
  MatrixInfo info;
  std::int64_t nonzeros = 0;
  std::optional<std::uint64_t> fingerprint;  ///< empty: no entry was read
  Spread row_length;                         ///< NaN where no entry was read
  double row_length_stddev = 0;
};

inline Spread rows_of(const PartitionStatistics& s) {
  return {s.rows_min, s.rows_mean, s.rows_max};
}
inline Spread nonzeros_of(const PartitionStatistics& s) {
  return {s.nonzeros_min, s.nonzeros_mean, s.nonzeros_max};
}

struct PartitionReport {
  std::string name;
  int ranks = 1;
  PartitionStatistics statistics;
  int nodes = 1;
  bool hierarchical = false;                     ///< over nodes first, then over the ranks of each
  std::string reorder = "none";                  ///< of the rows on a rank
  std::vector<PartitionJudgement> candidates{};  ///< empty when the partitioner was named
};

/// What a decision on a format rests on.
enum class FormatGrounds {
  trial,
  trial_with_exchange,  ///< chosen in one, or given up after it
  prediction,           ///< skipped: predicted `times` the time of `than`
  bound,                ///< skipped: cannot take less than `times` the time of `than`
  tie                   ///< no significant difference from `than`, which is first in the table
};
struct FormatFigures {
  FormatGrounds grounds = FormatGrounds::trial;
  double times = 0;
  std::string than{};
  std::string boundary{};  ///< format of the boundary rows, if it refused these; else empty
  std::string refusal{};   ///< of all rows or of the boundary rows, as it was said
};

/// A format that `auto` considered.
struct FormatCandidate {
  std::string name;
  std::optional<double> seconds;        ///< of a product; empty when it was not timed
  std::optional<double> setup_seconds;  ///< conversion; empty when not converted
  Outcome outcome = Outcome::slower;
  FormatFigures figures{};
};

/// Of a trial of another schedule, or of another format, with the transport that was chosen.
struct ScheduleTrial {
  std::string schedule{}, format{};
  std::string than{};  ///< schedule or format so far
  double share = 0;    ///< of its time
};

/// A transport that `auto` considered, or a trial with the one that was chosen.
struct TransportCandidate {
  std::string name;
  bool graph = false;
  std::optional<double> seconds;          ///< of a product; empty when it was not timed
  std::optional<double> exposed_seconds;  ///< likewise
  Outcome outcome = Outcome::slower;      ///< chosen: also what a later trial replaced
  std::string refusal{};                  ///< refused, no_memory: as it was said
  std::optional<ScheduleTrial> trial{};
};

/// Why products have another schedule than the one that was asked for.
enum class ScheduleGrounds {
  as_asked,  ///< they have not
  no_ghosts,
  few_entries,
  few_interior_entries,
  trial,
  all_rows  ///< the format multiplies all rows at once
};

/// What the choice of a format by `auto` took, conversions and trials; `products` of the chosen.
struct ChoiceCost {
  double seconds = 0, products = 0;
};

struct HaloReport {
  std::string transport, schedule;
  HaloStatistics planned;
  /// Of a product, all ranks: as the plan says, and by the transport.
  NodeTraffic planned_between_nodes, sent_between_nodes;
  int entry_bytes = 8;                         ///< of x
  std::vector<TransportCandidate> candidates;  ///< empty when the transport was named
  bool graph = false;                          ///< products were replayed from a CUDA graph
  bool poison = false;                         ///< ghosts were NaN between products
  double jitter_seconds = 0;         ///< longest delay of a rank; with either, times mean little
  std::vector<std::string> steps{};  ///< of a product, in their order
  ScheduleGrounds schedule_grounds = ScheduleGrounds::as_asked;
  std::string schedule_format{};  ///< all_rows: the format
  std::int64_t partial_sums = 0;  ///< of the entries sent, those that are sums of rows
};

struct KernelReport {
  std::string format, boundary_format, device;
  Precision precision = Precision::fp64;
  std::int64_t bytes = 0, flops = 0, footprint_bytes = 0;  ///< all ranks
  double setup_seconds = 0;                                ///< slowest rank
  std::vector<FormatCandidate> candidates;                 ///< empty when the format was named
  std::optional<ChoiceCost> choice{};                      ///< likewise
  std::string parameters{};  ///< what the format chose by itself, interior rows of rank 0
  int vectors_at_once = 1;   ///< 1 where a product of several vectors is one for each
};

/// Each the slowest rank's.
struct SetupReport {
  double read_seconds = 0, partition_seconds = 0, plan_seconds = 0, convert_seconds = 0,
         upload_seconds = 0;
  std::optional<double> transpose_seconds{};  ///< --transpose, where entries moved
  std::optional<double> coo_to_csr_seconds =
      {};  ///< `kernels` on a GPU: CSR from coordinates there
};

/// Wall clock time of rank 0 in seconds, from the start of its process until the report was
/// written.
struct WallReport {
  double seconds = 0;  ///< the sum of:
  double start = 0, read = 0, partition = 0, choose = 0, measure = 0, validate = 0, write = 0,
         other = 0;
};

/// Most on any rank.
struct MemoryReport {
  std::int64_t peak_bytes_max_rank = 0, device_bytes_max_rank = 0;
  std::int64_t read_peak_bytes_max_rank = 0;  ///< the peak so far when the matrix has been read
};

/// Mean time of one product in each phase, slowest rank.
struct PhaseReport {
  double pack = 0, exchange = 0, interior = 0, boundary = 0;
};

struct TimingReport {
  int batches = 0;
  int iterations = 0;                                           ///< products per batch
  double median_seconds = 0, min_seconds = 0, p95_seconds = 0;  ///< of one product
  PhaseReport phases;
  /// Product minus the same product without exchange, at least 0; 0 where nothing is exchanged,
  /// empty where a signal came before it was measured.
  std::optional<double> exposed_seconds;
  double median_low_seconds = 0, median_high_seconds = 0;  ///< interval of 95 % of the median
  double seconds_per_vector = 0;  ///< median_seconds over the vectors of a product
};

struct PerformanceReport {
  double gflops = 0;
  double gbytes_per_second = 0;  ///< bytes of CSR over time, whatever the format
  std::optional<double> read_bandwidth_gbytes, share_of_read_bandwidth;
};

/// What y is compared with.
enum class Against { reference, petsc, all, none };

struct ValidationReport {
  Against against = Against::reference;
  bool passed = false;
  double max_error_ratio = 0;
  GlobalIndex worst_row = -1;
  std::int64_t rows_checked = 0;
  std::uint64_t y_hash = 0;
  std::optional<double> petsc_seconds;
  std::string note;                       ///< e.g. why PETSc was not used; empty otherwise
  std::int64_t rows_unchecked = 0;        ///< rows about which no bound proves anything
  std::vector<std::uint64_t> y_hashes{};  ///< of each vector, the first as y_hash
};

/// One of the two operators of `run --pair`. Bytes: all ranks.
struct PairSide {
  std::string partition{}, format{}, boundary_format{}, transport{}, schedule{};
  bool graph = false;
  std::int64_t partial_sums = 0;  ///< as in HaloReport
  double median_seconds = 0;      ///< of a product alone, in batches between those of pairs
  std::int64_t host_bytes = 0, device_bytes = 0;  ///< that the operator holds; 0: the other's serve
  ValidationReport validation{};                  ///< of y as the sequence of pairs left it
};

/// A x and A^T x in turn (`run --pair`).
struct PairReport {
  bool one_operator = false;  ///< the matrix equals its transpose
  bool graph = false;         ///< pairs were replayed from a CUDA graph
  int batches = 0, iterations = 0;
  double median_seconds = 0, median_low_seconds = 0, median_high_seconds = 0;  ///< of one pair
  double time_ratio = 0;    ///< a pair over the sum of both products
  double memory_ratio = 0;  ///< bytes of both operators over those of the first
  PairSide product, transposed;
};

/// One of several combinations that a run measured in full (--format, --halo, --partition all).
struct CaseReport {
  std::string partition{}, format{}, transport{};
  bool graph = false;
  std::optional<double> median_seconds{}, exposed_seconds{};  ///< empty when it could not run
  double max_error_ratio = 0;
  std::uint64_t y_hash = 0;
  Outcome outcome = Outcome::slower;
  std::string reason{};             ///< why it could not run, or why it failed
  std::int64_t rows_unchecked = 0;  ///< as in ValidationReport
  double median_low_seconds = 0, median_high_seconds = 0;  ///< as in TimingReport
};

/// One format on one rank (`kernels`). Rates are of the faster of the two times.
struct FormatReport {
  std::string name;
  bool baseline = false;                        ///< a vendor's
  std::optional<double> seconds;                ///< of one product, called; empty: it could not run
  std::optional<double> graph_seconds;          ///< of one product, replayed from a CUDA graph
  double seconds_per_vector = 0;                ///< the lesser of the two over the vectors
  int vectors_at_once = 1;                      ///< 1 where several vectors are as many products
  int batches = 0;                              ///< whose median the times are, at least
  std::int64_t bytes = 0, footprint_bytes = 0;  ///< moved a product; held
  double gflops = 0, gbytes_per_second = 0;     ///< bytes of CSR, as in PerformanceReport
  std::optional<double> share_of_read_bandwidth;
  std::optional<double> cold_seconds;  ///< of one product after the caches were flushed (--cold)
  std::string parameters;              ///< what the format chose by itself
  double bytes_per_nonzero = 0;        ///< matrix and indices that it reads
  double padding = 0;                  ///< slots over nonzeros, less 1
  std::optional<double> coalescing, balance;     ///< see "How the numbers are made"
  double setup_seconds = 0, setup_products = 0;  ///< conversion from CSR; the same in products
  std::optional<double> refill_seconds, refill_products;  ///< new values from CSR; empty: not taken
  double max_error_ratio = 0;
  std::uint64_t y_hash = 0;
  std::vector<std::uint64_t> y_hashes;  ///< of each vector, the first as y_hash
  Outcome outcome = Outcome::compared;
  std::int64_t rows_unchecked = 0;          ///< as in ValidationReport
  std::string reason;                       ///< why it could not run, or why it failed
  std::vector<FormatCandidate> candidates;  ///< of `auto`, whose set-up is that of all its trials
};

/// Measured bandwidth of the device, GB/s (1e9 bytes).
struct BandwidthReport {
  double read = 0, copy = 0, triad = 0;
};

/// The file that `convert` wrote.
struct OutputReport {
  std::string path;
  std::int64_t read_bytes = 0;  ///< of the file that was read; 0: generated
  std::int64_t bytes = 0;
  double seconds = 0;  ///< of writing, slowest rank
};

/// What HDF5 holds beside the rest: a value per rank, and times of one product as a value per
/// batch, rank after rank. On rank 0 only.
struct RankReport {
  std::vector<std::int64_t> rows, nonzeros, boundary_rows, ghosts, sent_entries;
  std::vector<PhaseReport> phases;
  std::vector<double> batch_seconds;        ///< as timed
  std::vector<double> local_batch_seconds;  ///< without exchange; empty when interrupted before
  CommunicationReport communication;
};

enum class RunStatus { ok, failed, interrupted };

/// --tuning: a choice that was read instead of tried.
struct TuningReport {
  std::string file;
  std::vector<std::string> differences;  ///< to what it was made for
};

struct RunReport {
  std::string command;
  std::vector<std::string> argv;
  RunStatus status = RunStatus::ok;
  std::string verdict;  ///< the why of the RESULT line
  Provenance provenance;
  std::optional<SystemReport> system;  ///< empty: nothing was computed
  MatrixReport matrix;                 ///< that is multiplied; without a source: `network`
  bool transposed = false;             ///< of the source, by --transpose
  int vectors = 1;                     ///< that a product multiplies
  std::string layout = "row";          ///< of these, where products begin and end
  std::optional<PartitionReport> partition;
  std::optional<HaloReport> halo;
  std::optional<KernelReport> kernel;
  std::optional<TuningReport> tuning;  ///< --tuning
  SetupReport setup;
  MemoryReport memory;
  WallReport wall;
  std::optional<TimingReport> timing;            ///< empty when the run was interrupted before
  std::optional<PerformanceReport> performance;  ///< likewise
  std::optional<ValidationReport> validation;
  std::optional<PairReport> pair;            ///< --pair
  std::optional<TelemetryReport> telemetry;  ///< empty: --telemetry off, or nothing was timed
  std::optional<BandwidthReport> bandwidth;
  std::optional<OutputReport> output;
  std::vector<FormatReport> formats;          ///< `kernels`: fastest first
  std::vector<SolverReport> solvers;          ///< `solve`: a line per method
  std::optional<TimeStepsReport> time_steps;  ///< `solve --refill`
  std::optional<InfoReport> info;
  std::optional<NetworkReport> network;    ///< of the command network
  std::optional<ExpectedReport> expected;  ///< --machine
  std::optional<CommunicationReport> communication;
  std::optional<RankReport> ranks;  ///< only for HDF5
  std::vector<CaseReport> cases;  ///< only with `all`; the fastest that passed is what stands above
};

}  // namespace rowhalo

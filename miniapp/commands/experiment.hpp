// SPDX-License-Identifier: BSD-3-Clause
//
// The steps that commands are made of, each a function from values to a value: device, matrix,
// owners, vectors. What a step says of itself goes into its sections of the report. A command
// (run, kernels, solve, network, info, convert) is these steps in a row. All functions are
// collective.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/report/report.hpp"
#include "io/sources.hpp"
#include "miniapp/bench/baselines/baselines.hpp"
#include "miniapp/bench/batches.hpp"
#include "miniapp/cli/device.hpp"
#include "miniapp/cli/options.hpp"
#include "miniapp/cli/outputs.hpp"
#include "miniapp/process/job.hpp"
#include "miniapp/tune/choose.hpp"
#include "partition/assignment.hpp"
#include "partition/partial_sums.hpp"
#include "partition/value_route.hpp"

namespace rowhalo {

/// A command at work: what was asked for, who takes part, and what comes out.
struct Session {
  const CommandLine& line;
  const Job& job;
  Outputs outputs;
  RunReport report = {};
};

/// Where this rank computes, and what was in use before anything was read.
struct Machine {
  RankDevice device;
  std::optional<StreamHandle> own_stream;  ///< on a GPU
  std::unique_ptr<DeviceClock> clock;
  std::unique_ptr<Telemetry> telemetry;   ///< null: --telemetry off
  std::optional<NetworkReport> measured;  ///< what the file of --machine says
  std::int64_t base_bytes = 0;            ///< of the host's memory, most of any rank
  std::int64_t free_device_bytes = 0;     ///< on a GPU

  Stream stream() const { return own_stream ? own_stream->stream() : Stream{}; }
};

/// What new values take, slowest rank: on their way to the owners of their rows and to ranks that
/// compute partial sums; in kernels.
struct RefillSeconds {
  double moved = 0, sums = 0, kernels = 0;
};

/// What was asked for, and all that is there when products begin.
struct Experiment {
  /// Collective. Moves the rows of `rows` to their owners and plans the exchange; `adapt`, if
  /// given, then changes the local matrix; last x, y0 and the local matrix in the memory of the
  /// device.
  Experiment(const RunOptions& options, const Job& job, const Machine& machine,
             DistributedCsr&& rows, RunReport& report,
             const std::function<void(LocalMatrix&)>& adapt = {});

  const RunOptions& options;
  const Job& job;
  const Machine& machine;
  const Measuring measuring;
  ComputeSite site;
  std::uint64_t pattern = 0;  ///< its fingerprint where a tuning file is read or written
  LocalMatrix matrix;
  std::optional<PartialSums> sums;        ///< --partial-sums: what products multiply instead
  HaloPlan plan;                          ///< of multiplied()
  Schedule schedule = Schedule::overlap;  ///< as settled
  ScheduleGrounds schedule_grounds = ScheduleGrounds::as_asked;
  std::unique_ptr<LoadedMatrix> block;           ///< in the memory of the device
  std::unique_ptr<const LoadedColumns> columns;  ///< the same for a schedule that cuts by columns
  std::unique_ptr<PartialSumKernels> sum_kernels;
  ValueRoute route;                  ///< --refill: from given_values to the entries of `matrix`
  std::vector<double> given_values;  ///< --refill: as `adapt` left them, in the order of the source
  std::vector<std::vector<double>> x, y0;      ///< each vector, by number in the source, as stored
  std::vector<std::byte> stored_x, stored_y0;  ///< the same in the precision of the run, one after
                                               ///< the other; x for the columns of multiplied()
  const std::unique_ptr<Connections> connections = std::make_unique<Connections>();

  /// Collective. --refill: new values in the place of given_values, which `kernels`, made from
  /// this, then multiply by; back when the device has them.
  RefillSeconds refill(const std::vector<double>& values, LocalKernels& kernels);

  const LocalMatrix& multiplied() const { return sums ? sums->matrix : matrix; }
  /// What a product exchanges, entries of x and sums, for statistics.
  HaloPlan exchanged() const { return sums ? joined(plan, sums->plan) : plan; }
  OperatorParts parts() const {
    return {.comm = job.comm,
            .matrix = multiplied(),
            .block = *block,
            .plan = plan,
            .site = site,
            .columns = columns.get(),
            .sums = sum_kernels.get(),
            .connections = connections.get(),
            .vectors = options.vectors};
  }
  ProductSetting products(const Disturbances& disturbances = {}) const {
    return {parts(),
            measuring,
            machine.stream(),
            stored_x,
            hooks_of(schedule, disturbances, site.device, job.comm.rank),
            schedule,
            options.layout};
  }

 private:
  void distribute(DistributedCsr&& rows, RunReport& report);
  void prepare(RunReport& report);

  std::vector<double> moved_to_sums_;
};

/// Whether formats, transports and precisions of products have to suit the device.
enum class Purpose { product, inspection };

/// Settles the device, refuses options that can be known to be wrong before any work is done, and
/// prints the header. Throws AgreedError.
Machine begin(Session& session, Purpose purpose);

/// Local. --reproducible of `run`: what is named, by options or by a tuning file, must sum up rows
/// in their stored order. Throws InputError.
void check_reproducible(const RunOptions& options, Device device);

/// Collective. What the source says of its matrix before it is read, with --transpose of the
/// transpose.
MatrixOutline outline_of(const RunOptions& options, const Job& job,
                         const char* option = "--matrix");

/// --dry, instead of all that follows: only the outline of the matrix, and whether what the options
/// name can be used here.
ExitCode dry_run(const RunOptions& options, const Machine& machine, Session& session);

/// The matrix, from its source; with --transpose the transpose.
DistributedCsr read_matrix(const RunOptions& options, const Job& job, RunReport& report);

/// --shuffle: renumbers `matrix` and says how; empty if not asked for.
std::optional<Shuffle> shuffle_matrix(const MatrixOptions& options, const Job& job,
                                      DistributedCsr& matrix);

/// What is asked of the partition, for the parts of `nodes`.
PartitionRequest partition_request(const PartitionOptions& options, Device device,
                                   const NodeMap& nodes);

/// Collective. Where ranks compute, as transports want to know it.
ComputeSite site_of(const RunOptions& options, const Job& job, const Machine& machine);

/// Collective. Kernels, transport and schedule that were chosen, into the report.
void report_chosen(const Experiment& e, const ChosenKernels& kernels,
                   const ChosenTransport& transport, RunReport& report);

/// Collective, on GPUs. Their read bandwidth, GB/s, of all together; 0: not measured, because ranks
/// share one or it is nearly full.
double measured_read_bandwidth(const Experiment& e);

/// Collective. What the machine did in the timed batches since the last reset, `products` of them
/// with so many `flops` each; nothing with --telemetry off.
void report_telemetry(const Experiment& e, double products, double flops, RunReport& report);

/// A signal has come to some rank; the report's status says so from then on.
bool interrupted(const Job& job, RunReport& report);

/// Entries of this rank's rows, stored in `precision`, into the file that `option` names, in the
/// order of the source; several vectors, which lie one after the other, as columns.
void save_vector(const Experiment& e, const char* option, const std::string& path,
                 Precision precision, const void* stored, Session& session, int vectors = 1);

/// Table and files of the report, then `more` outputs, then FOM and RESULT lines. The exit status.
ExitCode finish(Session& session, ExitCode code, const std::string& trace = {},
                const std::function<void()>& more = {});

/// Seconds that `work` takes on the slowest rank.
template <class Work>
double timed(const Comm& comm, Work work) {
  const double start = now_seconds();
  work();
  return max_over_ranks(comm, now_seconds() - start);
}

}  // namespace rowhalo

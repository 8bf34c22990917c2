// SPDX-License-Identifier: BSD-3-Clause
//
// What commands add their options by: words and checks are in the file of each concern, matrix.cpp,
// partition.cpp, kernel.cpp, exchange.cpp, tuning.cpp, measure.cpp and output.cpp.
#pragma once

#include <string>
#include <vector>

#include "miniapp/cli/options.hpp"
#include "miniapp/cli/options/words.hpp"

namespace rowhalo {

/// What --help says of sources: one usage per line, and where their keys are described.
std::string source_usage();
/// What may be written for a matrix.
OptionValues matrix_values();

void add_block_option(App& app, MatrixOptions& options);
/// --matrix, --block and --shuffle.
void add_matrix_options(App& app, MatrixOptions& options);
void add_transpose_option(App& app, MatrixOptions& options);
/// --pair; after the options that make no sense beside it.
void add_pair_option(App& app, MatrixOptions& options);

/// --partition, --hierarchical and --ranks-per-node; `first`: words that stand for no single one.
void add_partition_options(App& app, PartitionOptions& options,
                           const std::vector<std::string>& first);
void add_ranks_per_node_option(App& app, PartitionOptions& options);
void add_reorder_option(App& app, PartitionOptions& options);

/// What may be written for a vector.
OptionValues vector_values();
/// The formats of each device, for the help of an option.
std::string format_usage();

void add_device_option(App& app, KernelOptions& options);
void add_threads_option(App& app, KernelOptions& options);
void add_precision_option(App& app, KernelOptions& options);
/// --graph; `graphs`: when products are replayed from one.
void add_graph_option(App& app, KernelOptions& options, const std::string& graphs);
void add_value_codes_option(App& app, KernelOptions& options);
/// --format, --boundary-format and --value-codes; `first`: words that stand for no single one.
void add_format_options(App& app, KernelOptions& options, const std::vector<std::string>& first);
/// --device, --graph, --precision, --alpha, --beta, --x and --y.
void add_product_options(App& app, KernelOptions& options, const std::string& graphs);
/// --vectors and --layout.
void add_vectors_options(App& app, KernelOptions& options);

/// `first`: words that stand for no single transport.
void add_halo_option(App& app, ExchangeOptions& options, const std::vector<std::string>& first);
/// --schedule and --partial-sums.
void add_order_options(App& app, ExchangeOptions& options);
void add_machine_option(App& app, ExchangeOptions& options, const std::string& what);

/// --tuning, which stands for the options of its kind that have been added before.
void add_tuning_option(App& app, TuningOptions& options);
void add_save_tuning_option(App& app, TuningOptions& options);

/// --iterations, --batches, --warmup and --min-seconds; `batch`: the default of --iterations, and
/// what follows from it.
void add_batch_options(App& app, MeasureOptions& options, const std::string& batch);
void add_dry_option(App& app, MeasureOptions& options);
void add_telemetry_option(App& app, MeasureOptions& options);
void add_timeout_option(App& app, MeasureOptions& options);
/// `references`: those that the command has.
void add_validate_option(App& app, CheckOptions& options, const std::vector<Against>& references);
/// --poison and --jitter.
void add_disturbance_options(App& app, CheckOptions& options);

/// " FILE.mtx FILE.h5...": what vectors are written as.
std::string written_vectors();

void add_json_option(App& app, OutputOptions& options);
/// --json, --csv and --hdf5.
void add_report_options(App& app, OutputOptions& options);
/// --save-y and --trace.
void add_run_outputs(App& app, OutputOptions& options);
/// --quiet, --no-progress and --color.
void add_terminal_options(App& app, OutputOptions& options);
/// Of commands with a choice by `auto`; after add_terminal_options.
void add_explain_option(App& app, OutputOptions& options);

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// What is multiplied by what, in which format, and on which device.
#pragma once

#include <string>
#include <vector>

#include "partition/base/types.hpp"

namespace rowhalo {

class App;
struct OptionValues;

struct KernelOptions {
  std::string device = "auto";
  int threads = 0;  ///< 0: OMP_NUM_THREADS, else the cores of this rank
  std::string format = "auto", boundary_format;
  bool value_codes = true;
  Precision precision = Precision::fp64;
  bool graph = true;          ///< where transport and schedule allow it
  bool reproducible = false;  ///< rows are summed in their stored order, in whatever format
  double alpha = 1, beta = 0;
  std::string x = "random:seed=1", y = "zeros";
  std::string rhs = "manufactured";  ///< of solve
};

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

/// Local. Throws InputError where no format of `device` takes the precision, a format is unknown,
/// or a factor too large.
void check(const KernelOptions& options, Device device);

}  // namespace rowhalo

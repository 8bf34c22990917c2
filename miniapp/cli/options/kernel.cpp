// SPDX-License-Identifier: BSD-3-Clause
//
// What is multiplied by what, in which format, and on which device: the words of the options
// (add.hpp), and what is checked of them.
#include <algorithm>
#include <cmath>
#include "miniapp/cli/options/add.hpp"

#include "kernels/formats.hpp"
#include "miniapp/check/vector_spec.hpp"
#include "miniapp/cli/device.hpp"
#include "miniapp/tune/choose.hpp"
#include "partition/base/numbers.hpp"

namespace rowhalo {

namespace {

constexpr double largest_factor = 1e300;  // of alpha and beta

}  // namespace

OptionValues vector_values() {
  OptionValues values;
  values.files = true;
  for (const std::string& usage : vector_usages()) {
    if (usage.starts_with("FILE")) continue;
    const std::size_t equals = usage.find('=');  // in front of what is up to the user
    values.words.push_back(equals == std::string::npos ? usage : usage.substr(0, equals + 1));
  }
  return values;
}

std::string format_usage() {
  std::string text;
  for (const Device device : {Device::cpu, Device::gpu}) {
    std::string names;
    for (const FormatEntry& entry : formats()) {
      if (entry.device == device) names += std::string(names.empty() ? "" : ", ") + entry.name;
    }
    text += fmt::format("\n  on {}: {}", device == Device::cpu ? "CPU" : "GPU", names);
  }
  return text + "\n  meanings: rowhalo list formats";
}

void add_device_option(App& app, KernelOptions& options) {
  app.under(product_group);
  add_word(app, "--device", options.device, {"auto", "cpu", "gpu"},
           with_default("auto | cpu | gpu", options.device));
}

void add_threads_option(App& app, KernelOptions& options) {
  app.under(measuring_group);
  add_number(app, "--threads", options.threads, "N", 1, most_threads,
             fmt::format("OpenMP threads per rank on the CPU, at most {} (default: "
                         "OMP_NUM_THREADS, else the cores of the rank)",
                         most_threads));
}

void add_precision_option(App& app, KernelOptions& options) {
  app.under(product_group);
  add_choice<Precision>(app, "--precision", options.precision,
                        {{"fp64", Precision::fp64},
                         {"fp32", Precision::fp32},
                         {"mixed", Precision::mixed},
                         {"fp16", Precision::fp16},
                         {"bf16", Precision::bf16}},
                        "fp64 | fp32 | mixed (fp32 matrix, fp64 vectors) | fp16 | bf16; the last "
                        "three on a GPU (default: fp64)");
}

void add_graph_option(App& app, KernelOptions& options, const std::string& graphs) {
  app.under(product_group);
  add_switch(app, "--graph", options.graph, graphs + ": on | off (default: on)");
}

void add_value_codes_option(App& app, KernelOptions& options) {
  app.under(product_group);
  add_switch(app, "--value-codes", options.value_codes,
             "on | off: values in fewer bytes where they are exact; off: never, in any format "
             "(default: on)");
}

void add_format_options(App& app, KernelOptions& options, const std::vector<std::string>& first) {
  app.under(product_group);
  const std::string names = alternatives(first) + " | NAME[:key=value,...]";
  add_named(app, "--format", options.format, "NAME", {names_in(formats(), first)},
            with_default(names, options.format) + format_usage());
  add_named(app, "--boundary-format", options.boundary_format, "NAME", {names_in(formats())},
            "format of the rows that need ghosts (default: that of --format)");
  add_value_codes_option(app, options);
}

void add_product_options(App& app, KernelOptions& options, const std::string& graphs) {
  add_device_option(app, options);
  add_graph_option(app, options, graphs);
  add_precision_option(app, options);
  add_number(app, "--alpha", options.alpha, "A", -largest_factor, largest_factor,
             with_default("of y = alpha*A*x + beta*y", options.alpha));
  add_number(app, "--beta", options.beta, "B", -largest_factor, largest_factor,
             with_default("of y = alpha*A*x + beta*y; with 0 the old y is not read", options.beta));
  add_named(app, "--x", options.x, "SPEC", vector_values(),
            with_default(
                alternatives(vector_usages()) + "; FILE:column=K: one of several columns, from 1",
                options.x));
  add_named(app, "--y", options.y, "SPEC", vector_values(),
            with_default("y before the product: the names of --x", options.y));
}

void add_vectors_options(App& app, KernelOptions& options) {
  app.under(product_group);
  add_number(app, "--vectors", options.vectors, "K", 1, most_vectors,
             fmt::format("Y = alpha*A*X + beta*Y with K vectors at once, at most {}; vector k of "
                         "random:seed=N is random:seed=N+k, k from 0 (default: {})",
                         most_vectors, options.vectors));
  add_choice<Layout>(app, "--layout", options.layout,
                     {{"row", Layout::row}, {"column", Layout::column}},
                     with_default("how the K vectors lie: row: the K entries of a row side by side "
                                  "| column: one vector after the other",
                                  name_of(options.layout)));
}

void check(const KernelOptions& options, Device device) {
  const auto usable = [&](const FormatEntry& entry) {
    return entry.device == device && takes(entry, options.precision);
  };
  if (std::none_of(formats().begin(), formats().end(), usable)) {
    throw InputError(
        fmt::format("--precision {}: no format on device {} takes it; use fp64 or "
                    "fp32, or a GPU",
                    name_of(options.precision), name_of(device)));
  }
  const NumberType sums = sum_type(options.precision);
  for (const auto& [option, factor] :
       {std::pair{"--alpha", options.alpha}, {"--beta", options.beta}}) {
    if (std::isfinite(rounded_to(sums, factor))) continue;
    throw InputError(fmt::format("{} {}: too large for the sums of --precision {}; use fp64",
                                 option, factor, name_of(options.precision)));
  }
  for (const std::string& format : named_formats(options.format, device)) {
    if (format != "auto") find_format(Spec::parse(format, "--format").name(), device, "--format");
  }
  if (!options.boundary_format.empty()) {
    const char* option = "--boundary-format";
    find_format(Spec::parse(options.boundary_format, option).name(), device, option);
  }
}

}  // namespace rowhalo

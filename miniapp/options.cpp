// SPDX-License-Identifier: BSD-3-Clause
//
// The command line (options.hpp), parsed by CLI11.
#include "miniapp/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "io/sources.hpp"
#include "miniapp/petsc.hpp"
#include "partition/partitioners.hpp"

namespace rowhalo {

namespace {

/// "rows | nnz": the names of a table.
template <class Table>
std::string names_of(const Table& table, const std::string& first) {
  std::string text = first;
  for (const auto& entry : table) {
    const std::string name = entry.name;
    if ((" | " + text + " |").find(" | " + name + " |") != std::string::npos) continue;
    text += (text.empty() ? "" : " | ") + name;
  }
  return text;
}

std::string source_usage() {
  std::string text;
  for (const SourceEntry& entry : sources()) text += fmt::format("\n  {}", entry.usage);
  return text;
}

/// An option that takes one of a few words, each standing for a value.
template <class Value>
CLI::Option* add_choice(CLI::App& app, const std::string& name, Value& target,
                        const std::vector<std::pair<std::string, Value>>& choices,
                        const std::string& description) {
  return app
      .add_option_function<std::string>(
          name,
          [&target, name, choices](const std::string& text) {
            std::vector<std::string> words;
            for (const auto& [word, value] : choices) {
              if (word == text) {
                target = value;
                return;
              }
              words.push_back(word);
            }
            throw CLI::ValidationError(fmt::format("{} {}: use {}", name, text, listed(words)));
          },
          description)
      ->type_name("NAME");
}

/// The same for options that are kept as words.
CLI::Option* add_word(CLI::App& app, const std::string& name, std::string& target,
                      const std::vector<std::string>& words) {
  std::vector<std::pair<std::string, std::string>> choices;
  std::string description;
  for (const std::string& word : words) {
    choices.emplace_back(word, word);
    description += (description.empty() ? "" : " | ") + word;
  }
  return add_choice(app, name, target, choices, description + " (default: " + target + ")");
}

/// A check without the range in the help, where it says nothing.
CLI::Validator positive_count() {
  return CLI::Range(1, 1 << 30).description("");
}

void add_matrix_options(CLI::App& run, RunOptions& options) {
  run.add_option("--matrix", options.matrix, "a file or a generator:" + source_usage())
      ->type_name("SPEC")
      ->required()
      ->group("Matrix");
  run.add_option_function<std::string>(
         "--block",
         [&options](const std::string& text) {
           if (text == "auto") return;
           if (!CLI::detail::lexical_cast(text, options.block) || options.block < 1) {
             throw CLI::ValidationError("--block " + text + ": use auto or a number of at least 1");
           }
         },
         "rows and columns stay together in blocks of B: auto (what the source says) | 1 | 2 ...")
      ->type_name("B")
      ->group("Matrix");
  run.add_option(
         "--shuffle", options.shuffle,
         "first renumber rows and columns of a square matrix at random; x and y stay in the "
         "source's order")
      ->type_name("SEED")
      ->group("Matrix");
}

void add_product_options(CLI::App& run, RunOptions& options) {
  const char* group = "Product";
  add_word(run, "--device", options.device, {"auto", "cpu", "gpu"})->group(group);
  add_choice<bool>(run, "--graph", options.graph, {{"on", true}, {"off", false}},
                   "replay products from a CUDA graph, where the transport allows it: on | off "
                   "(default: on)")
      ->group(group);
  add_choice<Precision>(run, "--precision", options.precision,
                        {{"fp64", Precision::fp64}, {"fp32", Precision::fp32}},
                        "fp64 | fp32 (default: fp64)")
      ->group(group);
  run.add_option("--alpha", options.alpha, "of y = alpha*A*x + beta*y")
      ->type_name("A")
      ->capture_default_str()
      ->group(group);
  run.add_option("--beta", options.beta, "likewise; with 0 the old y is not read")
      ->type_name("B")
      ->capture_default_str()
      ->group(group);
  const std::string vectors = "random:seed=N | ones | zeros | index | log | FILE.mtx";
  run.add_option("--x", options.x, vectors)->type_name("SPEC")->capture_default_str()->group(group);
  run.add_option("--y", options.y, "y before the product, likewise")
      ->type_name("SPEC")
      ->capture_default_str()
      ->group(group);
}

/// What only a distributed product has.
void add_run_options(CLI::App& run, RunOptions& options) {
  const char* group = "Distribution";
  run.add_option("--partition", options.partition, names_of(partitioners(), ""))
      ->type_name("NAME")
      ->capture_default_str()
      ->group(group);
  run.add_option("--format", options.format,
                 names_of(formats(), "auto | all") + "; options as NAME:k=v,...")
      ->type_name("NAME")
      ->capture_default_str()
      ->group(group);
  run.add_option("--boundary-format", options.boundary_format,
                 "format of the rows that need ghosts (default: the same)")
      ->type_name("NAME")
      ->group(group);
  run.add_option("--halo", options.halo, names_of(transports(), "auto | all"))
      ->type_name("NAME")
      ->capture_default_str()
      ->group(group);
  add_choice<Schedule>(run, "--schedule", options.schedule,
                       {{"overlap", Schedule::overlap}, {"blocking", Schedule::blocking}},
                       "overlap | blocking (default: overlap)")
      ->group(group);
  run.add_option("--save-y", options.save_y, "write y in the order of the source (.mtx)")
      ->type_name("FILE")
      ->group("Output");
  options.validate = petsc_version().empty() ? "reference" : "petsc";
  add_word(run, "--validate", options.validate, {"reference", "petsc", "all", "none"})
      ->group("Measuring and checking");
}

/// What only the comparison of formats has.
void add_kernels_options(CLI::App& kernels, RunOptions& options) {
  options.format = "all";
  options.min_seconds = 0.2;
  kernels
      .add_option("--format", options.format, names_of(formats(), "all") + "; several as a,b:k=v,c")
      ->type_name("NAMES")
      ->capture_default_str()
      ->group("Product");
  options.validate = "reference";
  add_word(kernels, "--validate", options.validate, {"reference", "none"})
      ->group("Measuring and checking");
}

void add_measuring_options(CLI::App& run, RunOptions& options) {
  const char* group = "Measuring and checking";
  run.add_option("--iterations", options.iterations,
                 "products a batch (default: 20 ms worth, at least 10)")
      ->type_name("N")
      ->check(positive_count())
      ->group(group);
  run.add_option("--batches", options.batches, "batches, at least; the median is reported")
      ->type_name("N")
      ->check(positive_count())
      ->capture_default_str()
      ->group(group);
  run.add_option("--warmup", options.warmup, "products before the first batch")
      ->type_name("N")
      ->check(CLI::NonNegativeNumber.description(""))
      ->capture_default_str()
      ->group(group);
  run.add_option("--min-seconds", options.min_seconds, "batches go on for at least this long")
      ->type_name("S")
      ->check(CLI::NonNegativeNumber.description(""))
      ->capture_default_str()
      ->group(group);
  run.add_option("--threads", options.threads, "OpenMP threads a rank on the CPU")
      ->type_name("N")
      ->check(positive_count())
      ->group(group);
  run.add_option(
         "--timeout", options.timeout_seconds,
         "end with an error that names each rank's phase when the run makes no progress for S "
         "seconds")
      ->type_name("S")
      ->check(CLI::PositiveNumber.description(""))
      ->capture_default_str()
      ->group(group);
}

void add_output_options(CLI::App& run, RunOptions& options) {
  const char* group = "Output";
  run.add_option("--json", options.json, "write the report as JSON; '-' is stdout")
      ->type_name("FILE")
      ->group(group);
  run.add_option("--csv", options.csv, "write the report as CSV; '-' is stdout")
      ->type_name("FILE")
      ->group(group);
  run.add_flag("--quiet", options.quiet, "only the FOM and RESULT lines")->group(group);
  run.add_flag_callback(
         "--no-progress", [&options] { options.progress = false; }, "no progress on the terminal")
      ->group(group);
  add_choice<Color>(
      run, "--color", options.color,
      {{"auto", Color::automatic}, {"always", Color::always}, {"never", Color::never}},
      "auto | always | never (default: auto)")
      ->group(group);
}

void add_list(CLI::App& app, CommandLine& line) {
  CLI::App* list = app.add_subcommand("list", "what can be named on the command line");
  list->add_option("axis", line.list.axis, "formats | transports | partitioners | sources")
      ->type_name("")
      ->check(CLI::IsMember({"formats", "transports", "partitioners", "sources"}));
  auto* json = list->add_flag_callback(
      "--json", [&line] { line.list.form = ListForm::json; },
      "an array of {name, summary, usable, reason}");
  list->add_flag_callback(
          "--markdown", [&line] { line.list.form = ListForm::markdown; },
          "the tables of the README")
      ->excludes(json);
  list->callback([&line] {
    line.command = Command::list;
    if (line.list.form == ListForm::json && line.list.axis.empty()) {
      throw CLI::ValidationError(
          "list --json: name one of formats, transports, partitioners, sources");
    }
  });
}

/// CLI11's message in the words of this program.
std::string usage_message(const CLI::ParseError& error, const CLI::App& app) {
  const auto commands = app.get_subcommands();
  const std::string help =
      commands.empty() ? "rowhalo --help" : "rowhalo " + commands.front()->get_name() + " --help";
  std::string text = error.what();
  if (!text.empty() && text.back() == '\n') text.pop_back();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    const auto colon = text.rfind(": ");
    text = "unknown option or argument: " +
           (colon == std::string::npos ? text : text.substr(colon + 2));
  }
  return fmt::format("{}; see {}", text, help);
}

}  // namespace

CommandLine parse_command_line(int argc, char** argv) {
  CommandLine line;
  line.argv.assign(argv, argv + argc);
  CLI::App app("rowhalo: MPI-distributed sparse matrix-vector products", "rowhalo");
  app.footer("\nUnder a launcher: mpirun -n 4 rowhalo run --matrix stencil27:96");
  app.require_subcommand(0, 1);
  app.set_help_flag("-h,--help", "this text");
  app.add_flag_callback(
      "--version", [&line] { line.command = Command::version; }, "version and dependencies");

  CLI::App* run = app.add_subcommand("run", "one distributed benchmark of y = alpha*A*x + beta*y");
  add_matrix_options(*run, line.run);
  add_run_options(*run, line.run);
  add_product_options(*run, line.run);
  add_measuring_options(*run, line.run);
  add_output_options(*run, line.run);
  run->callback([&line] { line.command = Command::run; });

  RunOptions kernels_options;
  CLI::App* kernels =
      app.add_subcommand("kernels", "every format on one matrix and one rank, beside the vendor's");
  add_kernels_options(*kernels, kernels_options);
  add_matrix_options(*kernels, kernels_options);
  add_product_options(*kernels, kernels_options);
  add_measuring_options(*kernels, kernels_options);
  add_output_options(*kernels, kernels_options);
  kernels->callback([&line, &kernels_options] {
    line.command = Command::kernels;
    line.run = kernels_options;
  });
  add_list(app, line);

  try {
    app.parse(argc, argv);
    if (line.command == Command::help && app.get_subcommands().empty() && argc == 1) {
      line.error = "a command is missing: run, kernels or list; see rowhalo --help";
    }
  } catch (const CLI::CallForHelp&) {
    line.command = Command::help;
    line.help = app.help();  // of the command that was named, if any
  } catch (const CLI::ParseError& error) {
    line.error = usage_message(error, app);
  }
  return line;
}

}  // namespace rowhalo

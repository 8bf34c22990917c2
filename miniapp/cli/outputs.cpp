// SPDX-License-Identifier: BSD-3-Clause
//
// The files that are named, and outputs, one attempt each (outputs.hpp). Of `--json a.json --csv -`
// the table goes to stderr, since CSV takes stdout; if a.json cannot be written, CSV and table
// still are.
#include "miniapp/cli/outputs.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <iostream>
#include <sstream>
#include <utility>
#include <vector>

#include "io/file_kind.hpp"
#include "io/hdf5/target.hpp"
#include "io/output_file.hpp"
#include "io/report/writers.hpp"
#include "io/sources.hpp"
#include "io/vector_file.hpp"
#include "miniapp/process/environment.hpp"
#include "partition/base/text.hpp"

namespace rowhalo {

namespace {

void add_matrix(std::vector<NamedFile>& files, const char* option, const std::string& text,
                FileRole role) {
  const std::string path = file_location(text).file;
  files.push_back({option, text, path, role});
  if (path.ends_with(".petsc")) files.push_back({option, path + ".info", path + ".info", role});
}

bool is_file(int descriptor) {
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

struct NamedOutput {
  const char* option;
  const std::string* path;  ///< empty: not asked for; '-': stdout
};
/// The outputs that are texts, which may go to stdout.
std::vector<NamedOutput> text_outputs(const RunOptions& options) {
  return {{"--json", &options.json},
          {"--csv", &options.csv},
          {"--communication", &options.communication},
          {"--trace", &options.trace},
          {"--history", &options.history},
          {"--save-tuning", &options.save_tuning}};
}

/// The files that a command line names, of whatever command, inputs first; a matrix in PETSc's
/// format also with its .info file. An option that is new and names a file is added here.
std::vector<NamedFile> named_files(const RunOptions& options) {
  std::vector<NamedFile> files;
  const bool converts = !options.output.empty();
  if (names_matrix_file(options.matrix)) {
    add_matrix(files, converts ? "IN" : "--matrix", options.matrix, FileRole::input);
  }
  const std::pair<const char*, const std::string*> vectors[] = {
      {"--x", &options.x}, {"--y", &options.y}, {"--rhs", &options.rhs}};
  for (const auto& [option, text] : vectors) {
    if (!names_vector_file(*text)) continue;
    files.push_back({option, *text, file_location(*text).file, FileRole::input});
  }
  for (const auto& [option, path] :
       {NamedOutput{"--machine", &options.machine}, {"--tuning", &options.tuning}}) {
    if (!path->empty()) files.push_back({option, *path, *path, FileRole::input});
  }
  constexpr std::string_view owners = "file:";
  if (options.partition.starts_with(owners)) {
    const std::string path = options.partition.substr(owners.size());
    files.push_back({"--partition", path, path, FileRole::input});
  }
  if (is_file(STDOUT_FILENO)) files.push_back({"stdout", "", "/dev/stdout", FileRole::stream});
  if (is_file(STDERR_FILENO)) files.push_back({"stderr", "", "/dev/stderr", FileRole::stream});

  if (converts) add_matrix(files, "OUT", options.output, FileRole::output);
  std::vector<NamedOutput> outputs = text_outputs(options);
  outputs.insert(
      outputs.end(),
      {{"--save-y", &options.save_y}, {"--save-x", &options.save_x}, {"--hdf5", &options.hdf5}});
  for (const auto& [option, path] : outputs) {
    if (path->empty() || *path == "-") continue;
    files.push_back({option, *path, file_location(*path).file, FileRole::output});
  }
  return files;
}

const char* name_of_stream(int descriptor) {
  return descriptor == STDOUT_FILENO ? "stdout" : "stderr";
}

std::string last_lines(const RunReport& report, bool color) {
  std::ostringstream lines;
  write_fom_lines(lines, report);
  write_result_line(lines, report, color);
  return lines.str();
}

}  // namespace

void prepare_standard_streams() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  // Opened for reading, so that writing there fails as it does with a closed descriptor. open()
  // gives the lowest number that is free.
  for (int descriptor = 0; descriptor <= STDERR_FILENO; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) < 0) (void)::open("/dev/null", O_RDONLY);
  }
}

ExitCode print_to_stdout(std::string_view text) {
  try {
    write_stream(STDOUT_FILENO, text, "stdout");
  } catch (const InputError& error) {
    std::cerr << "rowhalo: " << one_line(error.what()) << '\n';
    return error.code();
  }
  return ExitCode::fine;
}

Outputs::Outputs(const RunOptions& options, const Comm& comm) : options_(options), comm_(comm) {
  const bool taken = std::ranges::any_of(
      text_outputs(options), [](const NamedOutput& output) { return *output.path == "-"; });
  descriptor_ = taken ? STDERR_FILENO : STDOUT_FILENO;
}

void Outputs::check() const {
  const std::vector<NamedOutput> texts = text_outputs(options_);
  std::vector<std::string> to_stdout;
  for (const auto& [option, path] : texts) {
    if (*path == "-") to_stdout.push_back(option);
  }
  if (to_stdout.size() > 1) {
    throw InputError(
        fmt::format("{}: only one report can go to stdout ('-'); give the others a file",
                    fmt::join(to_stdout, ", ")));
  }
  if (options_.hdf5 == "-") {
    throw InputError("--hdf5 -: HDF5 cannot be written to stdout; name a file");
  }
  if (!options_.hdf5.empty() && hdf5_unusable != nullptr) {
    throw InputError(fmt::format("--hdf5 {}: {}, or use --json", options_.hdf5, hdf5_unusable));
  }
  if (comm_.rank != 0) return;
  check_aliases(named_files(options_));
  for (const auto& [option, path] : texts) {
    if (!path->empty()) check_text_target(*path, option);
  }
  if (!options_.hdf5.empty()) check_output_path(options_.hdf5, "--hdf5");
}

void Outputs::show_progress(const Progress& progress) {
  const bool terminal = comm_.rank == 0 && on_terminal(STDERR_FILENO);
  if (terminal && options_.progress && !options_.quiet) progress_line_.emplace(progress);
}

void Outputs::print(const std::string& text) {
  if (comm_.rank != 0) return;
  try {
    write_stream(descriptor_, text, name_of_stream(descriptor_));
  } catch (const InputError& error) {
    if (!print_error_) print_error_ = error.reason();
  }
}

bool Outputs::color() const {
  if (options_.color != Color::automatic) return options_.color == Color::always;
  return on_terminal(descriptor_);
}

void Outputs::attempt(const char* option, const std::function<void()>& write) {
  try {
    write();
  } catch (const AgreedError& error) {
    lost_.push_back({option, error.what()});
  }
}

/// `write` is local, for rank 0.
void Outputs::write_file(const char* option, const std::string& path,
                         const std::function<void()>& write) {
  if (path.empty()) return;
  attempt(option, [&] {
    agree(comm_, [&] {
      if (comm_.rank == 0) write();
    });
  });
}

void Outputs::write_report(const RunReport& report, const std::string& trace) {
  progress_line_.reset();
  if (!options_.quiet) {
    write_file("the table", name_of_stream(descriptor_), [&] {
      std::ostringstream table;
      table.exceptions(std::ios::badbit);  // for want of memory it would end in silence
      write_table(table, report, color());
      if (options_.explain) write_explanation(table, report, color());
      print(table.str());
    });
  }
  const RunOptions& to = options_;
  write_file("--json", to.json, [&] { write_text_file(to.json, to_json(report)); });
  write_file("--csv", to.csv, [&] { write_text_file(to.csv, to_csv(report)); });
  write_file("--hdf5", to.hdf5, [&] { write_hdf5_report(to.hdf5, report); });
  write_file("--communication", to.communication, [&] {
    if (!report.communication) return;
    write_text_file(to.communication, communication_text(*report.communication));
  });
  write_file("--trace", to.trace, [&] {
    if (!trace.empty()) write_text_file(to.trace, trace);
  });
}

void Outputs::write_text(const char* option, const std::string& path, const std::string& text) {
  write_file(option, path, [&] { write_text_file(path, text); });
}

ExitCode Outputs::finish(RunReport& report, ExitCode code) {
  for (const Lost& lost : lost_) {
    report.verdict +=
        (&lost == &lost_.front() ? "; not written: " : ", ") + std::string(lost.option);
  }
  print(last_lines(report, color()));
  const char* stream = name_of_stream(descriptor_);
  write_file(stream, stream, [&] {
    if (print_error_) throw InputError(*print_error_, InputError::anywhere, ExitCode::run_time);
  });
  std::string text;
  for (const Lost& lost : lost_) {
    text += fmt::format("rowhalo: {} was not written: {}\n", lost.option, one_line(lost.reason));
  }
  if (print_error_ && descriptor_ == STDOUT_FILENO) text += last_lines(report, false);
  if (comm_.rank == 0) std::cerr << text << std::flush;
  return code == ExitCode::fine && !lost_.empty() ? ExitCode::run_time : code;
}

}  // namespace rowhalo

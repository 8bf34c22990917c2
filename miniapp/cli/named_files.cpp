// SPDX-License-Identifier: BSD-3-Clause
//
// The list of named files (named_files.hpp).
#include "miniapp/cli/named_files.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <string_view>
#include <utility>

#include "io/file_location.hpp"
#include "io/sources.hpp"
#include "io/vector_file.hpp"

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

}  // namespace

std::vector<NamedOutput> text_outputs(const RunOptions& options) {
  return {{"--json", &options.json},
          {"--csv", &options.csv},
          {"--communication", &options.communication},
          {"--trace", &options.trace},
          {"--history", &options.history},
          {"--save-tuning", &options.save_tuning}};
}

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

}  // namespace rowhalo

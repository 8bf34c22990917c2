// SPDX-License-Identifier: BSD-3-Clause
//
// Provenance of a run and the text of --version (provenance.hpp).
#include "miniapp/cli/provenance.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cctype>
#include <ctime>

#include "io/report/json.hpp"
#include "miniapp/version.hpp"
#include "partition/nodes.hpp"

namespace rowhalo {

namespace {

/// First line of what the MPI library says of itself.
std::string mpi_library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string line(text, length);
  return line.substr(0, line.find_first_of(",\n"));
}

/// Version of a library of this build; nothing when it was built without.
std::optional<std::string> dependency_version(std::string_view name) {
  for (const version::Dependency& dependency : version::dependencies) {
    if (dependency.name == name && dependency.version != nullptr) return dependency.version;
  }
  return {};
}

BuildProvenance build_provenance() {
  BuildProvenance build;
  build.version = version::project;
  build.git = version::git;
  build.compiler = version::compiler;
  build.flags = version::flags;
  build.mpi = mpi_library();
  build.petsc = dependency_version("PETSc");
  build.hdf5 = dependency_version("HDF5");
  build.cuda = dependency_version("CUDA");
  build.nccl = dependency_version("NCCL");
  return build;
}

/// "PT-Scotch" as "ptscotch".
std::string key_of(std::string_view library) {
  std::string key;
  for (const char c : library) {
    if (c != '-') key += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return key;
}

}  // namespace

Provenance gather_provenance(const Comm& comm, const std::string& device) {
  Provenance provenance{build_provenance(), {}, {}, {}};
  provenance.hosts = gather_texts(comm, host_name());
  provenance.devices = gather_texts(comm, device);
  provenance.time = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  return provenance;
}

std::string version_json() {
  Json object = json_of(build_provenance());
  object["build_type"] = version::build_type;
  for (const version::Dependency& library : version::dependencies) {
    const std::string key = key_of(library.name);
    if (object.contains(key)) continue;
    object[key] = library.version == nullptr ? Json(nullptr) : Json(library.version);
  }
  return object.dump(2) + "\n";
}

std::string version_text() {
  std::string text = fmt::format("rowhalo {} ({})\n", version::project, version::git);
  const auto line = [&text](const char* name, const std::string& value) {
    text += fmt::format("  {:<14} {}\n", name, value);
  };
  line("compiler", version::compiler);
  line("flags", version::flags);
  line("build type", version::build_type);
  line("MPI library", mpi_library());
  for (const version::Dependency& dependency : version::dependencies) {
    line(dependency.name, dependency.version != nullptr ? dependency.version : "no");
  }
  return text;
}

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// Provenance of a run and the text of --version (provenance.hpp).
#include "miniapp/cli/provenance.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>

#include "miniapp/process/environment.hpp"
#include "miniapp/version.hpp"

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

}  // namespace

Provenance gather_provenance(const Comm& comm, const std::string& device) {
  Provenance provenance;
  provenance.version = version::project;
  provenance.git = version::git;
  provenance.compiler = version::compiler;
  provenance.flags = version::flags;
  provenance.mpi = mpi_library();
  provenance.petsc = dependency_version("PETSc");
  provenance.hdf5 = dependency_version("HDF5");
  provenance.cuda = dependency_version("CUDA");
  provenance.nccl = dependency_version("NCCL");
  provenance.hosts = gather_texts(comm, host_name());
  provenance.devices = gather_texts(comm, device);
  provenance.time = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  return provenance;
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

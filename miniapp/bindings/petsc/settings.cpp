// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/bindings/petsc/settings.hpp"

#include <array>
#include <cstring>
#include <string_view>
#include <vector>

#include "miniapp/bindings/petsc/errors.hpp"
#include "miniapp/halo/transports.hpp"
#include "partition/base/spec.hpp"

namespace rowhalo {

namespace {

constexpr std::string_view option_start = "mat_rowhalo_";
constexpr std::array<std::string_view, 7> option_names{
    "format", "halo", "tuning", "reproducible", "after", "nonzeros", "view"};

/// PETSc itself does not tell misspelt options from those that nobody has read yet.
PetscErrorCode refuse_unknown_options(MPI_Comm comm) {
  PetscInt count = 0;
  char **names = nullptr, **values = nullptr;
  std::string unknown;
  PetscFunctionBegin;
  PetscCall(PetscOptionsLeftGet(nullptr, &count, &names, &values));
  for (PetscInt i = 0; i < count; ++i) {
    const std::string_view name = names[i];
    const std::size_t start = name.find(option_start);
    if (start == std::string_view::npos) continue;
    const std::string_view rest = name.substr(start + option_start.size());
    bool known = false;
    for (const std::string_view option : option_names) known = known || rest == option;
    if (!known) unknown = name;
  }
  PetscCall(PetscOptionsLeftRestore(nullptr, &count, &names, &values));
  PetscCheck(unknown.empty(), comm, PETSC_ERR_USER_INPUT,
             "rowhalo: option -%s is unknown; there are -mat_rowhalo_format, _halo, _tuning, "
             "_reproducible, _after, _nonzeros and _view",
             unknown.c_str());
  PetscFunctionReturn(petsc_success);
}

PetscErrorCode refuse_unknown_names(MPI_Comm comm, const Settings& settings) {
  return as_petsc_error(comm, [&] {
    // Every rank has the same options and throws the same.
    try {
      if (!settings.format.empty()) {
        const Spec spec = Spec::parse(settings.format, "-mat_rowhalo_format");
        find_format(spec.name(), settings.device, "-mat_rowhalo_format");
      }
      if (!settings.transport.empty()) find_transport(settings.transport, "-mat_rowhalo_halo");
    } catch (const InputError& error) {
      throw AgreedError(ExitCode::usage, error.what());
    }
  });
}

}  // namespace

PetscErrorCode read_settings(Mat matrix, Settings& settings) {
  std::array<char, 64> format{}, transport{};
  std::array<char, PETSC_MAX_PATH_LEN> tuning{};
  PetscBool reproducible = PETSC_FALSE, view = PETSC_FALSE;
  const char* prefix = nullptr;
  const MPI_Comm comm = PetscObjectComm((PetscObject)matrix);
  PetscFunctionBegin;
  PetscCall(refuse_unknown_options(comm));
  PetscCall(PetscObjectGetOptionsPrefix((PetscObject)matrix, &prefix));
  PetscOptionsBegin(comm, prefix, "Rowhalo's products", "Mat");
  PetscCall(PetscOptionsString("-mat_rowhalo_format", "Format (rowhalo list formats)", "MATROWHALO",
                               "chosen by trials", format.data(), format.size(), nullptr));
  PetscCall(PetscOptionsString("-mat_rowhalo_halo", "Transport (rowhalo list transports)",
                               "MATROWHALO", "chosen by trials", transport.data(), transport.size(),
                               nullptr));
  PetscCall(PetscOptionsString("-mat_rowhalo_tuning", "File of rowhalo run --save-tuning",
                               "MATROWHALO", "none", tuning.data(), tuning.size(), nullptr));
  PetscCall(PetscOptionsBool("-mat_rowhalo_reproducible", "Only formats with the bits of csr",
                             "MATROWHALO", reproducible, &reproducible, nullptr));
  PetscCall(PetscOptionsInt("-mat_rowhalo_after", "Products by AIJ before an operator is made",
                            "MATROWHALO", settings.after, &settings.after, nullptr));
  PetscCall(PetscOptionsInt("-mat_rowhalo_nonzeros", "Least nonzeros for an operator", "MATROWHALO",
                            settings.least_nonzeros, &settings.least_nonzeros, nullptr));
  PetscCall(PetscOptionsBool("-mat_rowhalo_view", "Report products when the matrix is destroyed",
                             "MATROWHALO", view, &view, nullptr));
  PetscOptionsEnd();
  PetscCheck(
      settings.after >= -1 && settings.least_nonzeros >= 0, comm, PETSC_ERR_USER_INPUT,
      "rowhalo: -mat_rowhalo_after and -mat_rowhalo_nonzeros are at least 0 (after: -1 decides by "
      "time)");
  settings.format = format.data();
  settings.transport = transport.data();
  settings.tuning = tuning.data();
  settings.reproducible = reproducible == PETSC_TRUE;
  settings.view = view == PETSC_TRUE;
  PetscCall(refuse_unknown_names(comm, settings));
  PetscFunctionReturn(petsc_success);
}

}  // namespace rowhalo

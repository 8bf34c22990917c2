// SPDX-License-Identifier: BSD-3-Clause
//
// The program's side of librowhalo_with_petsc.so (library.hpp).
#include "miniapp/bench/petsc/library.hpp"

#include <dlfcn.h>

#include <stdexcept>

#include "miniapp/halo/transports.hpp"

namespace rowhalo {

namespace {

#ifdef ROWHALO_PETSC_LIBRARY
constexpr const char* library_name = ROWHALO_PETSC_LIBRARY;
#else
constexpr const char* library_name = nullptr;
#endif

/// Local. Throws std::runtime_error with what the loader says.
const PetscCalls& load_calls() {
  // Never closed: not every library that it loads can be unloaded. RTLD_LAZY is for PETSc's; a
  // function of ours that is missing is found at once, since this one is linked with -z now.
  void* const library = dlopen(library_name, RTLD_LAZY | RTLD_LOCAL);
  const void* const calls = library == nullptr ? nullptr : dlsym(library, petsc_calls_name);
  if (calls == nullptr) throw std::runtime_error(dlerror());
  return *static_cast<const PetscCalls*>(calls);
}

/// Collective. What `call` gives, or why a rank cannot load the library.
template <class Result, class Call>
Result with_calls(const Comm& comm, Progress& progress, const Call& call) {
  if (library_name == nullptr) return {"this rowhalo was built without PETSc"};
  const PetscCalls* calls = nullptr;
  try {
    const LibraryCall loading(progress);
    take_resources(comm, "it cannot be loaded", [&] { calls = &load_calls(); });
  } catch (const AgreedError& error) {
    return {error.what()};
  }
  return call(*calls);
}

}  // namespace

bool built_with_petsc() {
  return library_name != nullptr;
}

PetscResult petsc_product(const Comm& comm, const LocalMatrix& matrix, PetscOperation operation,
                          Precision precision, std::span<const std::vector<double>> x,
                          const BatchOptions& options, Progress& progress) {
  return with_calls<PetscResult>(comm, progress, [&](const PetscCalls& calls) {
    return calls.product(comm, matrix, operation, precision, x, options, progress);
  });
}

PetscSolvers petsc_solve(const PetscSystem& system, const std::vector<std::string>& names,
                         Progress& progress) {
  return with_calls<PetscSolvers>(system.comm, progress, [&](const PetscCalls& calls) {
    return calls.solve(system, names, progress);
  });
}

PetscRefill petsc_refill(const Comm& comm, const LocalMatrix& matrix, Progress& progress) {
  return with_calls<PetscRefill>(comm, progress, [&](const PetscCalls& calls) {
    return calls.refill(comm, matrix, progress);
  });
}

}  // namespace rowhalo

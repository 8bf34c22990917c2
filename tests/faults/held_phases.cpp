// SPDX-License-Identifier: BSD-3-Clause
//
// Plants a fault at the beginning of a phase, for tests/faults/faults.py. Linked into the
// executable rowhalo_held only, in place of partition/base/progress.cpp: the shipped rowhalo has
// nothing of it.
//   ROWHALO_TEST_HOLD=RANK:PHASE   which rank, and the phase it enters for the first time, or with
//                                  RANK:PHASE:2 for the second
//   ROWHALO_TEST_DO=COMMAND        what it runs then: a command of the shell, whose parent ($PPID)
//                                  is the rank; the rank throws where the command fails
//   ROWHALO_TEST_PETSC_BYTES=N     PETSc finds no memory for more than N bytes in one piece from
//                                  then on
#include <fmt/format.h>

#include <cstdlib>
#include <stdexcept>
#include <string>

#include "miniapp/process/environment.hpp"
#include "partition/base/progress.hpp"

#ifdef ROWHALO_HAVE_PETSC
#include <petscsys.h>
#endif

namespace rowhalo {

namespace {

#ifdef ROWHALO_HAVE_PETSC
std::size_t most_petsc_bytes = 0;

PetscErrorCode some_memory(std::size_t bytes, PetscBool clear, int, const char*, const char*,
                           void** memory) {
  *memory = bytes > most_petsc_bytes ? nullptr : std::calloc(bytes, 1);
  (void)clear;
  return *memory == nullptr && bytes > 0 ? PETSC_ERR_MEM : PetscErrorCode(0);
}
PetscErrorCode give_back(void* memory, int, const char*, const char*) {
  std::free(memory);
  return PetscErrorCode(0);
}
PetscErrorCode some_more(std::size_t bytes, int, const char*, const char*, void** memory) {
  void* const more = bytes > most_petsc_bytes ? nullptr : std::realloc(*memory, bytes);
  if (more == nullptr) return PETSC_ERR_MEM;
  *memory = more;
  return PetscErrorCode(0);
}
#endif

void limit_petsc([[maybe_unused]] const char* bytes) {
#ifdef ROWHALO_HAVE_PETSC
  most_petsc_bytes = std::strtoull(bytes, nullptr, 10);
  PetscMallocSet(some_memory, give_back, some_more);
#endif
}

}  // namespace

void Progress::phase(const char* name) {
  enter(name);
  const char* place = std::getenv("ROWHALO_TEST_HOLD");
  const char* command = std::getenv("ROWHALO_TEST_DO");
  const char* petsc_bytes = std::getenv("ROWHALO_TEST_PETSC_BYTES");
  if (place == nullptr || (command == nullptr && petsc_bytes == nullptr)) return;
  const std::string here = fmt::format("{}:{}", launched_rank(), name);
  if (place == here + ":2") {
    setenv("ROWHALO_TEST_HOLD", here.c_str(), 1);
    return;
  }
  if (place != here) return;
  unsetenv("ROWHALO_TEST_HOLD");
  if (petsc_bytes != nullptr) limit_petsc(petsc_bytes);
  if (command != nullptr && std::system(command) != 0) {
    throw std::runtime_error(fmt::format("planted fault: {}", command));
  }
}

}  // namespace rowhalo

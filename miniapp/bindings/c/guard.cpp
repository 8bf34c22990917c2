// SPDX-License-Identifier: BSD-3-Clause
//
// Codes and texts of errors (guard.hpp).
#include "miniapp/bindings/c/guard.hpp"

#include <mpi.h>

#include <cstdio>
#include <new>
#include <stdexcept>
#include <string>

#include "miniapp/bindings/c/rowhalo.h"
#include "partition/base/errors.hpp"

namespace rowhalo::c {

namespace {

/// Of fixed size, since memory may be what lacks.
thread_local char last_error[2000] = "";

int keep(int code, const char* text) {
  std::snprintf(last_error, sizeof last_error, "%s", text);
  return code;
}

int code_of(ExitCode code, Cause cause) {
  if (cause == Cause::memory) return ROWHALO_NO_MEMORY;
  return code == ExitCode::usage ? ROWHALO_BAD_INPUT : ROWHALO_FAILED;
}

}  // namespace

int guarded(void (*body)(const void*), const void* data) noexcept {
  try {
    body(data);
    return ROWHALO_SUCCESS;
  } catch (const AgreedError& error) {
    return keep(code_of(error.code(), error.cause()), error.what());
  } catch (const InputError& error) {
    return keep(code_of(error.code(), error.cause()), error.what());
  } catch (const std::bad_alloc& error) {
    return keep(ROWHALO_NO_MEMORY, error.what());
  } catch (const std::logic_error& error) {
    return keep(ROWHALO_BAD_INPUT, error.what());
  } catch (const std::exception& error) {
    return keep(ROWHALO_FAILED, error.what());
  } catch (...) {
    return keep(ROWHALO_FAILED, "an exception of unknown type");
  }
}

void require_argument(const void* argument, const char* name) {
  if (argument == nullptr) throw InputError(std::string(name) + " is NULL");
}

void require_mpi() {
  int started = 0, ended = 0;
  MPI_Initialized(&started);
  MPI_Finalized(&ended);
  if (started == 0 || ended != 0) {
    throw InputError(started == 0 ? "MPI has not been started; call MPI_Init_thread first"
                                  : "MPI has ended; call this before MPI_Finalize");
  }
}

}  // namespace rowhalo::c

const char* rowhalo_error(void) {
  return rowhalo::c::last_error;
}

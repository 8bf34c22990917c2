# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# Faults that planted.sh plants where a run lacks memory or a folder, is asked to stop, or must not do what it could

fault "PETSc is not asked for its memory" miniapp/bench/petsc/session.cpp \
  'return lacking_memory(comm, bytes_in_petsc(matrix, copies, vectors), "its copy of the matrix");' \
  'return {};' \
  faults_memory
fault "PETSc's lack of memory stays with its rank" miniapp/bench/petsc/session.cpp \
  'take_resources(comm, "PETSc", calls);' \
  'calls();' \
  faults_memory
fault "a reference that does not fit is zero" miniapp/check/validation.cpp \
  'reference.empty() ? reference_row(product, row) : reference[row]' \
  'reference.empty() ? 0 : reference[row]' \
  test_miniapp_n1
fault "y is put in order without asking for memory" miniapp/commands/save.cpp \
  'if (!lack.empty()) throw AgreedError(ExitCode::run_time, lack);' \
  '' \
  faults_memory
fault "lack of memory stays with its rank" partition/comm.cpp \
  'error.emplace(lack_of_memory(comm, lack), none, ExitCode::run_time, Cause::memory);' \
  'throw;' \
  test_partition_n2
fault "all ranks hold an error without its cause" partition/comm.cpp \
  'static_cast<Cause>(kind[1])' \
  'Cause::other' \
  test_partition_n2
fault "ranks look for a signal after whole batches only" miniapp/tune/timing.cpp \
  'look_seconds / products.seconds() / products.step()' \
  '1e9' \
  faults_stops
fault "a part of a batch is a batch" miniapp/bench/batches.cpp \
  'if (batch.stopped && !times.seconds.empty()) break;' \
  '' \
  test_miniapp_n2
fault "a signal stays with its rank" partition/comm.cpp \
  'return max_over_ranks(comm, std::int64_t{progress.stop_requested()}) != 0;' \
  'return progress.stop_requested();' \
  faults_stops
fault "partial sums take value codes unasked" miniapp/spmv/partial_sum_kernels.cpp \
  'added_matrix_(sums.added, precision, device, value_codes)' \
  'added_matrix_(sums.added, precision, device)' \
  test_miniapp_n2
fault "a rank that cannot load PETSc is alone with it" miniapp/bench/petsc/library.cpp \
  'take_resources(comm, "it cannot be loaded", [&] { calls = &load_calls(); });' \
  'calls = &load_calls();' \
  faults_memory
fault "processes without a launcher share a folder" miniapp/process/environment.cpp \
  'setenv("OMPI_MCA_orte_create_session_dirs", "0", keep);' \
  '' \
  cli_failures

// SPDX-License-Identifier: BSD-3-Clause
//
// Checks of programs that use rowhalo.h, under mpirun: each is collective, so that a rank that
// fails does not leave the others in the next call. The process ends with status 1 after the first.
#ifndef ROWHALO_TEST_CHECKS_H
#define ROWHALO_TEST_CHECKS_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Collective.
#define CHECK(condition) check_on_all((condition) ? 1 : 0, #condition, __FILE__, __LINE__)
// Collective. The call succeeds.
#define CHECK_OK(call) check_ok((call), #call, __FILE__, __LINE__)
// Collective. The call fails with this code, and with a text that holds `words`, on all ranks
// alike.
#define CHECK_FAILS(call, code, words) \
  check_fails((call), (code), (words), #call, __FILE__, __LINE__)

static void check_on_all(int right, const char* what, const char* file, int line) {
  int all = right;
  if (!right) fprintf(stderr, "%s:%d: wrong: %s\n", file, line, what);
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (!all) exit(1);
}

static void check_ok(int code, const char* what, const char* file, int line) {
  if (code != 0) fprintf(stderr, "%s:%d: %d: %s\n", file, line, code, rowhalo_error());
  check_on_all(code == 0, what, file, line);
}

static void check_fails(int code, int expected, const char* words, const char* what,
                        const char* file, int line) {
  char root[2000] = "";
  const char* text = rowhalo_error();
  strncpy(root, text, sizeof root - 1);
  MPI_Bcast(root, sizeof root, MPI_CHAR, 0, MPI_COMM_WORLD);
  if (code != expected || strstr(text, words) == NULL || strcmp(text, root) != 0) {
    fprintf(stderr, "%s:%d: code %d, expected %d with \"%s\": %s\n", file, line, code, expected,
            words, text);
  }
  check_on_all(code == expected && strstr(text, words) != NULL && strcmp(text, root) == 0, what,
               file, line);
}

#endif

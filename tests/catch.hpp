// SPDX-License-Identifier: BSD-3-Clause
//
// Catch2 2.13 (Debian 12) and 3 (Ubuntu 24.04) under one name.
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
#endif

/// For a test that cannot be made here, before it returns: one that asserts nothing fails.
#define NOT_TESTED(reason)            \
  do {                                \
    WARN("not tested: " << (reason)); \
    SUCCEED();                        \
  } while (false)

/// Runs the tests that the command line names; the exit status. In run_catch.cpp.
int run_catch(int argc, char** argv);

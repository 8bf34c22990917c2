// SPDX-License-Identifier: BSD-3-Clause
//
// What the fuzzing targets share. A target is one file with run_input(), which must come back for
// any bytes: errors of the input are InputError or AgreedError, anything else is a finding. Besides
// that it checks what must hold of a result.
//   clang, ROWHALO_FUZZ   libFuzzer (libfuzzer_main.cpp) makes inputs, guided by coverage
//   any other build       replay_main.cpp runs the corpus and mutations of it, the same each time
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string_view>

/// Runs the target on one input.
void run_input(std::string_view input);

/// Ends the process, which makes the input a finding, where `holds` is false.
inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

/// Small numbers from the front of an input; zeros where it has ended.
class Draw {
 public:
  explicit Draw(std::string_view input) : left_(input) {}

  std::uint8_t byte() {
    if (left_.empty()) return 0;
    const char first = left_.front();
    left_.remove_prefix(1);
    return static_cast<std::uint8_t>(first);
  }
  std::int64_t word() {
    std::uint64_t value = 0;
    for (int k = 0; k < 8; ++k) value = value << 8 | byte();
    return static_cast<std::int64_t>(value);
  }
  template <class T>
  T one_of(std::span<const T> choices) {
    return choices[byte() % choices.size()];
  }
  std::string_view take(std::size_t bytes) {
    const std::string_view taken = left_.substr(0, bytes);
    left_.remove_prefix(taken.size());
    return taken;
  }
  std::string_view rest() const { return left_; }

 private:
  std::string_view left_;
};

// SPDX-License-Identifier: BSD-3-Clause
//
// Machine files. Input: the text. It is refused with one line that names the file and the remedy,
// or what is read makes sense.
#include "io/machine_file.hpp"

#include <cmath>

#include "tests/fuzz/memory_file.hpp"

using namespace rowhalo;

void run_input(std::string_view input) {
  const MemoryFile file(input);
  try {
    const NetworkReport machine = read_machine_file(file.path(), alone());
    require(machine.ranks >= 1 && machine.nodes >= 1 && !machine.reading.empty(), "sizes");
    for (const auto& point : machine.reading) {
      require(point.bytes >= 1 && point.seconds > 0 && std::isfinite(point.seconds), "a time");
    }
  } catch (const AgreedError& error) {
    const std::string_view said = error.what();
    require(said.find(file.path()) != std::string_view::npos, "the file is named");
    require(said.find("rowhalo network") != std::string_view::npos, "and the remedy");
  }
}

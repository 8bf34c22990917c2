// SPDX-License-Identifier: BSD-3-Clause
//
// The command line. Input: its words, one per line. Parsing gives options or one error, never an
// exception, and numbers that the commands can work with.
#include "miniapp/cli/options.hpp"

#include <cmath>

#include "tests/fuzz/target.hpp"

using namespace rowhalo;

void run_input(std::string_view input) {
  constexpr std::size_t most_words = 64;
  std::vector<std::string> words{"rowhalo"};
  while (!input.empty() && words.size() < most_words) {
    const std::size_t end = std::min(input.find('\n'), input.size());
    words.emplace_back(input.substr(0, end).substr(0, input.substr(0, end).find('\0')));
    input.remove_prefix(std::min(end + 1, input.size()));
  }
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  const CommandLine line = parse_command_line(static_cast<int>(argv.size()), argv.data());
  if (line.error) return require(!line.error->empty(), "an error says what is wrong");
  const RunOptions& run = line.run;
  require(run.block >= 0 && run.threads >= 0 && run.ranks_per_node >= 0, "no negative counts");
  require(run.batches >= 1 && run.warmup >= 0 && run.iterations >= 0, "counts of products");
  require(run.min_seconds >= 0, "seconds of measuring");
  require(run.timeout_seconds > 0, "seconds to wait");
  require(run.jitter_microseconds >= 0, "microseconds of delay");
  require(line.info.ranks >= 0 && line.info.device_memory_gb >= 0, "sizes to plan for");
}

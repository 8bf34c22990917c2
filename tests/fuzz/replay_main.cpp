// SPDX-License-Identifier: BSD-3-Clause
//
// Runs a target without libFuzzer: replay [--mutations N] FOLDER_OR_FILE...
// First all inputs of the corpus, so that what was found once stays a test in every build; then N
// random mutations of them, the same in each run. An input that ends the process is left behind in
// the working directory as fuzz_input.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "tests/fuzz/target.hpp"

namespace {

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::filesystem::path> files_of(const std::filesystem::path& path) {
  std::vector<std::filesystem::path> files;
  if (!std::filesystem::is_directory(path)) return {path};
  for (const auto& entry : std::filesystem::directory_iterator(path)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

/// One change of `input`: a byte, a bit, a piece taken out, doubled or moved in from `other`.
void mutate(std::string& input, const std::string& other, std::mt19937_64& random) {
  const auto below = [&](std::size_t limit) { return limit == 0 ? 0 : random() % limit; };
  const std::size_t at = below(input.size() + 1), length = 1 + below(8);
  switch (input.empty() ? 3 : below(5)) {
    case 0:
      input[at % input.size()] = static_cast<char>(random());
      break;
    case 1:
      input[at % input.size()] ^= static_cast<char>(1 << below(8));
      break;
    case 2:
      input.erase(at, length);
      break;
    case 3:
      if (!other.empty()) input.insert(at, other.substr(below(other.size()), length));
      break;
    default:
      input.insert(at, input.substr(below(input.size()), length));
  }
}

/// What runs now, for the handler of signals.
const std::string* current = nullptr;

void keep_current(int number) {
  const int file = ::open("fuzz_input", O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (file < 0 || ::write(file, current->data(), current->size()) < 0) ::_exit(1);
  std::signal(number, SIG_DFL);
  std::raise(number);
}

void run_kept(const std::string& input) {
  current = &input;
  run_input(input);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> inputs, words(argv + 1, argv + argc);
  std::size_t mutations = 0;
  if (words.size() > 1 && words[0] == "--mutations") {
    mutations = std::stoul(words[1]);
    words.erase(words.begin(), words.begin() + 2);
  }
  for (const std::string& word : words) {
    for (const auto& file : files_of(word)) inputs.push_back(contents(file));
  }
  if (inputs.empty()) {
    std::fputs("replay [--mutations N] FOLDER_OR_FILE...: no input there\n", stderr);
    return 2;
  }
  for (const int number : {SIGABRT, SIGSEGV, SIGFPE, SIGBUS}) std::signal(number, keep_current);
  for (const std::string& input : inputs) run_kept(input);
  std::mt19937_64 random(1);
  for (std::size_t k = 0; k < mutations; ++k) {
    std::string input = inputs[random() % inputs.size()];
    const std::string& other = inputs[random() % inputs.size()];
    for (std::size_t changes = 1 + random() % 4; changes > 0; --changes)
      mutate(input, other, random);
    run_kept(input);
  }
  std::printf("%zu inputs, %zu mutations\n", inputs.size(), mutations);
  return 0;
}

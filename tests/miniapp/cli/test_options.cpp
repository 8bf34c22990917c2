// SPDX-License-Identifier: BSD-3-Clause
//
// The command line as data: defaults of the contract, values, and the words of its errors.
#include "miniapp/cli/options.hpp"
#include "tests/catch.hpp"

using namespace rowhalo;

namespace {

CommandLine parse(std::vector<std::string> words) {
  words.insert(words.begin(), "rowhalo");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  return parse_command_line(static_cast<int>(argv.size()), argv.data());
}

bool mentions(const CommandLine& line, const std::string& text) {
  return line.error && line.error->find(text) != std::string::npos;
}

}  // namespace

TEST_CASE("run has the defaults of the contract") {
  const CommandLine line = parse({"run", "--matrix", "stencil27:8"});
  REQUIRE_FALSE(line.error);
  CHECK(line.command == Command::run);
  CHECK_FALSE(line.informational());
  CHECK(line.run.matrix == "stencil27:8");
  CHECK(line.run.block == 0);
  CHECK(line.run.partition == "auto");
  CHECK(line.run.format == "auto");
  CHECK(line.run.halo == "auto");
  CHECK(line.run.schedule == Schedule::overlap);
  CHECK(line.run.precision == Precision::fp64);
  CHECK(line.run.alpha == 1);
  CHECK(line.run.beta == 0);
  CHECK(line.run.x == "random:seed=1");
  CHECK(line.run.y == "zeros");
  CHECK(line.run.batches == 20);
  CHECK(line.run.min_seconds == 1);
  CHECK(line.run.timeout_seconds == 300);
  CHECK(line.run.progress);
}

TEST_CASE("options of the distribution") {
  const CommandLine line = parse({"run", "--matrix", "a.mtx", "--partition", "auto",
                                  "--hierarchical", "--ranks-per-node", "4", "--reorder", "rcm"});
  REQUIRE_FALSE(line.error);
  CHECK(line.run.partition == "auto");
  CHECK(line.run.hierarchical);
  CHECK(line.run.ranks_per_node == 4);
  CHECK(line.run.reorder == Reorder::rcm);
  CHECK(mentions(parse({"run", "--matrix", "a.mtx", "--reorder", "amd"}), "none or rcm"));
}

TEST_CASE("options reach their places") {
  const CommandLine line =
      parse({"run",     "--matrix",   "a.mtx",    "--block",     "3",        "--partition",
             "nnz",     "--shuffle",  "7",        "--format",    "sell:c=8", "--boundary-format",
             "csr",     "--schedule", "blocking", "--precision", "fp32",     "--alpha",
             "-0.5",    "--beta",     "2",        "--threads",   "3",        "--no-progress",
             "--quiet", "--color",    "never",    "--block",     "auto"});
  CHECK(mentions(line, "--block"));  // given twice
  const CommandLine good =
      parse({"run",     "--matrix",   "a.mtx",    "--block",     "3",        "--partition",
             "nnz",     "--shuffle",  "7",        "--format",    "sell:c=8", "--boundary-format",
             "csr",     "--schedule", "blocking", "--precision", "fp32",     "--alpha",
             "-0.5",    "--beta",     "2",        "--threads",   "3",        "--no-progress",
             "--quiet", "--color",    "never"});
  REQUIRE_FALSE(good.error);
  CHECK(good.run.block == 3);
  CHECK(good.run.partition == "nnz");
  CHECK(good.run.shuffle == 7u);
  CHECK(good.run.format == "sell:c=8");
  CHECK(good.run.boundary_format == "csr");
  CHECK(good.run.schedule == Schedule::blocking);
  CHECK(good.run.precision == Precision::fp32);
  CHECK(good.run.alpha == -0.5);
  CHECK(good.run.beta == 2);
  CHECK(good.run.threads == 3);
  CHECK_FALSE(good.run.progress);
  CHECK(good.run.quiet);
  CHECK(good.run.color == Color::never);
}

TEST_CASE("every schedule of the table can be named") {
  for (const ScheduleEntry& entry : schedules()) {
    const CommandLine line = parse({"run", "--matrix", "a.mtx", "--schedule", entry.name});
    REQUIRE_FALSE(line.error);
    CHECK(line.run.schedule == entry.schedule);
    CHECK(&entry_of(entry.schedule) == &entry);
  }
}

TEST_CASE("disturbances and timeline") {
  CHECK_FALSE(parse({"run", "--matrix", "a.mtx"}).run.poison);
  CHECK(parse({"run", "--matrix", "a.mtx"}).run.jitter_microseconds == 0);
  const CommandLine line =
      parse({"run", "--matrix", "a.mtx", "--poison", "--jitter", "2.5", "--trace", "t.json"});
  REQUIRE_FALSE(line.error);
  CHECK(line.run.poison);
  CHECK(line.run.jitter_microseconds == 2.5);
  CHECK(line.run.trace == "t.json");
}

TEST_CASE("a wrong word is named, with what would be right") {
  CHECK(mentions(parse({}), "command is missing"));
  CHECK(mentions(parse({"fly"}), "fly"));
  CHECK(mentions(parse({"run"}), "--matrix"));
  CHECK(mentions(parse({"run", "--matrix", "a.mtx", "--fast"}), "--fast"));
  CHECK(mentions(parse({"run", "--matrix", "a.mtx", "--fast"}), "rowhalo run --help"));
  CHECK(parse({"run", "--matrx", "stencil7:8"}).error ==
        "unknown option --matrx; did you mean --matrix? See rowhalo run --help");
  CHECK(parse({"run", "--matrix", "a.mtx", "--fromat=sell"}).error ==
        "unknown option --fromat; did you mean --format? See rowhalo run --help");
  CHECK(parse({"run", "--matrix", "a.mtx", "--nonsense"}).error ==
        "unknown option --nonsense; see rowhalo run --help");
  CHECK(parse({"kernel"}).error ==
        "unknown command 'kernel'; did you mean kernels? Use run, kernels, solve, info, network, "
        "convert or "
        "list");
  CHECK(parse({"fly"}).error ==
        "unknown command 'fly'; use run, kernels, solve, info, network, convert or list");
  CHECK(parse({"run", "stencil7:8"}).error ==
        "unexpected argument stencil7:8; write --matrix stencil7:8, or see rowhalo run --help");
  CHECK(parse({"run", "--matrix", "a.mtx", "b"}).error ==
        "unexpected argument b; see rowhalo run --help");
  CHECK(parse({"run", "--matrix", "a.mtx", "--format"}).error ==
        "--format needs a value; see rowhalo run --help");
  CHECK(mentions(parse({"run", "--matrix", "a.mtx", "--schedule", "later"}),
                 "overlap, blocking, split, petsc-like or hpcg-like"));
  CHECK(mentions(parse({"run", "--matrix", "a.mtx", "--jitter", "-1"}), "--jitter"));
  CHECK(mentions(parse({"run", "--matrix", "a.mtx", "--precision", "fp8"}), "fp16 or bf16"));
  CHECK(mentions(parse({"run", "--matrix", "a.mtx", "--block", "0"}), "--block 0"));
  CHECK(mentions(parse({"run", "--matrix", "a.mtx", "--batches", "many"}), "--batches"));
  CHECK(mentions(parse({"run", "--matrix", "a.mtx", "--timeout", "0"}), "--timeout"));
  CHECK(mentions(parse({"list", "--json"}), "formats"));
  CHECK(mentions(parse({"list", "colours"}), "colours"));
}

TEST_CASE("numbers are finite and in the range of their option") {
  struct Range {
    const char *option, *smallest, *largest, *below, *above;
  };
  const Range ranges[] = {{"--timeout", "0.1", "1e7", "0.09", "1e300"},
                          {"--jitter", "0", "1e6", "-1e-9", "1000001"},
                          {"--min-seconds", "0", "1e6", "-0.1", "1e7"},
                          {"--alpha", "-1e300", "1e300", "-1e301", "1e301"},
                          {"--beta", "-1e300", "1e300", "-1e301", "1e301"},
                          {"--threads", "1", "1024", "0", "1025"},
                          {"--iterations", "1", "1000000000", "0", "3000000000"},
                          {"--batches", "1", "1000000", "0", "1000001"},
                          {"--warmup", "0", "1000000000", "-1", "3000000000"},
                          {"--shuffle", "0", "9223372036854775807", "-1", "1e3"},
                          {"--ranks-per-node", "1", "1000000", "0", "1000001"}};
  for (const Range& range : ranges) {
    CAPTURE(range.option);
    for (const char* word : {range.smallest, range.largest}) {
      CHECK_FALSE(parse({"run", "--matrix", "a.mtx", range.option, word}).error);
    }
    for (const char* word : {range.below, range.above, "nan", "inf", "-inf", "1e999", "one"}) {
      CAPTURE(word);
      CHECK(mentions(parse({"run", "--matrix", "a.mtx", range.option, word}), range.option));
    }
  }
  for (const char* word : {"nan", "0", "1e7"}) {
    CHECK(mentions(parse({"info", "--matrix", "a.mtx", "--device-memory", word}), word));
  }
  CHECK(mentions(parse({"info", "--matrix", "a.mtx", "--ranks", "1000001"}), "1000001"));
}

TEST_CASE("convert takes two names") {
  const CommandLine line = parse({"convert", "stencil7:4", "a.petsc", "--block", "2"});
  REQUIRE_FALSE(line.error);
  CHECK(line.command == Command::convert);
  CHECK_FALSE(line.informational());
  CHECK(line.run.matrix == "stencil7:4");
  CHECK(line.run.output == "a.petsc");
  CHECK(line.run.block == 2);
  CHECK(line.run.device == "cpu");
  CHECK(mentions(parse({"convert", "a.mtx"}), "OUT"));
  CHECK(mentions(parse({}), "convert"));
}

TEST_CASE("what needs no launcher") {
  CHECK(parse({"--version"}).command == Command::version);
  CHECK(parse({"--version"}).informational());
  const CommandLine help = parse({"--help"});
  CHECK(help.informational());
  CHECK(help.help.find("run") != std::string::npos);
  const CommandLine run_help = parse({"run", "--help"});
  CHECK(run_help.informational());
  CHECK(run_help.help.find("--save-y") != std::string::npos);
  const CommandLine list = parse({"list", "formats", "--json"});
  CHECK(list.informational());
  CHECK(list.command == Command::list);
  CHECK(list.list.axis == "formats");
  CHECK(list.list.form == ListForm::json);
}

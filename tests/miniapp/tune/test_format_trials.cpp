// SPDX-License-Identifier: BSD-3-Clause
//
// Choice of a format: with formats that take as long as they are told by a clock of the test's own,
// on each rank another time, that want all memory, or that refuse; and with those of the table.
#include <algorithm>
#include <chrono>
#include <cmath>

#include "tests/miniapp/tune/trials.hpp"

using namespace rowhalo;
using namespace rowhalo::test;

namespace {

std::vector<const FormatEntry*> automatic_formats() {
  std::vector<const FormatEntry*> list;
  for (const FormatEntry& entry : formats()) {
    if (entry.device == test_site().device && entry.automatic) list.push_back(&entry);
  }
  return list;
}

const FormatCandidate& candidate(const ChosenKernels& chosen, const std::string& name) {
  const auto named = [&](const FormatCandidate& one) { return one.name == name; };
  return *std::find_if(chosen.candidates.begin(), chosen.candidates.end(), named);
}

const TrialBudget ample{60, 300}, none{0, 0};
using Factory = std::unique_ptr<SpmvKernel>(const CsrView&, RowListView, const Spec&);

FormatEntry made_up(const char* name, Factory* make, PredictionRule* predict = nullptr) {
  return {name, "", test_site().device, true, true, true, false, false, make, predict};
}

/// dia, but not for less than half the rows.
std::unique_ptr<SpmvKernel> refuse_few_rows(const CsrView& matrix, RowListView rows,
                                            const Spec& options) {
  if (2 * rows.count < matrix.rows) options.fail("few rows");
  return find_format("dia", matrix.device).make(matrix, rows, options);
}

#ifndef ROWHALO_TEST_GPU

std::int64_t timed(const ChosenKernels& chosen) {
  return std::count_if(chosen.candidates.begin(), chosen.candidates.end(),
                       [](const FormatCandidate& one) { return one.seconds.has_value(); });
}

/// The time of these tests: it passes where a kernel or a conversion says so and nowhere else, so
/// that no other work of the machine changes a choice.
double made_up_seconds = 0;
double made_up_clock() {
  return made_up_seconds;
}

bool took(const ChosenKernels& chosen, const char* name, double milliseconds) {
  return std::abs(*candidate(chosen, name).seconds - milliseconds / 1000) < 1e-9;
}

int made = 0, alive = 0;  ///< kernels that sleep
int long_sleeps = 0;      ///< of `long_milliseconds` and more

/// Lets time pass instead of computing.
class Sleeper final : public SpmvKernel {
 public:
  static constexpr double long_milliseconds = 40;

  explicit Sleeper(double milliseconds) : milliseconds_(milliseconds) {
    ++made;
    ++alive;
  }
  ~Sleeper() override { --alive; }
  KernelWork work() const override { return {}; }

 private:
  void multiply(const LocalProduct&, Stream) const override {
    if (milliseconds_ >= long_milliseconds) ++long_sleeps;
    made_up_seconds += milliseconds_ / 2000;  // interior and boundary
  }

  double milliseconds_;
};

/// A format that takes `milliseconds` on the first rank and `elsewhere` on the others.
template <int milliseconds, int elsewhere = milliseconds>
std::unique_ptr<SpmvKernel> make_sleeper(const CsrView&, RowListView, const Spec&) {
  return std::make_unique<Sleeper>(world().rank == 0 ? milliseconds : elsewhere);
}

/// The same, but only where no other is: interior and boundary are two.
template <int milliseconds>
std::unique_ptr<SpmvKernel> make_large_sleeper(const CsrView&, RowListView, const Spec&) {
  if (alive > 1) throw std::bad_alloc();
  return std::make_unique<Sleeper>(milliseconds);
}

std::unique_ptr<SpmvKernel> make_too_large(const CsrView&, RowListView, const Spec&) {
  throw std::bad_alloc();
}

/// Conversion takes half a second.
template <int milliseconds>
std::unique_ptr<SpmvKernel> make_dear(const CsrView&, RowListView, const Spec&) {
  made_up_seconds += 0.5;
  return std::make_unique<Sleeper>(milliseconds);
}

std::vector<const void*> multiplied;  ///< where x lay, whenever it was another than before

class Recorder final : public SpmvKernel {
 public:
  KernelWork work() const override { return {}; }

 private:
  void multiply(const LocalProduct& product, Stream) const override {
    const void* x = product.x.data;
    if (multiplied.empty() || multiplied.back() != x) multiplied.push_back(x);
  }
};

std::unique_ptr<SpmvKernel> make_recorder(const CsrView&, RowListView, const Spec&) {
  return std::make_unique<Recorder>();
}

std::unique_ptr<SpmvKernel> refuse_on_the_last(const CsrView&, RowListView, const Spec& options) {
  if (world().rank == world().size - 1) options.fail("not on the last rank");
  return std::make_unique<Sleeper>(1);
}

#else

/// The host is busy with every product, at first for long; the device has nothing to do.
class HeldUp final : public SpmvKernel {
 public:
  KernelWork work() const override { return {}; }

 private:
  void multiply(const LocalProduct&, Stream) const override {
    const std::chrono::microseconds busy(++calls_ <= 2 ? 60 : 8);
    const auto start = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - start < busy) continue;
  }

  mutable int calls_ = 0;
};

std::unique_ptr<SpmvKernel> make_held_up(const CsrView&, RowListView, const Spec&) {
  return std::make_unique<HeldUp>();
}

#endif

}  // namespace

#ifdef ROWHALO_TEST_GPU

TEST_CASE("auto: one product that was held up hides no short one") {
  Trials trials(make_grid_matrix(4, 4, 4, 1));
  const FormatEntry held_up = made_up("held up", make_held_up);
  // Ranks that share a GPU wait for each other now and then: the least of a few trials counts.
  double least = 1;
  for (int trial = 0; trial < 5; ++trial) {
    const ChosenKernels chosen = trials.choose({&held_up}, ample);
    least = std::min(least, *candidate(chosen, "held up").seconds);
  }
  CAPTURE(least);
  REQUIRE_ALL_RANKS(least < 5e-6);  // called: 8 us or 16
}

#else

TEST_CASE("auto takes the format that is fastest on the slowest rank") {
  Trials trials(make_grid_matrix(4, 4, 4, 1), made_up_clock);
  const FormatEntry uneven = made_up("uneven", make_sleeper<2, 12>),
                    even = made_up("even", make_sleeper<6>),
                    slow = made_up("slow", make_sleeper<20>);
  const ChosenKernels chosen = trials.choose({&slow, &uneven, &even}, ample);
  REQUIRE_ALL_RANKS(chosen.interior == (world().size == 1 ? "uneven" : "even"));
  REQUIRE_ALL_RANKS(chosen.boundary == chosen.interior);
  REQUIRE_ALL_RANKS(candidate(chosen, chosen.interior).outcome == Outcome::chosen);
  REQUIRE_ALL_RANKS(timed(chosen) == 3);
  REQUIRE_ALL_RANKS(candidate(chosen, "slow").outcome == Outcome::slower);
  REQUIRE_ALL_RANKS(candidate(chosen, "slow").setup_seconds.has_value());
  REQUIRE_ALL_RANKS(took(chosen, "slow", 20) && took(chosen, "even", 6));
}

TEST_CASE("auto tries formats in one order where predictions differ by rank") {
  Trials trials(make_grid_matrix(4, 4, 4, 1), made_up_clock);
  const FormatEntry first = made_up("early on the first rank", make_sleeper<6>,
                                    [](const LocalStatistics&) {
                                      return Prediction{.bytes = 100,
                                                        .reads_csr = world().rank == 0,
                                                        .starts_early = world().rank == 0};
                                    }),
                    other =
                        made_up("early on the others", make_sleeper<6>, [](const LocalStatistics&) {
                          return Prediction{.bytes = 101,
                                            .reads_csr = world().rank != 0,
                                            .starts_early = world().rank != 0};
                        });
  for (const TrialBudget& budget : {ample, none}) {
    const ChosenKernels chosen = trials.choose({&first, &other}, budget);
    const std::string& name = chosen.interior;
    REQUIRE_ALL_RANKS(name == "early on the first rank" || world().size == 1);
  }
}

TEST_CASE("auto: a format that one rank refuses is refused on all, with its reason") {
  Trials trials(make_grid_matrix(4, 4, 4, 1), made_up_clock);
  const FormatEntry refusing = made_up("refusing", refuse_on_the_last),
                    slow = made_up("slow", make_sleeper<4>);
  const ChosenKernels chosen = trials.choose({&refusing, &slow}, ample);
  REQUIRE_ALL_RANKS(chosen.interior == "slow");
  REQUIRE_ALL_RANKS(candidate(chosen, "refusing").outcome == Outcome::refused);
  REQUIRE_ALL_RANKS(candidate(chosen, "refusing").figures.refusal == "not on the last rank");
  REQUIRE_ALL_RANKS(!candidate(chosen, "refusing").seconds);
  REQUIRE_ALL_RANKS(!candidate(chosen, "refusing").setup_seconds);
  std::string message;
  try {
    trials.choose({&refusing}, ample);
  } catch (const AgreedError& error) {
    message = error.what();
  }
  REQUIRE_ALL_RANKS(message.find("the last said: not on the last rank") != std::string::npos);
}

TEST_CASE("auto: the fastest so far makes room where memory lacks") {
  Trials trials(make_grid_matrix(4, 4, 4, 1), made_up_clock);
  const FormatEntry first = made_up("first", make_sleeper<12>),
                    faster = made_up("faster", make_large_sleeper<2>),
                    slower = made_up("slower", make_large_sleeper<30>),
                    too_large = made_up("too large", make_too_large);
  {
    const ChosenKernels chosen = trials.choose({&first, &faster, &too_large}, ample);
    REQUIRE_ALL_RANKS(chosen.interior == "faster");
    REQUIRE_ALL_RANKS(timed(chosen) == 2);
    const FormatCandidate& lacking = candidate(chosen, "too large");
    REQUIRE_ALL_RANKS(lacking.outcome == Outcome::no_memory);
    REQUIRE_ALL_RANKS(lacking.figures.refusal == "not enough memory: std::bad_alloc");
    REQUIRE_ALL_RANKS(chosen.kernels.interior && chosen.kernels.boundary);
    REQUIRE_ALL_RANKS(alive == 2);
  }
  made = 0;
  const ChosenKernels chosen = trials.choose({&first, &slower, &too_large}, ample);
  REQUIRE_ALL_RANKS(chosen.interior == "first");
  REQUIRE_ALL_RANKS(timed(chosen) == 2);
  REQUIRE_ALL_RANKS(chosen.kernels.interior && chosen.kernels.boundary);
  REQUIRE_ALL_RANKS(alive == 2);
  REQUIRE_ALL_RANKS(made == 6);  // the first twice, the slower once
}

TEST_CASE("auto: a spent budget ends the trials, but not before the first") {
  Trials trials(make_grid_matrix(4, 4, 4, 1), made_up_clock);
  const FormatEntry first = made_up("first", make_sleeper<4>),
                    second = made_up("second", make_sleeper<1>);
  const ChosenKernels in_a_hurry = trials.choose({&first, &second}, none);
  REQUIRE_ALL_RANKS(in_a_hurry.interior == "first");
  REQUIRE_ALL_RANKS(candidate(in_a_hurry, "second").outcome == Outcome::budget_spent);
  // A trial takes seven products at least, and ten are set aside for the next.
  const ChosenKernels by_products = trials.choose({&first, &second}, {0, 12});
  REQUIRE_ALL_RANKS(by_products.interior == "first");
  const ChosenKernels both = trials.choose({&first, &second}, {0, 100});
  REQUIRE_ALL_RANKS(both.interior == "second");
}

TEST_CASE("auto: by prediction the best comes first, the hopeless not at all") {
  Trials trials(make_grid_matrix(4, 4, 4, 1), made_up_clock);
  const FormatEntry good = made_up("good", make_sleeper<5>, [](const LocalStatistics&) {
    return Prediction{1e7, 0};
  });
  const FormatEntry fair = made_up("fair", make_sleeper<1>, [](const LocalStatistics&) {
    return Prediction{2e7, 0};
  });
  const FormatEntry bad = made_up("bad", make_sleeper<1>, [](const LocalStatistics&) {
    return Prediction{1e8, 0};
  });
  const FormatEntry unknown = made_up("unknown", make_sleeper<6>);
  const ChosenKernels chosen = trials.choose({&bad, &fair, &good, &unknown}, ample);
  REQUIRE_ALL_RANKS(chosen.interior == "fair");
  REQUIRE_ALL_RANKS(timed(chosen) == 3);
  const FormatCandidate& skipped = candidate(chosen, "bad");
  REQUIRE_ALL_RANKS(skipped.outcome == Outcome::skipped);
  REQUIRE_ALL_RANKS(skipped.figures.grounds == FormatGrounds::prediction);
  REQUIRE_ALL_RANKS(skipped.figures.than == "good");
  REQUIRE_ALL_RANKS(skipped.figures.times > 9.5 && skipped.figures.times < 9.7);
  const ChosenKernels one = trials.choose({&bad, &fair, &good}, none);
  REQUIRE_ALL_RANKS(one.interior == "good");
  const ChosenKernels first = trials.choose({&bad, &fair, &good, &unknown}, none);
  REQUIRE_ALL_RANKS(timed(first) == 2);  // else good alone
  REQUIRE_ALL_RANKS(candidate(first, "unknown").seconds.has_value());
}

TEST_CASE("auto: where little is moved, what starts early comes first") {
  Trials trials(make_grid_matrix(4, 4, 4, 1), made_up_clock);
  const FormatEntry smaller = made_up("smaller", make_sleeper<1>, [](const LocalStatistics&) {
    return Prediction{1e4, 0};
  });
  const FormatEntry early = made_up("early", make_sleeper<5>, [](const LocalStatistics&) {
    return Prediction{2e4, 0, false, true};
  });
  REQUIRE_ALL_RANKS(trials.choose({&smaller, &early}, none).interior == "early");
  REQUIRE_ALL_RANKS(trials.choose({&smaller, &early}, ample).interior == "smaller");
}

TEST_CASE("auto: what reads CSR as it is comes third, and while others are too dear") {
  Trials trials(make_grid_matrix(4, 4, 4, 1), made_up_clock);
  const FormatEntry quickest = made_up("quickest", make_sleeper<8>, [](const LocalStatistics&) {
    return Prediction{1e7, 0, false};
  });
  const FormatEntry converted = made_up("converted", make_dear<4>, [](const LocalStatistics&) {
    return Prediction{1.1e7, 0, false};
  });
  const FormatEntry dearer = made_up("dearer", make_sleeper<1>, [](const LocalStatistics&) {
    return Prediction{1.2e7, 0, false};
  });
  const FormatEntry direct = made_up("direct", make_dear<2>, [](const LocalStatistics&) {
    return Prediction{1.3e7, 0, true};
  });
  const FormatEntry hopeless = made_up("hopeless", make_sleeper<9>, [](const LocalStatistics&) {
    return Prediction{1e8, 0, true};
  });
  const FormatEntry refused = made_up("refused", refuse_on_the_last, [](const LocalStatistics&) {
    return Prediction{1e7, 0, false};
  });
  const auto takes = [&](double seconds, const char* interior, const char* left_out) {
    const ChosenKernels chosen =
        trials.choose({&dearer, &direct, &converted, &quickest}, {seconds, 0});
    return chosen.interior == interior &&
           (left_out == nullptr || candidate(chosen, left_out).outcome == Outcome::budget_spent);
  };
  REQUIRE_ALL_RANKS(takes(0, "converted", nullptr));  // predicted to be about as quick
  REQUIRE_ALL_RANKS(takes(60, "dearer", nullptr));
  // Conversions take 1 s, trials four products and more: 0.03 s, 1.02 s, 1.01 s, 0.01 s.
  REQUIRE_ALL_RANKS(takes(1.06, "converted", "direct"));
  REQUIRE_ALL_RANKS(takes(2.5, "direct", "dearer"));
  REQUIRE_ALL_RANKS(takes(2.8, "dearer", nullptr));  // 0.6 s are set aside for it, not 1.02
  const std::vector<const FormatEntry*> refusals{&refused, &refused, &hopeless, &dearer};
  REQUIRE_ALL_RANKS(timed(trials.choose(refusals, ample)) == 1);
}

TEST_CASE("auto multiplies two x in turn, as the run does") {
  Trials trials(make_grid_matrix(8, 8, 8, 1));
  const FormatEntry recorder = made_up("recorder", make_recorder);
  multiplied.clear();
  trials.choose({&recorder}, ample);
  REQUIRE_ALL_RANKS(multiplied.size() >= 4);
  for (std::size_t k = 2; k < multiplied.size(); ++k) {
    REQUIRE_ALL_RANKS(multiplied[k] == multiplied[k - 2]);
  }
}

TEST_CASE("auto: a format that is far behind runs a few products only") {
  Trials trials(make_grid_matrix(4, 4, 4, 1), made_up_clock);
  const FormatEntry quick = made_up("quick", make_sleeper<1>),
                    slow = made_up("slow", make_sleeper<40>);
  long_sleeps = 0;
  const ChosenKernels chosen = trials.choose({&quick, &slow}, ample);
  REQUIRE_ALL_RANKS(chosen.interior == "quick");
  REQUIRE_ALL_RANKS(took(chosen, "slow", 40));
  REQUIRE_ALL_RANKS(long_sleeps <= 2 * 3);  // interior and boundary of three products
}

#endif

TEST_CASE("auto: boundary rows that the format refuses are served by another") {
  Trials trials(nearly_tridiagonal([](GlobalIndex row) { return row % 10 == 3; }));
  const Device device = test_site().device;
  const std::string universal = universal_format(device, Precision::fp64).name;
  const FormatEntry picky = made_up("picky", refuse_few_rows);
  const ChosenKernels chosen = trials.choose({&picky}, ample);
  REQUIRE_ALL_RANKS(chosen.interior == "picky");
  REQUIRE_ALL_RANKS(trials.right(chosen));
  // The only rank has no boundary rows, which is fewer than half.
  REQUIRE_ALL_RANKS(chosen.boundary == universal);
  const FormatCandidate& judged = candidate(chosen, "picky");
  REQUIRE_ALL_RANKS(judged.outcome == Outcome::chosen);
  REQUIRE_ALL_RANKS(judged.figures.boundary == universal);
  REQUIRE_ALL_RANKS(judged.figures.refusal == "few rows");
  const ChosenKernels named = trials.choose({&picky}, ample, "sell");
  REQUIRE_ALL_RANKS(named.boundary == "sell");
  REQUIRE_ALL_RANKS(candidate(named, "picky").outcome == Outcome::chosen);
  REQUIRE_ALL_RANKS(candidate(named, "picky").figures.boundary.empty());
  REQUIRE_ALL_RANKS(trials.right(named));
}

TEST_CASE("auto: every format of the table is judged on any matrix", "[short]") {
  std::vector<TestMatrix> list{nearly_tridiagonal([](GlobalIndex row) { return row < 100; })};
  const std::vector<TestMatrix> battery = test_matrices();
  for (std::size_t k = 0; k < battery.size(); ++k) {
    if (k % 3 == 0 || battery[k].info.rows < 2) list.push_back(battery[k]);
  }
  for (const TestMatrix& matrix : list) {
    INFO(matrix.info.source);
    Trials trials(matrix);
    const ChosenKernels chosen = trials.choose(automatic_formats(), TrialBudget{0.25, 300});
    bool judged = true;
    int taken = 0;
    for (const FormatCandidate& one : chosen.candidates) {
      const bool tried = one.outcome == Outcome::chosen || one.outcome == Outcome::slower;
      judged = judged && one.seconds.has_value() == tried;
      judged = judged && one.seconds.has_value() == one.setup_seconds.has_value();
      taken += one.outcome == Outcome::chosen ? 1 : 0;
    }
    REQUIRE_ALL_RANKS(judged);
    REQUIRE_ALL_RANKS(taken == 1);
    REQUIRE_ALL_RANKS(candidate(chosen, chosen.interior).outcome == Outcome::chosen);
    REQUIRE_ALL_RANKS(trials.right(chosen));
  }
}

TEST_CASE("auto leaves out what the statistics rule out") {
  Trials trials(nearly_tridiagonal([](GlobalIndex) { return false; }));
  const ChosenKernels chosen = trials.choose(automatic_formats(), ample);
  const char* dense = test_site().device == Device::cpu ? "dense" : "dense-split";
  const bool alone = world().size == 1;  // shared out, each rank's part is too small to be left out
  const bool left_out = candidate(chosen, dense).outcome == Outcome::skipped;
  REQUIRE_ALL_RANKS(!alone || left_out);
  REQUIRE_ALL_RANKS(!alone || !candidate(chosen, dense).seconds);
  REQUIRE_ALL_RANKS(chosen.interior != dense);
}

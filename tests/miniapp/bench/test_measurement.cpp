// SPDX-License-Identifier: BSD-3-Clause
//
// What is timed is what is checked: transports that stop exchanging, exchange one vector of two or
// bring what an earlier exchange brought are found by measure() and refused by `auto`, as is one
// that cannot be made. The faulty ones wrap transport mpi.
#include "miniapp/bench/measurement.hpp"

#include <chrono>
#include <thread>

#include "miniapp/tune/trials.hpp"
#include "tests/miniapp/problem.hpp"

using namespace rowhalo;
using namespace rowhalo::test;

namespace {

enum class Fault { stops, first_vector_only, stale, check_fails, slow };

constexpr std::int64_t sound_exchanges = 3;  ///< before the fault shows

/// Transport mpi, but for its fault.
class FaultyExchange final : public HaloExchange {
 public:
  FaultyExchange(const TransportContext& context, Fault fault)
      : halo_(find_transport("mpi").make(context)), fault_(fault) {}

  HaloVector make_vector() override { return halo_->make_vector(); }
  void begin(const HaloVector& x, Stream stream) override {
    ++exchanges_;
    if (exchanges(x)) halo_->begin(x, stream);
  }
  void finish(const HaloVector& x, Stream stream) override {
    const std::size_t bytes = static_cast<std::size_t>(x.ghosts) * x.element_bytes();
    if (exchanges(x)) halo_->finish(x, stream);
    if (fault_ == Fault::slow) std::this_thread::sleep_for(std::chrono::milliseconds(200));
    if (fault_ != Fault::stale) return;
    if (x.device == Device::gpu) synchronize_device();
    if (exchanges_ <= sound_exchanges) {
      stale_.resize(bytes);
      copy_between(x.device, stale_.data(), x.ghost_data(), bytes);
    } else {
      copy_between(x.device, x.ghost_data(), stale_.data(), bytes);
    }
  }
  void check() const override {
    if (fault_ == Fault::check_fails && exchanges_ > sound_exchanges) {
      throw std::runtime_error("the exchange has failed");
    }
  }
  void close() override { halo_->close(); }

 private:
  bool exchanges(const HaloVector& x) const {
    if (exchanges_ <= sound_exchanges) return true;
    return fault_ != Fault::stops && (fault_ != Fault::first_vector_only || x.slot == 0);
  }

  std::unique_ptr<HaloExchange> halo_;
  Fault fault_;
  std::int64_t exchanges_ = 0;
  std::vector<std::byte> stale_;
};

template <Fault fault>
TransportEntry faulty() {
  return {"faulty",
          "",
          false,
          false,
          find_transport("mpi").unusable,
          [](const TransportContext& context) -> std::unique_ptr<HaloExchange> {
            return std::make_unique<FaultyExchange>(context, fault);
          }};
}

/// A transport that the last rank has no room for.
TransportEntry unmakeable() {
  return {"unmakeable",
          "",
          false,
          false,
          find_transport("mpi").unusable,
          [](const TransportContext& context) -> std::unique_ptr<HaloExchange> {
            take_resources(context.comm, "--halo unmakeable", [&] {
              if (context.comm.rank == context.comm.size - 1) throw std::bad_alloc();
            });
            return find_transport("mpi").make(context);
          }};
}

/// One problem in csr or its like, and what all measurements of it share.
class Trial {
 public:
  Trial()
      : problem_("stencil27:5", "rows", {}, Precision::fp64, 1, 0),
        clock_(problem_.device, stream()),
        block_(problem_.matrix, problem_.precision, problem_.device),
        x_(stored(problem_.x, problem_.precision)) {
    const FormatRequest format{problem_.device == Device::gpu ? "csr-scalar" : "csr", ""};
    const auto refusal = name_kernels(setting_, format, kernels_);
    REQUIRE_ALL_RANKS(!refusal);
  }

  Measurement measured(const TransportVariant& transport, double beta) {
    const std::vector<std::byte> y0 = stored(problem_.y0, problem_.precision);
    Products products(setting_, kernels_.kernels, transport, 1, beta);
    Measurement measurement = measure(setting_, products, {4, 3, 2, 0}, beta, y0);
    products.close();
    return measurement;
  }
  ChosenTransport tried(const std::vector<TransportVariant>& variants,
                        const TrialBudget& budget = choice_budget) {
    return try_transports(setting_, variants, kernels_.kernels, 1e-3, budget);
  }
  std::uint64_t expected_hash() const { return problem_.expected_hash; }
  bool exchanges() const { return problem_.comm.size > 1; }

 private:
  Stream stream() {
    if (problem_.device == Device::cpu) return {};
    if (!stream_) stream_.emplace();
    return stream_->stream();
  }

  Problem problem_;
  Progress progress_;
  std::optional<StreamHandle> stream_;
  DeviceClock clock_;
  LoadedMatrix block_;
  std::vector<std::byte> x_;
  Measuring measuring_{problem_.comm, clock_, progress_};
  ProductSetting setting_{problem_.parts(block_), measuring_, stream(), x_};
  ChosenKernels kernels_;
};

}  // namespace

TEST_CASE("a sound transport passes, with the bits of the user's x", "[short]") {
  Trial trial;
  for (const TransportVariant& transport : usable_transports(test_site(), true)) {
    INFO(transport.entry->name << ", graph " << transport.graph);
    const Measurement measurement = trial.measured(transport, 0);
    REQUIRE_ALL_RANKS(measurement.checked.ghosts_are_right);
    REQUIRE_ALL_RANKS(measurement.checked.products >= (transport.graph ? products_per_graph : 2));
    REQUIRE_ALL_RANKS(measurement.whole_graph);
    REQUIRE_ALL_RANKS(measurement.repeatable);
    REQUIRE_ALL_RANKS(sequence_fault(measurement, true) == SequenceFault::none);
    REQUIRE_ALL_RANKS(measurement.y_hashes.front() == trial.expected_hash());
  }
}

TEST_CASE("products without an exchange, with one of two or with a stale one are found") {
  Trial trial;
  const TransportEntry entries[] = {faulty<Fault::stops>(), faulty<Fault::first_vector_only>(),
                                    faulty<Fault::stale>()};
  for (const TransportEntry& entry : entries) {
    const Measurement measurement = trial.measured({&entry, false}, 0);
    REQUIRE_ALL_RANKS(measurement.checked.ghosts_are_right == !trial.exchanges());
    const SequenceFault expected = trial.exchanges() ? SequenceFault::ghosts : SequenceFault::none;
    REQUIRE_ALL_RANKS(sequence_fault(measurement, true) == expected);
  }
}

TEST_CASE("each fault of a timed sequence is told from the others") {
  Measurement sound;
  CHECK(sequence_fault(sound, true) == SequenceFault::none);
  Measurement cut = sound, unlike = sound;
  cut.whole_graph = false;
  unlike.repeatable = false;
  CHECK(sequence_fault(cut, true) == SequenceFault::graph);
  CHECK(sequence_fault(unlike, true) == SequenceFault::bits);
  CHECK(sequence_fault(unlike, false) == SequenceFault::none);
}

TEST_CASE("auto refuses a transport with wrong ghosts or without room, and keeps the sound one") {
  Trial trial;
  const TransportEntry stops = faulty<Fault::stops>(), stale = faulty<Fault::stale>();
  const TransportEntry no_room = unmakeable();
  const TransportEntry& sound = find_transport("mpi");
  const ChosenTransport chosen =
      trial.tried({{&no_room, false}, {&stops, false}, {&sound, false}, {&stale, false}});
  REQUIRE_ALL_RANKS(chosen.candidates.size() == 4);
  REQUIRE_ALL_RANKS(!chosen.candidates[0].seconds);
  REQUIRE_ALL_RANKS(chosen.candidates[0].outcome == Outcome::no_memory);
  REQUIRE_ALL_RANKS(chosen.candidates[0].refusal.find("not enough memory on rank") !=
                    std::string::npos);
  REQUIRE_ALL_RANKS(chosen.candidates[2].seconds);
  if (!trial.exchanges()) return;
  REQUIRE_ALL_RANKS(chosen.name == "mpi");
  for (const int wrong : {1, 3}) {
    REQUIRE_ALL_RANKS(!chosen.candidates[wrong].seconds);
    REQUIRE_ALL_RANKS(chosen.candidates[wrong].outcome == Outcome::wrong);
  }
  REQUIRE_ALL_RANKS(chosen.candidates[2].outcome == Outcome::chosen);
}

TEST_CASE("auto keeps the fastest transport, wherever it stands in the table") {
  Trial trial;
  const TransportEntry slow = faulty<Fault::slow>();
  const TransportEntry& sound = find_transport("mpi");
  for (const bool first : {true, false}) {
    const TransportVariant one{first ? &sound : &slow, false}, other{first ? &slow : &sound, false};
    const ChosenTransport chosen = trial.tried({one, other});
    REQUIRE_ALL_RANKS(chosen.name == "mpi");
    REQUIRE_ALL_RANKS(*chosen.candidates[first].exposed_seconds > 0.1);
  }
}

TEST_CASE("trials of transports draw on what trials of formats have left") {
  Trial trial;
  const TransportVariant sound{&find_transport("mpi"), false};
  const ChosenTransport late = trial.tried({sound, sound}, {.seconds = 0.5e-3});
  REQUIRE_ALL_RANKS(late.candidates[0].outcome == Outcome::chosen);
  REQUIRE_ALL_RANKS(late.candidates[1].outcome == Outcome::budget_spent);
  REQUIRE_ALL_RANKS(!late.candidates[1].seconds);
  REQUIRE_ALL_RANKS(late.spent_seconds > 1e-3);
  const ChosenTransport in_time = trial.tried({sound, sound}, {.seconds = 60});
  REQUIRE_ALL_RANKS(in_time.candidates[1].seconds);
}

TEST_CASE("where every transport is refused the error names the last reason") {
  Trial trial;
  const TransportEntry no_room = unmakeable();
  bool refused = false;
  try {
    trial.tried({{&no_room, false}});
  } catch (const AgreedError& error) {
    refused = std::string(error.what()).find("--halo unmakeable") != std::string::npos;
  }
  REQUIRE_ALL_RANKS(refused);
}

TEST_CASE("a transport that has failed is asked before a trial's time counts") {
  Trial trial;
  const TransportEntry fails = faulty<Fault::check_fails>();
  bool threw = false;
  try {
    trial.tried({{&fails, false}, {&find_transport("mpi"), false}});
  } catch (const std::runtime_error& error) {
    threw = std::string(error.what()) == "the exchange has failed";
  }
  REQUIRE_ALL_RANKS(threw);
}

// SPDX-License-Identifier: BSD-3-Clause
//
// The lists of steps (miniapp/spmv/steps.hpp): what each order does, and that the operator does and
// tells what a list says, so that a step that is added to one is found by all who read it.
#include "miniapp/spmv/steps.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "miniapp/spmv/operator.hpp"
#include "tests/miniapp/problem.hpp"

using namespace rowhalo;
using namespace rowhalo::test;

namespace {

using Names = std::vector<std::string>;

/// The steps from left to right, those of the stream beside in a line of their own.
std::string drawing_of(std::span<const PlacedStep> list) {
  std::string lanes[2] = {"stream   ", "beside   "};
  bool uses_second = false;
  for (const PlacedStep& placed : list) {
    const StepEntry& entry = entry_of(placed.step);
    std::string name = entry.name;
    if (entry.of_sums) name = "[" + name + "]";
    if (entry.of_foreign) name = "(" + name + ")";
    if (entry.of_layout) name = "{" + name + "}";
    lanes[placed.beside] += name + "  ";
    lanes[!placed.beside].append(name.size() + 2, ' ');
    uses_second = uses_second || placed.beside;
  }
  std::string drawing;
  for (int lane = 0; lane <= (uses_second ? 1 : 0); ++lane) {
    drawing += lanes[lane].substr(0, lanes[lane].find_last_not_of(' ') + 1) + "\n";
  }
  return drawing;
}

/// ORDERS.md.
std::string page_of_orders() {
  std::string page =
      "# The steps of a product\n\n"
      "<!-- Written by: test_miniapp \"[update]\" -->\n\n"
      "One product is a list of steps (`miniapp/spmv/steps.cpp`). Steps in brackets are there with "
      "partial sums, those in\n"
      "parentheses where x is a caller's own, those in braces where several vectors lie in another "
      "layout than the kernels\n"
      "take. `fork` and `join` are there with a stream beside that of the product, on GPUs; "
      "without "
      "it the steps of both lines\n"
      "follow each other. A product without its exchange leaves out the steps that begin or finish "
      "one. Where a kernel takes one\n"
      "vector, the steps between the conversions are done for one vector after the other.\n";
  const std::pair<Order, const char*> orders[] = {
      {Order::overlap, "overlap"}, {Order::blocking, "blocking"}, {Order::split, "split"}};
  for (const auto& [order, name] : orders) {
    page +=
        std::string("\n## ") + name + "\n\n```\n" + drawing_of(steps_of(order, false)) + "```\n";
    const auto alone = steps_of(order, false), beside = steps_of(order, true);
    if (alone.data() == beside.data()) continue;
    page += "\nWith a stream beside:\n\n```\n" + drawing_of(beside) + "```\n";
  }
  return page;
}

std::vector<Step> each_step() {
  std::vector<Step> all;
  for (int k = 0; k < step_count; ++k) all.push_back(static_cast<Step>(k));
  return all;
}

}  // namespace

TEST_CASE("steps of the orders") {
  const auto names = [](Order order, bool sums, bool side) {
    return names_of(steps_of(order, side), {sums, side});
  };
  CHECK(names(Order::overlap, false, false) ==
        Names{"begin halo", "interior rows", "finish halo", "boundary rows"});
  CHECK(names(Order::overlap, false, true) == Names{"begin halo", "fork", "interior rows",
                                                    "finish halo (beside)",
                                                    "boundary rows (beside)", "join"});
  CHECK(names(Order::blocking, false, false) == Names{"begin halo", "finish halo", "all rows"});
  CHECK(names(Order::split, false, false) ==
        Names{"begin halo", "owned columns", "finish halo", "ghost columns"});
  CHECK(names(Order::blocking, true, true) ==
        Names{"fork", "sums for others (beside)", "begin halo", "begin sums (beside)",
              "finish halo", "all rows", "join", "finish sums", "add sums"});
}

TEST_CASE("the drawings of the orders are those of the lists") {
  std::ifstream file(ROWHALO_ORDERS);
  const std::string there((std::istreambuf_iterator<char>(file)), {});
  CHECK(there == page_of_orders());
}

TEST_CASE("draw the orders", "[.][update]") {
  std::ofstream(ROWHALO_ORDERS) << page_of_orders();
}

TEST_CASE("a caller's own x comes first in every order") {
  for (const Order order : {Order::overlap, Order::blocking, Order::split}) {
    for (const bool side : {false, true}) {
      const Names names = names_of(steps_of(order, side), {true, side, true});
      CHECK(names.front() == "take entries");
      CHECK(std::ranges::count(names, "take entries") == 1);
      const Names converted = names_of(steps_of(order, side), {true, side, false, true});
      CHECK(converted.front() == "convert in");
      CHECK(converted.back() == "convert out");
    }
  }
}

TEST_CASE("what is computed while entries travel follows from the list") {
  CHECK(hides_exchange(steps_of(Order::overlap, false)));
  CHECK(hides_exchange(steps_of(Order::split, false)));
  CHECK(!hides_exchange(steps_of(Order::blocking, false)));
}

TEST_CASE("every list computes each row once, and finishes what it begins") {
  for (const Order order : {Order::overlap, Order::blocking, Order::split}) {
    for (const bool side : {false, true}) {
      const std::span<const PlacedStep> list = steps_of(order, side);
      const auto place = [&](Step step) {
        const auto found = std::ranges::find(list, step, &PlacedStep::step);
        return found - list.begin();
      };
      const auto count = [&](Step step) {
        return std::ranges::count(list, step, &PlacedStep::step);
      };
      for (const Step step : each_step()) CHECK(count(step) <= 1);
      CHECK(count(Step::all_rows) + count(Step::interior_rows) + count(Step::owned_columns) == 1);
      CHECK(count(Step::interior_rows) == count(Step::boundary_rows));
      CHECK(count(Step::owned_columns) == count(Step::ghost_columns));
      CHECK(place(Step::begin_halo) < place(Step::finish_halo));
      CHECK(place(Step::sums_for_others) < place(Step::begin_sums));
      CHECK(place(Step::finish_sums) < place(Step::add_sums));
      for (const Step step : {Step::all_rows, Step::boundary_rows, Step::ghost_columns}) {
        if (count(step) > 0) CHECK(place(Step::finish_halo) < place(step));
      }
      CHECK(count(Step::fork) == count(Step::join));
      if (count(Step::fork) > 0) CHECK(place(Step::fork) < place(Step::join));
    }
  }
}

TEST_CASE("a product does and tells what its list says") {
  const Problem problem("stencil7:6", "rows", {}, Precision::fp64, 1, 0);
  const LoadedMatrix loaded(problem.matrix, Precision::fp64, Device::cpu);
  const Spec csr = Spec::parse("csr", "format");
  const LocalKernels kernels = make_local_kernels(problem.parts(loaded), Order::overlap, csr, csr);
  Operator op(
      kernels,
      {find_transport("mpi").make({problem.plan, NumberType::fp64, 1, problem.comm}), nullptr});
  const HaloVector x = op.make_vector();
  std::ranges::copy(std::as_bytes(std::span(problem.x)).first(x.owned * sizeof(double)), x.data);
  std::vector<double> y(problem.matrix.owned_rows), other(y);
  op.apply(1, x, 0, y.data(), {});

  std::vector<Step> told;
  const StepHook hook = [&](Step step) { told.push_back(step); };
  op.apply({1, x, 0, {other.data(), x.type}}, {}, hook);
  const std::vector expected{Step::begin_halo, Step::interior_rows, Step::finish_halo,
                             Step::boundary_rows};
  REQUIRE_ALL_RANKS(told == expected);
  REQUIRE_ALL_RANKS(other == y);

  // One more step: it is done, told, and found by its name and phase.
  std::vector<PlacedStep> longer(steps_of(Order::overlap, false).begin(),
                                 steps_of(Order::overlap, false).end());
  longer.push_back({Step::interior_rows});
  told.clear();
  std::ranges::fill(other, 5.0);
  op.apply(longer, {1, x, 0, {other.data(), x.type}}, {}, hook);
  REQUIRE_ALL_RANKS(std::ranges::count(told, Step::interior_rows) == 2);
  REQUIRE_ALL_RANKS(names_of(longer, {}).back() == "interior rows");
  REQUIRE_ALL_RANKS(entry_of(told.back()).phase == Phase::interior);
  REQUIRE_ALL_RANKS(other == y);
  op.close();
}

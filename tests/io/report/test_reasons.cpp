// SPDX-License-Identifier: BSD-3-Clause
//
// Every outcome, with its figures, as a word and as a sentence.
#include "io/report/reasons.hpp"

#include <set>

#include "tests/catch.hpp"

using namespace rowhalo;

namespace {

std::string of_format(Outcome outcome, const FormatFigures& figures = {}) {
  return reason_text(FormatCandidate{"sell", {}, {}, outcome, figures});
}

std::string of_transport(Outcome outcome, std::optional<double> seconds = 1e-3) {
  return reason_text(TransportCandidate{"p2p", true, seconds, {}, outcome, "no peer access"});
}

std::string of_trial(Outcome outcome, double share) {
  const ScheduleTrial trial{"blocking", "csr-omp", "overlap", share};
  return reason_text(TransportCandidate{"mpi", false, 1e-3, {}, outcome, "no room", trial});
}

std::string of_partition(Outcome outcome, const PartitionFigures& figures = {}) {
  return reason_text(PartitionJudgement{"metis", {}, 0, outcome, figures});
}

}  // namespace

TEST_CASE("Each outcome has a word of its own") {
  const std::vector<std::string> words(outcome_names.begin(), outcome_names.end());
  CHECK(std::set(words.begin(), words.end()).size() == words.size());
  CHECK(words.back() == name_of(Outcome::wrong));
  CHECK(name_of(Outcome::no_memory) == std::string("no_memory"));
  CHECK(name_of(Outcome::budget_spent) == std::string("budget_spent"));
  CHECK(name_of(Against::all) == std::string("all"));
}

TEST_CASE("Why a format was chosen or not") {
  const FormatFigures with_exchange{FormatGrounds::trial_with_exchange};
  const FormatFigures other_boundary{.boundary = "csr", .refusal = "few rows"};
  CHECK(of_format(Outcome::chosen) == "fastest");
  CHECK(of_format(Outcome::slower).empty());
  CHECK(of_format(Outcome::chosen, with_exchange) == "fastest with exchange");
  CHECK(of_format(Outcome::slower, with_exchange) == "fastest without exchange");
  CHECK(of_format(Outcome::chosen, other_boundary) == "fastest, boundary rows in csr: few rows");
  CHECK(of_format(Outcome::slower, other_boundary) == "boundary rows in csr: few rows");
  CHECK(of_format(Outcome::refused, {.refusal = "pads too much"}) == "pads too much");
  CHECK(of_format(Outcome::no_memory, {.refusal = "not enough memory"}) == "not enough memory");
  CHECK(of_format(Outcome::skipped, {FormatGrounds::prediction, 9.61, "csr"}) ==
        "predicted 9.6 times the time of csr");
  CHECK(of_format(Outcome::skipped, {FormatGrounds::bound, 1.2, "csr"}) ==
        "cannot take less than 1.2 times the time of csr");
  CHECK(of_format(Outcome::skipped, {FormatGrounds::bound, 1e9, "csr"}) ==
        "cannot take less than 1000 times the time of csr");
  CHECK(of_format(Outcome::budget_spent) == "set-up budget spent");
  CHECK(of_format(Outcome::interrupted) == "interrupted");
}

TEST_CASE("Why a transport was chosen or not") {
  CHECK(of_transport(Outcome::chosen) == "fastest");
  CHECK(of_transport(Outcome::chosen, {}) == "the only one");
  CHECK(of_transport(Outcome::slower).empty());
  CHECK(of_transport(Outcome::refused) == "no peer access");
  CHECK(of_transport(Outcome::no_memory) == "no peer access");
  CHECK(of_transport(Outcome::skipped) == "nothing is exchanged");
  CHECK(of_transport(Outcome::wrong) ==
        "its exchange left ghosts that differ from their owners' entries of x");
}

TEST_CASE("What a trial of another schedule gave") {
  CHECK(of_trial(Outcome::chosen, 0.9) == "csr-omp, 0.90 of the time of overlap, taken");
  CHECK(of_trial(Outcome::slower, 0.99) ==
        "csr-omp, 0.99 of the time of overlap, too small a gain");
  CHECK(of_trial(Outcome::slower, 1.5) == "csr-omp, 1.50 of the time of overlap");
  CHECK(of_trial(Outcome::refused, 0) == "no room");
  CHECK(label_of({"mpi", false, {}, {}}) == "mpi");
  const TransportCandidate trial{"mpi", false, {}, {}, Outcome::slower, "", ScheduleTrial{"split"}};
  CHECK(label_of(trial) == "mpi, split");
}

TEST_CASE("Why a partitioner was chosen or not") {
  using enum PartitionGrounds;
  CHECK(of_partition(Outcome::compared).empty());
  CHECK(of_partition(Outcome::slower).empty());
  CHECK(of_partition(Outcome::refused, {.refusal = "no grid"}) == "no grid");
  CHECK(of_partition(Outcome::chosen, {shortest}) == "shortest predicted");
  CHECK(of_partition(Outcome::chosen, {near_shortest, 0.05}) ==
        "predicted within 5 % of the shortest");
  CHECK(of_partition(Outcome::skipped, {near_no_halo, 0.25, 0, "rows"}) ==
        "not tried: rows is predicted within 25 % of no halo");
  CHECK(of_partition(Outcome::skipped, {same_graph, 0, 0, "metis"}) ==
        "not tried: metis has cut the same graph");
  CHECK(of_partition(Outcome::skipped, {long_cut, 0, 12.4}) ==
        "not tried: it would take about 12 s; try --partition metis");
}

TEST_CASE("Why products have another schedule") {
  HaloReport halo;
  halo.schedule_format = "dense";
  const auto reason = [&](ScheduleGrounds grounds) {
    halo.schedule_grounds = grounds;
    return schedule_reason(halo);
  };
  CHECK(reason(ScheduleGrounds::as_asked).empty());
  CHECK(reason(ScheduleGrounds::no_ghosts) == "no row needs ghosts");
  CHECK(reason(ScheduleGrounds::few_entries).starts_with("a rank has so few entries"));
  CHECK(reason(ScheduleGrounds::few_interior_entries).starts_with("too few entries"));
  CHECK(reason(ScheduleGrounds::trial) == "it was faster in a trial");
  CHECK(reason(ScheduleGrounds::all_rows) == "dense multiplies all rows at once");
}

TEST_CASE("What could not be measured of a machine") {
  CHECK(reason_text(UnmeasuredLink{"other node", "p2p", true, "no peers"}) ==
        "p2p in a graph, other node: no peers");
  CHECK(reason_text(UnmeasuredLink{"same node", "mpi", false, "no room"}) ==
        "mpi, same node: no room");
}

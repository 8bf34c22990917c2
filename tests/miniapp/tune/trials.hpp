// SPDX-License-Identifier: BSD-3-Clause
//
// What trials of formats and of schedules need of a matrix on its way through the rooms, for tests.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "io/report/reasons.hpp"
#include "miniapp/process/watchdog.hpp"
#include "miniapp/tune/trials.hpp"
#include "tests/miniapp/problem.hpp"
#include "tests/partition/matrices.hpp"

namespace rowhalo::test {

/// Tridiagonal; rows of which `irregular(row)` have entries anywhere, so that they have diagonals
/// of their own.
template <class Irregular>
TestMatrix nearly_tridiagonal(Irregular irregular) {
  return make_test_matrix("nearly tridiagonal", 2000, 2000, [&](GlobalIndex i, GlobalIndex j) {
    return std::abs(i - j) <= 1 || (irregular(i) && mix64(i, j) % 160 == 0);
  });
}

class Trials {
 public:
  /// `host`: a time of the test's own, of products on a CPU; else that of the device.
  explicit Trials(const TestMatrix& matrix, HostClock host = nullptr)
      : source_(even_share(comm_, matrix)) {
    const std::vector<int> owners = find_partitioner("rows").assign(
        source_, comm_.size, Spec::parse("rows", "--partition"), comm_, progress_);
    matrix_ = make_local_matrix(comm_, std::move(source_), owners, nullptr, progress_);
    plan_ = make_halo_plan(comm_, matrix_, progress_);
    if (site_.device == Device::gpu) stream_.emplace();
    for (const GlobalIndex column : matrix_.source_columns) {
      x_values_.push_back(Problem::x_entry(Precision::fp64, column));
    }
    x_ = stored(x_values_, Precision::fp64);
    if (host != nullptr) {
      clock_.emplace(host);
    } else {
      clock_.emplace(site_.device, stream());
    }
    block_.emplace(matrix_, Precision::fp64, site_.device);
  }

  ChosenKernels choose(const std::vector<const FormatEntry*>& formats, const TrialBudget& budget,
                       const std::string& boundary = "") {
    ChosenKernels chosen =
        try_formats(setting(), {"auto", boundary, graphs_on(site_.device, true)}, formats, budget);
    REQUIRE_ALL_RANKS(same_everywhere(chosen));
    REQUIRE_ALL_RANKS(chosen.candidates.size() == formats.size());
    REQUIRE_ALL_RANKS(chosen.cost && chosen.cost->seconds > 0 && chosen.cost->products > 0);
    return chosen;
  }

  ChosenKernels named(const std::string& format) {
    ChosenKernels kernels;
    REQUIRE_ALL_RANKS(!name_kernels(setting(), {format, "", Graphs::on}, kernels));
    return kernels;
  }

  /// As after the choice of `kernels` and `transport`.
  std::unique_ptr<const OtherProducts> beside_exchange(const ChosenKernels& kernels,
                                                       ChosenTransport& transport) {
    auto other = try_other_schedules(setting(), kernels, transport);
    if (other) {
      const auto chosen = [](const FormatCandidate& one) { return one.outcome == Outcome::chosen; };
      REQUIRE_ALL_RANKS(std::ranges::count_if(other->kernels.candidates, chosen) == 1);
    }
    return other;
  }

  /// Whether a product through these kernels is right.
  bool right(const ChosenKernels& chosen) {
    const ProductSetting with = setting();
    Products products(with, chosen.kernels, {&find_transport("mpi"), false}, 1, 0);
    const std::size_t bytes = static_cast<std::size_t>(matrix_.owned_rows) * sizeof(double);
    const std::vector<std::byte> y = products.run_single(std::vector<std::byte>(bytes));
    products.close();
    const std::vector<double> y0(static_cast<std::size_t>(matrix_.owned_rows), 0);
    const CheckedProduct checked{matrix_, Precision::fp64, 1, 0, x_values_, y0, y.data()};
    return compare(comm_, checked, reference_product(checked)).passed();
  }

 private:
  Stream stream() { return stream_ ? stream_->stream() : Stream{}; }
  ProductSetting setting() {
    return {{comm_, matrix_, *block_, plan_, site_}, measuring_, stream(), x_};
  }
  bool same_everywhere(const ChosenKernels& chosen) const {
    std::string text = chosen.interior + " " + chosen.boundary;
    for (const FormatCandidate& candidate : chosen.candidates) {
      text += "|" + candidate.name + std::to_string(candidate.seconds.value_or(-1)) +
              std::to_string(candidate.setup_seconds.value_or(-1)) + reason_text(candidate);
    }
    std::string of_root = text;
    broadcast(comm_, of_root);
    return text == of_root;
  }

  Comm comm_ = world();
  Progress progress_;
  Watchdog watchdog_{progress_, 60};  // ranks that decide apart wait for each other
  ComputeSite site_ = test_site();
  std::optional<StreamHandle> stream_;
  DistributedCsr source_;
  LocalMatrix matrix_;
  HaloPlan plan_;
  std::vector<double> x_values_;
  std::vector<std::byte> x_;
  std::optional<DeviceClock> clock_;
  Measuring measuring_{comm_, *clock_, progress_};
  std::optional<LoadedMatrix> block_;
};

}  // namespace rowhalo::test

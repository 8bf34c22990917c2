// SPDX-License-Identifier: BSD-3-Clause
//
// Places within sorted rows; one exchange for rows that move (value_route.hpp).
#include "partition/value_route.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace rowhalo {

namespace {

bool all_ascend(const LocalRows& rows) {
  for (std::size_t row = 0; row + 1 < rows.offsets.size(); ++row) {
    const auto begin = rows.columns.begin() + rows.offsets[row];
    const auto end = rows.columns.begin() + rows.offsets[row + 1];
    if (std::adjacent_find(begin, end, std::greater_equal<>()) != end) return false;
  }
  return true;
}

/// As put_in_order() of row_order.hpp places the entries.
std::vector<Offset> places_in_order(const LocalRows& rows) {
  std::vector<Offset> places(rows.columns.size()), order;
  Offset next = 0;
  for (std::size_t row = 0; row + 1 < rows.offsets.size(); ++row) {
    order.resize(rows.offsets[row + 1] - rows.offsets[row]);
    std::iota(order.begin(), order.end(), rows.offsets[row]);
    std::stable_sort(order.begin(), order.end(),
                     [&](Offset a, Offset b) { return rows.columns[a] < rows.columns[b]; });
    for (std::size_t k = 0; k < order.size(); ++k) {
      const bool again = k > 0 && rows.columns[order[k]] == rows.columns[order[k - 1]];
      places[order[k]] = again ? ~(next - 1) : next++;
    }
  }
  return places;
}

}  // namespace

ValueRoute::ValueRoute(const LocalRows& rows) : given_(std::ssize(rows.values)) {
  if (all_ascend(rows)) return;
  offsets_.assign(rows.offsets.begin(), rows.offsets.end());
  places_ = places_in_order(rows);
}

ValueRoute::ValueRoute(const Comm& comm, const CsrRows& rows, const std::vector<int>& owners)
    : given_(rows.local_nonzeros()) {
  if (all_stay(comm, owners)) return;
  Departure departure = plan_departure(comm, rows.offsets, owners);
  received_bytes_ = exchange_counts(comm, departure.entry_counts);
  sent_bytes_ = std::move(departure.entry_counts);
  for (std::int64_t& count : received_bytes_) count *= std::int64_t{sizeof(double)};
  for (std::int64_t& count : sent_bytes_) count *= std::int64_t{sizeof(double)};
  order_ = std::move(departure.order);
  if (order_.empty()) return;
  offsets_ = rows.offsets;
  packed_.resize(static_cast<std::size_t>(given_));
}

std::int64_t ValueRoute::bytes() const {
  return static_cast<std::int64_t>((offsets_.size() + places_.size() + order_.size()) *
                                       sizeof(Offset) +
                                   packed_.size() * sizeof(double));
}

void ValueRoute::carry(const Comm& comm, const double* given, double* entries) {
  if (moves()) {
    double* next = packed_.data();
    for (const GlobalIndex row : order_) {
      next = std::copy(given + offsets_[row], given + offsets_[row + 1], next);
    }
    exchange_into(comm, order_.empty() ? given : packed_.data(), sent_bytes_, entries,
                  received_bytes_);
    return;
  }
  if (places_.empty()) {
    std::copy_n(given, given_, entries);
    return;
  }
#pragma omp parallel for schedule(static)
  for (std::size_t row = 0; row < offsets_.size() - 1; ++row) {
    for (Offset k = offsets_[row]; k < offsets_[row + 1]; ++k) {
      if (places_[k] >= 0) {
        entries[places_[k]] = given[k];
      } else {
        entries[~places_[k]] += given[k];
      }
    }
  }
}

}  // namespace rowhalo

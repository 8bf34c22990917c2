// SPDX-License-Identifier: BSD-3-Clause
//
// Work of ranks that are planned for (planned_work.hpp).
#include "miniapp/bench/planned_work.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "kernels/formats.hpp"
#include "kernels/local_statistics.hpp"

namespace rowhalo {

namespace {

constexpr GlobalIndex sampled_rows = 1 << 15;
constexpr Offset most_sampled_nonzeros = 1 << 21;

/// Rows of a matrix whose columns count from the least of them.
struct Sample {
  std::vector<Offset> offsets{0};
  std::vector<LocalIndex> indices;
  std::vector<double> values;
  LocalIndex columns = 0;
  int block = 1;

  CsrView view() const {
    const auto rows = static_cast<LocalIndex>(offsets.size() - 1);
    return {rows,          columns,         offsets.back(), offsets.data(), indices.data(),
            values.data(), Precision::fp64, Device::cpu,    block};
  }
};

/// From the middle on; fewer rows where they are long, one at least.
Sample sample_of(const DistributedCsr& matrix) {
  const GlobalIndex rows = std::min(matrix.local_rows(), sampled_rows);
  const GlobalIndex first =
      (matrix.local_rows() - rows) / 2 / matrix.info.block * matrix.info.block;
  GlobalIndex end = first;
  while (end < first + rows && (end == first || matrix.offsets[end + 1] - matrix.offsets[first] <=
                                                    most_sampled_nonzeros)) {
    ++end;
  }
  Sample sample;
  sample.block = matrix.info.block;
  const Offset begin = matrix.offsets[first], stop = matrix.offsets[end];
  if (begin == stop) return sample;
  const auto [least, most] =
      std::minmax_element(matrix.columns.begin() + begin, matrix.columns.begin() + stop);
  // Columns that 32 bits do not number lie far from each other either way.
  const GlobalIndex range =
      std::min<GlobalIndex>(*most - *least + 1, std::numeric_limits<LocalIndex>::max());
  sample.columns = static_cast<LocalIndex>(range);
  for (GlobalIndex row = first; row < end; ++row) {
    sample.offsets.push_back(matrix.offsets[row + 1] - begin);
  }
  for (Offset k = begin; k < stop; ++k) {
    sample.indices.push_back(static_cast<LocalIndex>((matrix.columns[k] - *least) % range));
  }
  sample.values.assign(matrix.values.begin() + begin, matrix.values.begin() + stop);
  return sample;
}

RankWork work_of_part(std::int64_t rows, double nonzeros, const PartTraffic& traffic,
                      const SampledCost& cost, Precision precision) {
  RankWork work;
  work.traffic = traffic;
  work.entry_bytes = static_cast<int>(vector_value_bytes(precision));
  work.rows = static_cast<double>(rows);
  work.nonzeros = nonzeros;
  work.bytes =
      nonzeros * cost.bytes + static_cast<double>((rows + ghosts_of(traffic)) * work.entry_bytes);
  work.sectors = nonzeros * cost.sectors;
  return work;
}

/// Bytes of the sample in asell, whose rule says only what the best of patterns would take: made on
/// the host, whose index codes are those of a GPU, and with the host's value codes or none; without
/// a trial of gather=, which would fill an x as wide as the matrix. Infinite where it refuses.
double asell_bytes(CsrView view, bool value_codes, double y_bytes) {
  view.value_codes = value_codes;
  try {
    const auto kernel = make_kernel(find_format("asell", Device::cpu), view, all_rows(view.rows),
                                    Spec::parse("asell:gather=off", "--format"));
    return static_cast<double>(kernel->work().matrix_bytes) + y_bytes;
  } catch (const InputError&) {
    return std::numeric_limits<double>::infinity();
  }
}

/// Points of one layer after the other, as even_split has them.
GlobalIndex extent_of(GlobalIndex extent, int boxes, int box) {
  return even_split(extent, 1, boxes, box + 1) - even_split(extent, 1, boxes, box);
}

/// NCCL's buffers on 2 to 8 H200s: 0.4 to 0.5 GB.
constexpr std::int64_t device_base_bytes = 500'000'000;

constexpr std::int64_t index_bytes = 4, number_bytes = 8;

}  // namespace

SampledCost sampled_cost(const DistributedCsr& matrix, const SampleRequest& request,
                         const MachineModel& model, double nonzeros) {
  const Sample sample = sample_of(matrix);
  if (sample.values.empty()) return {};
  CsrView view = sample.view();
  view.value_codes = request.value_codes;
  LocalStatistics statistics = local_statistics(view, count_row_lengths(view, all_rows(view.rows)));
  statistics.precision = request.precision;
  statistics.least_value_bytes =
      std::min(least_value_bytes(view), static_cast<double>(matrix_value_bytes(request.precision)));
  const auto sampled = static_cast<double>(view.nonzeros);
  const double scale = nonzeros / sampled;
  const bool on_host = request.device == Device::cpu;
  const double as_asell =
      asell_bytes(view, on_host && request.value_codes, cost::y_bytes(statistics));
  SampledCost best;
  double least = std::numeric_limits<double>::infinity();
  for (const FormatEntry& format : formats()) {
    const bool candidate = format.device == request.device && format.automatic &&
                           format.predict != nullptr && takes(format, request.precision);
    if (!candidate) continue;
    Prediction cost = format.predict(statistics);
    if (std::string_view(format.name) == "asell") {
      cost.bytes = as_asell;
      if (on_host) cost.saved_bytes = 0;  // as made
    }
    RankWork work;
    work.rows = scale * view.rows;
    work.nonzeros = nonzeros;
    work.bytes = scale * (cost.bytes - cost.saved_bytes);
    work.sectors = cost.in_panels ? 0 : nonzeros * awaited_sectors(statistics, request.device);
    const double seconds = model.local_seconds(work);
    const bool fewer = seconds == least && work.bytes < best.bytes * nonzeros;
    if (seconds >= least && !fewer) continue;
    least = seconds;
    best = {work.bytes / nonzeros, work.sectors / nonzeros};
  }
  return best;
}

SampledCost mean_cost(const Comm& comm, const SampledCost& own) {
  const double count = sum_reals_over_ranks(comm, own.bytes > 0 ? 1 : 0);
  const SampledCost sum{sum_reals_over_ranks(comm, own.bytes),
                        sum_reals_over_ranks(comm, own.sectors)};
  if (count == 0) return {};
  return {sum.bytes / count, sum.sectors / count};
}

std::vector<RankWork> planned_work(const PartitionQuality& quality,
                                   const std::vector<PartTraffic>& traffic, const SampledCost& cost,
                                   Precision precision) {
  std::vector<RankWork> works;
  for (std::size_t part = 0; part < traffic.size(); ++part) {
    RankWork& work = works.emplace_back(work_of_part(quality.rows[part],
                                                     static_cast<double>(quality.nonzeros[part]),
                                                     traffic[part], cost, precision));
    const auto boundary = static_cast<double>(quality.boundary_nonzeros[part]);
    work.boundary_share = work.nonzeros > 0 ? boundary / work.nonzeros : 0;
  }
  return works;
}

std::vector<RankWork> planned_work_of_boxes(const MatrixOutline& outline,
                                            const std::array<int, 3>& boxes, const NodeMap& nodes,
                                            const SampledCost& cost, Precision precision) {
  const MatrixInfo& info = outline.info;
  const Grid& grid = *info.grid;
  const double nonzeros_per_row =
      static_cast<double>(outline.nonzeros) / static_cast<double>(info.rows);
  std::vector<RankWork> works;
  for (int part = 0; part < static_cast<int>(nodes.node_of.size()); ++part) {
    const std::array<int, 3> place{part % boxes[0], part / boxes[0] % boxes[1],
                                   part / boxes[0] / boxes[1]};
    std::array<GlobalIndex, 3> own{};
    for (int d = 0; d < 3; ++d) own[d] = extent_of(grid.extent[d], boxes[d], place[d]);
    PartTraffic traffic;
    GlobalIndex points = 1, inner = 1;
    for (int d = 0; d < 3; ++d) {
      const int cuts = int{place[d] > 0} + int{place[d] + 1 < boxes[d]};
      points *= own[d];
      inner *= std::max<GlobalIndex>(0, own[d] - cuts);
    }
    for (int direction = 0; direction < 27; ++direction) {
      const std::array<int, 3> step{direction % 3 - 1, direction / 3 % 3 - 1, direction / 9 - 1};
      const int steps = std::abs(step[0]) + std::abs(step[1]) + std::abs(step[2]);
      if (!(steps == 1 || (steps > 1 && grid.corners))) continue;
      std::array<int, 3> other{};
      GlobalIndex entries = info.block;
      bool inside = true;
      for (int d = 0; d < 3; ++d) {
        other[d] = place[d] + step[d];
        inside = inside && other[d] >= 0 && other[d] < boxes[d];
        if (step[d] == 0) entries *= own[d];
      }
      if (!inside || entries == 0) continue;
      const int neighbor = other[0] + boxes[0] * (other[1] + boxes[1] * other[2]);
      const bool same = nodes.node_of[neighbor] == nodes.node_of[part];
      NodeTraffic& sent = same ? traffic.sent_inside : traffic.sent_between;
      ++sent.messages;
      sent.entries += entries;
    }
    traffic.received_inside = traffic.sent_inside;  // boxes are aligned
    traffic.received_between = traffic.sent_between;
    const GlobalIndex rows = points * info.block;
    RankWork& work = works.emplace_back(
        work_of_part(rows, static_cast<double>(rows) * nonzeros_per_row, traffic, cost, precision));
    if (points > 0) {
      work.boundary_share = 1 - static_cast<double>(inner) / static_cast<double>(points);
    }
  }
  return works;
}

DistributedCsr sample_rows(const std::string& text, const MatrixOutline& outline,
                           Progress& progress) {
  const GlobalIndex shares =
      std::clamp<GlobalIndex>(outline.info.rows / sampled_rows, 1, std::numeric_limits<int>::max());
  // Generators make the share of the rank that they are told, and tell no other rank of it.
  Comm one = Comm::of(MPI_COMM_SELF);
  one.size = static_cast<int>(shares);
  one.rank = one.size / 2;
  one.host_ranks = 1;
  progress.tick();
  Progress own;  // without a request to stop, which other ranks would not know of
  return load_matrix(text, 0, one, own);
}

MemoryPrediction predict_memory(const RankShare& share, Precision precision, Reading reading,
                                int ranks, std::int64_t base_bytes) {
  const auto value = static_cast<std::int64_t>(matrix_value_bytes(precision));
  const auto entry = static_cast<std::int64_t>(vector_value_bytes(precision));
  const std::int64_t local_columns = share.columns + share.ghosts;

  MemoryPrediction need;
  const std::int64_t reading_bytes = reading == Reading::text ? 48 : ranks > 1 ? 40 : 24;
  need.host_peak_bytes = base_bytes + reading_bytes * share.nonzeros + 40 * share.rows;

  const std::int64_t local_csr =
      (number_bytes + index_bytes) * share.nonzeros + number_bytes * share.rows;
  const std::int64_t format = (value + index_bytes) * share.nonzeros + number_bytes * share.rows;
  const std::int64_t numbers = number_bytes * (share.rows + local_columns + share.ghosts);
  const std::int64_t vectors = (number_bytes + entry) * (share.rows + local_columns) +
                               entry * (2 * local_columns + share.rows);
  need.host_bytes =
      base_bytes + local_csr + format + index_bytes * share.nonzeros + numbers + vectors;

  need.device_bytes = 2 * format + index_bytes * (share.rows + share.sent) +
                      entry * (2 * local_columns + share.rows + share.sent) +
                      (ranks > 1 ? device_base_bytes : 0);
  return need;
}

}  // namespace rowhalo

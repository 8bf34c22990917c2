// SPDX-License-Identifier: BSD-3-Clause
//
// Recording of a timeline, clocks of ranks and devices, and the JSON (trace.hpp).
#include "miniapp/bench/trace.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "miniapp/bench/measurement.hpp"
#include "partition/base/clock.hpp"

namespace rowhalo {

namespace {

constexpr int traced_products = 6;
constexpr int round_trips = 20;

using Json = nlohmann::ordered_json;

enum Thread { host_thread, stream_thread, halo_thread };

/// When a product began and each of its phases ended, by the host's clock.
struct ProductTimes {
  std::vector<Phase> phases;
  std::vector<double> times;  ///< the beginning, then a value per phase
};

/// Collective. What to add to this rank's clock to have rank 0's.
double clock_offset(const Comm& comm) {
  const auto receive = [&](int from) {
    double time = 0;
    ROWHALO_MPI(MPI_Recv(&time, 1, MPI_DOUBLE, from, 0, comm.handle, MPI_STATUS_IGNORE));
    return time;
  };
  const auto send = [&](int to, double time) {
    ROWHALO_MPI(MPI_Send(&time, 1, MPI_DOUBLE, to, 0, comm.handle));
  };
  if (comm.rank > 0) {
    for (int trip = 0; trip < round_trips; ++trip) {
      receive(0);
      send(0, now_seconds());
    }
    return receive(0);
  }
  for (int rank = 1; rank < comm.size; ++rank) {
    double shortest = 1e300, offset = 0;
    for (int trip = 0; trip < round_trips; ++trip) {
      const double sent = now_seconds();
      send(rank, sent);
      const double theirs = receive(rank);
      const double back = now_seconds();
      if (back - sent >= shortest) continue;
      shortest = back - sent;
      offset = (sent + back) / 2 - theirs;
    }
    send(rank, offset);
  }
  return 0;
}

/// Ties events to the host's clock: an event that was recorded and reached between two looks at it.
class DeviceTimeline {
 public:
  explicit DeviceTimeline(Stream stream) {
    double shortest = 1e300;
    for (int k = 0; k < round_trips; ++k) {
      EventHandle event;
      const double before = now_seconds();
      event.record(stream);
      event.synchronize();
      const double after = now_seconds();
      if (after - before >= shortest) continue;
      shortest = after - before;
      base_ = std::move(event);
      base_seconds_ = (before + after) / 2;
    }
  }
  /// The host's time of an event that has been reached.
  double of(const EventHandle& event) const {
    return base_seconds_ + seconds_between(base_, event);
  }

 private:
  EventHandle base_;
  double base_seconds_ = 0;
};

struct Recording {
  std::vector<ProductTimes> host, stream;  ///< stream: empty on the CPU
};

Recording record(const ProductSetting& setting, Products& products) {
  Recording recording;
  std::vector<PhaseMarks> marks;
  for (int k = 0; k < traced_products; ++k) marks.emplace_back(setting.site.device);
  std::optional<DeviceTimeline> device;
  if (setting.site.device == Device::gpu) {
    synchronize(setting.stream);
    device.emplace(setting.stream);
  }
  ROWHALO_MPI(MPI_Barrier(setting.measuring.comm.handle));
  for (PhaseMarks& product : marks) {
    product.take(products, setting.stream);
    setting.measuring.progress.tick();
  }
  for (const PhaseMarks& product : marks) recording.host.push_back({product.phases, product.host});
  if (!device) return recording;
  synchronize(setting.stream);
  recording.stream = recording.host;
  for (int k = 0; k < traced_products; ++k) {
    std::vector<double>& times = recording.stream[k].times;
    for (std::size_t mark = 0; mark < times.size(); ++mark) {
      times[mark] = device->of(marks[k].events[mark]);
    }
  }
  return recording;
}

Json name_event(const char* what, int rank, int thread, const std::string& name) {
  return {{"name", what}, {"ph", "M"}, {"pid", rank}, {"tid", thread}, {"args", {{"name", name}}}};
}

/// The slices of one rank; `shift` seconds are added to its times.
class Slices {
 public:
  Slices(int rank, double shift) : rank_(rank), shift_(shift) {}

  /// The phases one after the other.
  void add(const std::vector<ProductTimes>& products, Thread thread) {
    for (std::size_t k = 0; k < products.size(); ++k) {
      const auto& [phases, times] = products[k];
      for (std::size_t p = 0; p < phases.size(); ++p) {
        add(phases[p], thread, k, times[p], times[p + 1]);
      }
    }
  }

  /// From the end of packing to the arrival.
  void add_flights(const std::vector<ProductTimes>& products) {
    for (std::size_t k = 0; k < products.size(); ++k) {
      const auto& [phases, times] = products[k];
      double packed = times.front();
      for (std::size_t p = 0; p < phases.size(); ++p) {
        if (phases[p] == Phase::pack) packed = times[p + 1];
        if (phases[p] == Phase::exchange) add(phases[p], halo_thread, k, packed, times[p + 1]);
      }
    }
  }

  std::string text() const { return list_.dump(); }

 private:
  void add(Phase phase, Thread thread, std::size_t product, double begin, double end) {
    list_.push_back({{"name", name_of(phase)},
                     {"ph", "X"},
                     {"pid", rank_},
                     {"tid", static_cast<int>(thread)},
                     {"ts", 1e6 * (begin + shift_)},
                     {"dur", 1e6 * (end - begin)},
                     {"args", {{"product", product}}}});
  }

  int rank_;
  double shift_;
  Json list_ = Json::array();
};

}  // namespace

std::string trace_products(const ProductSetting& setting, Products& products,
                           const Provenance& provenance) {
  const Comm& comm = setting.measuring.comm;
  const double offset = clock_offset(comm);
  const Recording recording = record(setting, products);
  double zero = recording.host.front().times.front() + offset;
  ROWHALO_MPI(MPI_Allreduce(MPI_IN_PLACE, &zero, 1, MPI_DOUBLE, MPI_MIN, comm.handle));
  Slices slices(comm.rank, offset - zero);
  slices.add(recording.host, host_thread);
  slices.add(recording.stream, stream_thread);
  slices.add_flights(recording.stream.empty() ? recording.host : recording.stream);

  const std::vector<std::string> texts = gather_texts(comm, slices.text());
  if (comm.rank > 0) return {};
  Json events = Json::array();
  for (int rank = 0; rank < comm.size; ++rank) {
    events.push_back(name_event(
        "process_name", rank, 0,
        fmt::format("rank {} on {}, {}", rank, provenance.hosts[rank], provenance.devices[rank])));
    events.push_back(name_event("thread_name", rank, host_thread, "host"));
    if (!recording.stream.empty()) {
      events.push_back(name_event("thread_name", rank, stream_thread, "stream"));
    }
    events.push_back(name_event("thread_name", rank, halo_thread, "halo, packed to arrived"));
    for (Json& slice : Json::parse(texts[rank])) events.push_back(std::move(slice));
  }
  return Json{{"displayTimeUnit", "ns"}, {"traceEvents", events}}.dump() + "\n";
}

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// Recording of a timeline, clocks of ranks and devices, and the JSON (trace.hpp).
#include "miniapp/bench/trace.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "miniapp/bench/measurement.hpp"
#include "partition/base/clock.hpp"

namespace rowhalo {

namespace {

constexpr int traced_products = 6;
constexpr int round_trips = 20;

using Json = nlohmann::ordered_json;

enum Thread { host_thread, stream_thread, halo_thread };

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

struct TracedProduct {
  PhaseMarks marks;
  std::vector<double> stream{};  ///< when its stream reached the marks; on a CPU the host's times
};

std::vector<TracedProduct> record(const ProductSetting& setting, Products& products) {
  std::vector<TracedProduct> traced;
  for (int k = 0; k < traced_products; ++k)
    traced.push_back({PhaseMarks(setting.site.device, setting.vectors)});
  std::optional<DeviceTimeline> device;
  if (setting.site.device == Device::gpu) {
    synchronize(setting.stream);
    device.emplace(setting.stream);
  }
  ROWHALO_MPI(MPI_Barrier(setting.measuring.comm.handle));
  for (TracedProduct& product : traced) {
    product.marks.take(products, setting.stream);
    setting.measuring.progress.tick();
  }
  if (device) synchronize(setting.stream);
  for (auto& [marks, stream] : traced) {
    stream = marks.host;
    if (!device) continue;
    for (std::size_t k = 0; k < stream.size(); ++k) stream[k] = device->of(marks.events[k]);
  }
  return traced;
}

/// What this rank shows; `shift` seconds are added to its times.
Json events_of(const std::vector<TracedProduct>& traced, const Provenance& provenance, int rank,
               double shift) {
  const bool gpu = !traced.front().marks.events.empty();
  Json events = Json::array();
  const auto name = [&](const char* what, Thread thread, const std::string& text) {
    events.push_back({{"name", what},
                      {"ph", "M"},
                      {"pid", rank},
                      {"tid", static_cast<int>(thread)},
                      {"args", {{"name", text}}}});
  };
  name("process_name", host_thread,
       fmt::format("rank {} on {}, {}", rank, provenance.hosts[rank], provenance.devices[rank]));
  name("thread_name", host_thread, "host");
  if (gpu) name("thread_name", stream_thread, "stream");
  name("thread_name", halo_thread, "halo, packed to arrived");
  for (std::size_t k = 0; k < traced.size(); ++k) {
    const auto& [marks, stream] = traced[k];
    const auto& phases = marks.phases;
    const auto add = [&](Phase phase, Thread thread, double begin, double end) {
      events.push_back({{"name", name_of(phase)},
                        {"ph", "X"},
                        {"pid", rank},
                        {"tid", static_cast<int>(thread)},
                        {"ts", 1e6 * (begin + shift)},
                        {"dur", 1e6 * (end - begin)},
                        {"args", {{"product", k}}}});
    };
    double packed = stream.front();
    for (std::size_t p = 0; p < phases.size(); ++p) {
      add(phases[p], host_thread, marks.host[p], marks.host[p + 1]);
      if (gpu) add(phases[p], stream_thread, stream[p], stream[p + 1]);
      if (phases[p] == Phase::pack) packed = stream[p + 1];
      if (phases[p] == Phase::exchange) add(phases[p], halo_thread, packed, stream[p + 1]);
    }
  }
  return events;
}

}  // namespace

std::string trace_products(const ProductSetting& setting, Products& products,
                           const Provenance& provenance) {
  const Comm& comm = setting.measuring.comm;
  const double offset = clock_offset(comm);
  const std::vector<TracedProduct> traced = record(setting, products);
  const double zero = -max_over_ranks(comm, -(traced.front().marks.host.front() + offset));
  const std::string own = events_of(traced, provenance, comm.rank, offset - zero).dump();
  const std::vector<std::string> texts = gather_texts(comm, own.substr(1, own.size() - 2));
  if (comm.rank > 0) return {};
  return fmt::format("{{\"displayTimeUnit\":\"ns\",\"traceEvents\":[{}]}}\n",
                     fmt::join(texts, ","));
}

}  // namespace rowhalo

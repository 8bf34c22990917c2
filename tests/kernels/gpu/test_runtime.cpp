// SPDX-License-Identifier: BSD-3-Clause
//
// The owners of kernels/gpu/device/runtime.hpp, device copies, and the measured bandwidth.
#include "kernels/gpu/device/runtime.hpp"

#include <numeric>
#include <stdexcept>

#include "kernels/gpu/device/bandwidth.hpp"
#include "tests/kernels/gpu_battery.hpp"

using namespace rowhalo;
using namespace rowhalo::battery;

TEST_CASE("devices describe themselves") {
  REQUIRE(built_with_cuda());
  const int count = device_count();
  for (int device = 0; device < count; ++device) {
    set_device(device);
    CHECK(current_device() == device);
    const DeviceDescription description = describe_device(device);
    INFO(description.name << " " << description.uuid << " " << description.pci_id);
    CHECK(!description.name.empty());
    CHECK(description.uuid.size() == 40);
    CHECK(description.uuid.rfind("GPU-", 0) == 0);
    CHECK(description.pci_id.find(':') != std::string::npos);
    CHECK(description.memory_bytes > free_device_bytes());
    CHECK(description.multiprocessors > 0);
  }
  set_device(0);
  CHECK_THROWS_AS(set_device(count), std::runtime_error);
  CHECK_THROWS_AS(describe_device(-1), std::runtime_error);
  CHECK_NOTHROW(synchronize_device());  // the errors above leave nothing behind
}

TEST_CASE("memory is given back, moved and copied", "[short]") {
  std::vector<int> numbers(1000);
  std::iota(numbers.begin(), numbers.end(), 0);
  DeviceArray<int> array{std::span<const int>(numbers)};
  const int* place = array.data();
  const DeviceArray<int> moved = std::move(array);
  CHECK(moved.data() == place);
  CHECK(array.data() == nullptr);
  CHECK(moved.to_host() == numbers);
  CHECK(DeviceArray<int>(0).to_host().empty());

  const StreamHandle stream(StreamHandle::Priority::high);
  const PinnedMemory pinned(4000);
  copy_async(pinned.data(), moved.data(), 4000, stream.stream());
  stream.synchronize();
  CHECK(std::equal(numbers.begin(), numbers.end(), reinterpret_cast<const int*>(pinned.data())));
  set_bytes_async(moved.data(), 0xff, 4000, stream.stream());
  stream.synchronize();
  CHECK(moved.to_host() == std::vector<int>(1000, -1));
}

TEST_CASE("memory that is freed serves again while it is asked to") {
  const auto place_of = [](std::size_t bytes) { return DeviceMemory(bytes).data(); };
  // Other processes may take and free memory meanwhile: less than half of this.
  constexpr std::size_t much = std::size_t{1} << 30;
  const std::int64_t before = free_device_bytes() - static_cast<std::int64_t>(much / 2);
  {
    const DeviceMemoryReuse reuse;
    constexpr std::size_t bytes = 64 << 20;
    const std::byte* const place = place_of(bytes);
    CHECK(place_of(bytes) == place);
    CHECK(place_of(bytes - bytes / 16) == place);  // nearly as large
    CHECK(place_of(0) == nullptr);
    const DeviceMemory larger(bytes + 1), much_smaller(bytes / 2);
    CHECK(larger.data() != place);
    CHECK(much_smaller.data() != place);
    { const DeviceMemoryReuse inner; }
    const DeviceMemory first(bytes), second(bytes);
    CHECK(first.data() == place);
    CHECK(second.data() != place);

    place_of(4 * much);
    CHECK(free_device_bytes() > before);  // too large to be kept
    place_of(much);
    CHECK(free_device_bytes() < before);
    CHECK_THROWS_AS(place_of(std::size_t{1} << 60), OutOfDeviceMemory);
    CHECK(free_device_bytes() > before);  // where memory lacks nothing is kept
    place_of(much);
  }
  CHECK(free_device_bytes() > before);
}

TEST_CASE("memory that does not exist is an error with the numbers") {
  try {
    const DeviceMemory memory(std::size_t{1} << 60);
    FAIL("allocated");
  } catch (const OutOfDeviceMemory& error) {
    const std::string message = error.what();
    INFO(message);
    CHECK(message.find("GB free, 1.15e+09 GB are needed") != std::string::npos);
  }
  CHECK_NOTHROW(synchronize_device());
}

TEST_CASE("events order streams and measure time", "[short]") {
  const StreamHandle first, second;
  const EventHandle begin, end, ready(EventHandle::Timing::off);
  const DeviceMemory memory(std::size_t{1} << 24);
  const PinnedMemory result(4);
  begin.record(first.stream());
  for (int k = 0; k < 20; ++k) set_bytes_async(memory.data(), k, memory.bytes(), first.stream());
  ready.record(first.stream());
  ready.make_wait(second.stream());
  copy_async(result.data(), memory.data() + memory.bytes() - 4, 4, second.stream());
  second.synchronize();
  CHECK(result.data()[3] == std::byte{19});
  end.record(first.stream());
  end.synchronize();
  CHECK(seconds_between(begin, end) > 0);
  CHECK(seconds_between(begin, end) < 10);
}

TEST_CASE("a graph replays what was captured, and survives a failure while capturing", "[short]") {
  const StreamHandle stream;
  const DeviceArray<int> array(100);
  set_bytes_async(array.data(), 0, 400, stream.stream());
  GraphExec graph;
  CHECK_FALSE(graph);
  graph =
      GraphExec(stream.stream(), [&] { set_bytes_async(array.data(), 1, 200, stream.stream()); });
  REQUIRE(graph);
  stream.synchronize();
  CHECK(array.to_host() == std::vector<int>(100, 0));
  graph.launch(stream.stream());
  stream.synchronize();
  CHECK(array.to_host()[49] == 0x01010101);
  CHECK(array.to_host()[50] == 0);
  CHECK_THROWS_AS(GraphExec(stream.stream(), [] { throw std::logic_error("no"); }),
                  std::logic_error);
  graph.launch(stream.stream());
  CHECK_NOTHROW(stream.synchronize());
}

TEST_CASE("matrices and row lists arrive on the device as they are", "[short]") {
  const Matrix matrix = random(50, 40);
  const Typed<float> typed(matrix);
  const DeviceCsr csr(typed.view());
  const CsrView view = csr.view();
  CHECK(view.device == Device::gpu);
  CHECK(view.nonzeros == matrix.offsets.back());
  std::vector<float> values(matrix.values.size());
  copy_now(values.data(), view.values, 4 * values.size());
  CHECK(values == typed.values);
  std::vector<Offset> offsets(51);
  copy_now(offsets.data(), view.offsets, 8 * offsets.size());
  CHECK(offsets == matrix.offsets);
  const DeviceRowList empty(make_row_list({}));
  CHECK(empty.view().count == 0);
  CHECK(empty.view().groups != nullptr);
}

TEST_CASE("the measured bandwidth is that of a memory") {
  const DeviceBandwidth bandwidth = measure_bandwidth();
  WARN("read " << bandwidth.read << ", copy " << bandwidth.copy << ", triad " << bandwidth.triad
               << " GB/s");
  for (const double figure : {bandwidth.read, bandwidth.copy, bandwidth.triad}) {
    CHECK(figure > 50);
    CHECK(figure < 50000);
  }
}

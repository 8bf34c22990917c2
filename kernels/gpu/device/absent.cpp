// SPDX-License-Identifier: BSD-3-Clause
//
// What a build without CUDA answers (runtime.hpp): there is no device, and whoever asks for one all
// the same is told so. Callers need no conditional compilation.
#include <stdexcept>

#include "kernels/gpu/conversion/coordinates.hpp"
#include "kernels/gpu/conversion/new_values.hpp"
#include "kernels/gpu/device/bandwidth.hpp"
#include "kernels/gpu/device/device_work.hpp"
#include "kernels/gpu/device/runtime.hpp"
#include "kernels/vectors/run_step.hpp"

namespace rowhalo {

namespace {

[[noreturn]] void refuse() {
  throw std::logic_error("a device was asked for in a build without CUDA");
}

}  // namespace

bool built_with_cuda() {
  return false;
}
int device_count() {
  return 0;
}

DeviceDescription describe_device(int) {
  refuse();
}
void set_device(int) {
  refuse();
}
int current_device() {
  refuse();
}
void synchronize_device() {
  refuse();
}
void synchronize(Stream) {
  refuse();
}
MemoryKind memory_kind(const void*) {
  return MemoryKind::host;
}
std::int64_t free_device_bytes() {
  refuse();
}
MemorySpeed device_memory_speed() {
  refuse();
}
void copy_async(void*, const void*, std::size_t, Stream) {
  refuse();
}
void copy_now(void*, const void*, std::size_t) {
  refuse();
}
void set_bytes_async(void*, int, std::size_t, Stream) {
  refuse();
}
void call_in_stream(Stream, void (*)(void*), void*) {
  refuse();
}
DeviceBandwidth measure_bandwidth() {
  refuse();
}
double measure_reading(std::int64_t) {
  refuse();
}
void launch_empty_kernel(Stream) {
  refuse();
}
RowLengths row_lengths_on_device(const CsrView&, RowListView) {
  refuse();
}
RowCounts count_on_device(const CsrView&, RowListView) {
  refuse();
}
double measure_csr_of_coordinates(const CsrView&) {
  refuse();
}
void round_on_device(NumberType, const double*, std::int64_t, void*, Stream) {
  refuse();
}
void split_on_device(const CsrView&, LocalIndex, const CsrView&, void*, const CsrView&, void*,
                     Stream) {
  refuse();
}
double seconds_between(const EventHandle&, const EventHandle&) {
  refuse();
}

DeviceMemory::DeviceMemory(std::int64_t) {
  refuse();
}
DeviceMemoryReuse::DeviceMemoryReuse() : outermost_(true) {}
DeviceMemoryReuse::~DeviceMemoryReuse() = default;
PinnedMemory::PinnedMemory(std::size_t) {
  refuse();
}
StreamHandle::StreamHandle(Priority) {
  refuse();
}
EventHandle::EventHandle(Timing) {
  refuse();
}
void EventHandle::record(Stream) const {
  refuse();
}
void EventHandle::synchronize() const {
  refuse();
}
bool EventHandle::reached() const {
  refuse();
}
void EventHandle::make_wait(Stream) const {
  refuse();
}
GraphExec::GraphExec(Stream, const std::function<void()>&) {
  refuse();
}
GraphExec GraphExec::repeating(Stream, const std::function<void(std::uint64_t)>&) {
  refuse();
}
void GraphExec::launch(Stream) const {
  refuse();
}

// Nothing was ever made, so there is nothing to free.
void runtime_detail::FreeDevice::operator()(std::byte*) const {}

template <class Step>
void run_step_on_gpu(const VectorSpace&, Step, SumsView, const OverRanks&) {
  refuse();
}
#define ROWHALO_INSTANTIATE(Step) \
  template void run_step_on_gpu(const VectorSpace&, Step, SumsView, const OverRanks&);
ROWHALO_VECTOR_STEPS(ROWHALO_INSTANTIATE)
#undef ROWHALO_INSTANTIATE
void finish_sums_on_gpu(const VectorSpace&, const OverRanks&) {
  refuse();
}

}  // namespace rowhalo

// SPDX-License-Identifier: BSD-3-Clause
//
// The CUDA calls behind runtime.hpp and check.hpp.
#include "kernels/gpu/device/runtime.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <stdexcept>

#include "kernels/gpu/device/launch.hpp"

namespace rowhalo {

void throw_cuda_error(cudaError_t error, const char* call, const char* file, int line) {
  cudaGetLastError();  // the next launch must not be blamed for it
  throw std::runtime_error(fmt::format("{}:{}: {}: {} ({})", file, line, call,
                                       cudaGetErrorString(error), cudaGetErrorName(error)));
}

void print_cuda_error(cudaError_t error, const char* call, const char* file, int line) noexcept {
  std::fprintf(stderr, "%s:%d: %s: %s\n", file, line, call, cudaGetErrorString(error));
}

bool built_with_cuda() {
  return true;
}

int device_count() {
  int count = 0;
  if (cudaGetDeviceCount(&count) == cudaSuccess) return count;
  cudaGetLastError();  // no driver or no device: not an error that the next check should find
  return 0;
}

DeviceDescription describe_device(int device) {
  cudaDeviceProp properties{};
  ROWHALO_CUDA(cudaGetDeviceProperties(&properties, device));
  std::array<char, 32> pci_id{};
  ROWHALO_CUDA(cudaDeviceGetPCIBusId(pci_id.data(), static_cast<int>(pci_id.size()), device));
  DeviceDescription description;
  description.name = properties.name;
  description.uuid = "GPU";
  for (int k = 0; k < 16; ++k) {
    if (k == 0 || (k >= 4 && k <= 10 && k % 2 == 0)) description.uuid += '-';
    description.uuid += fmt::format("{:02x}", static_cast<unsigned char>(properties.uuid.bytes[k]));
  }
  description.pci_id = pci_id.data();
  description.memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem);
  description.multiprocessors = properties.multiProcessorCount;
  return description;
}

void set_device(int device) {
  ROWHALO_CUDA(cudaSetDevice(device));
}

int current_device() {
  int device = 0;
  ROWHALO_CUDA(cudaGetDevice(&device));
  return device;
}

void synchronize_device() {
  ROWHALO_CUDA(cudaDeviceSynchronize());
}

void synchronize(Stream stream) {
  ROWHALO_CUDA(cudaStreamSynchronize(static_cast<cudaStream_t>(stream.handle)));
}

MemoryKind memory_kind(const void* data) {
  cudaPointerAttributes attributes{};
  if (data == nullptr) return MemoryKind::host;
  if (cudaPointerGetAttributes(&attributes, data) != cudaSuccess) {
    cudaGetLastError();  // no driver or no device, so no such memory
    return MemoryKind::host;
  }
  switch (attributes.type) {
    case cudaMemoryTypeUnregistered:
      return MemoryKind::host;
    case cudaMemoryTypeHost:
      return MemoryKind::pinned;
    case cudaMemoryTypeManaged:
      return MemoryKind::managed;
    case cudaMemoryTypeDevice:
      return MemoryKind::device;
  }
  return MemoryKind::host;
}

std::int64_t free_device_bytes() {
  std::size_t free = 0, total = 0;
  ROWHALO_CUDA(cudaMemGetInfo(&free, &total));
  return static_cast<std::int64_t>(free);
}

MemorySpeed device_memory_speed() {
  // Two transfers a clock; kHz and bits.
  const double transfers = 2e3 * device_attribute(cudaDevAttrMemoryClockRate);
  return {transfers * device_attribute(cudaDevAttrGlobalMemoryBusWidth) / 8,
          device_attribute(cudaDevAttrL2CacheSize)};
}

OutOfDeviceMemory::OutOfDeviceMemory(std::size_t wanted_bytes, std::int64_t free_bytes)
    : message_(std::make_shared<std::string>(fmt::format(
          "the device has {:.3g} GB free, {:.3g} GB are needed at once",
          1e-9 * static_cast<double>(free_bytes), 1e-9 * static_cast<double>(wanted_bytes)))) {}

namespace {

/// Others may need memory, too, and where arrays are that large a cudaMalloc does not show.
constexpr std::size_t most_kept_bytes = std::size_t{2} << 30;

/// Of the calling thread: whether some DeviceMemoryReuse lives, and what it keeps, by bytes.
thread_local bool reusing = false;
thread_local std::multimap<std::size_t, std::byte*> kept;
thread_local std::size_t kept_bytes = 0;

void free_kept() {
  for (const auto& [bytes, data] : kept) ROWHALO_CUDA_PRINT(cudaFree(data));
  kept.clear();
  kept_bytes = 0;
}

/// Of at least `bytes`, and at most an eighth more; without such a block, of 0 bytes.
std::pair<std::size_t, std::byte*> take_kept(std::size_t bytes) {
  constexpr std::size_t small = 4096;
  const auto smallest = kept.lower_bound(bytes);
  if (smallest == kept.end() || smallest->first > std::max(bytes + bytes / 8, small)) return {};
  const std::pair<std::size_t, std::byte*> block = *smallest;
  kept.erase(smallest);
  kept_bytes -= block.first;
  return block;
}

/// Null where memory lacks.
std::byte* allocate(std::size_t bytes) {
  void* data = nullptr;
  const cudaError_t error = cudaMalloc(&data, bytes);
  if (error != cudaErrorMemoryAllocation) {
    ROWHALO_CUDA(error);
    return static_cast<std::byte*>(data);
  }
  cudaGetLastError();  // the next launch must not be blamed for it
  return nullptr;
}

}  // namespace

void runtime_detail::FreeDevice::operator()(std::byte* data) const {
  if (reusing && kept_bytes + capacity <= most_kept_bytes) {
    try {
      kept.emplace(capacity, data);
      kept_bytes += capacity;
      return;
    } catch (const std::bad_alloc&) {  // of the host: what is freed is not kept
    }
  }
  ROWHALO_CUDA_PRINT(cudaFree(data));
}

DeviceMemoryReuse::DeviceMemoryReuse() : outermost_(!reusing) {
  reusing = true;
}

DeviceMemoryReuse::~DeviceMemoryReuse() {
  if (!outermost_) return;
  reusing = false;
  free_kept();
}

DeviceMemory::DeviceMemory(std::int64_t wanted) : bytes_(wanted) {
  const auto bytes = static_cast<std::size_t>(wanted);
  if (bytes == 0) return;
  auto [capacity, data] = take_kept(bytes);
  if (data == nullptr) {
    capacity = bytes;
    data = allocate(bytes);
  }
  if (data == nullptr && !kept.empty()) {
    free_kept();
    data = allocate(bytes);
  }
  if (data == nullptr) throw OutOfDeviceMemory(bytes, free_device_bytes());
  data_ = {data, {capacity}};
}

PinnedMemory::PinnedMemory(std::size_t bytes) : bytes_(bytes) {
  if (bytes == 0) return;
  void* data = nullptr;
  ROWHALO_CUDA(cudaHostAlloc(&data, bytes, cudaHostAllocDefault));
  data_ = {data, [](void* freed) { ROWHALO_CUDA_PRINT(cudaFreeHost(freed)); }};
}

StreamHandle::StreamHandle(Priority priority) {
  int least = 0, greatest = 0;
  ROWHALO_CUDA(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  cudaStream_t stream = nullptr;
  ROWHALO_CUDA(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking,
                                            priority == Priority::high ? greatest : least));
  stream_ = {stream, [](void* destroyed) {
               ROWHALO_CUDA_PRINT(cudaStreamDestroy(static_cast<cudaStream_t>(destroyed)));
             }};
}

EventHandle::EventHandle(Timing timing) {
  cudaEvent_t event = nullptr;
  ROWHALO_CUDA(cudaEventCreateWithFlags(
      &event, timing == Timing::on ? cudaEventDefault : cudaEventDisableTiming));
  event_ = {event, [](void* destroyed) {
              ROWHALO_CUDA_PRINT(cudaEventDestroy(static_cast<cudaEvent_t>(destroyed)));
            }};
}

void EventHandle::record(Stream stream) const {
  ROWHALO_CUDA(cudaEventRecord(static_cast<cudaEvent_t>(event_.get()), native(stream)));
}

void EventHandle::synchronize() const {
  ROWHALO_CUDA(cudaEventSynchronize(static_cast<cudaEvent_t>(event_.get())));
}

bool EventHandle::reached() const {
  const cudaError_t state = cudaEventQuery(static_cast<cudaEvent_t>(event_.get()));
  if (state == cudaErrorNotReady) return false;
  ROWHALO_CUDA(state);
  return true;
}

void EventHandle::make_wait(Stream stream) const {
  ROWHALO_CUDA(cudaStreamWaitEvent(native(stream), static_cast<cudaEvent_t>(event_.get()), 0));
}

double seconds_between(const EventHandle& begin, const EventHandle& end) {
  float milliseconds = 0;
  ROWHALO_CUDA(cudaEventElapsedTime(&milliseconds, static_cast<cudaEvent_t>(begin.event_.get()),
                                    static_cast<cudaEvent_t>(end.event_.get())));
  return milliseconds * 1e-3;
}

namespace {

std::int64_t kernel_nodes(cudaGraph_t graph) {
  std::size_t count = 0;
  ROWHALO_CUDA(cudaGraphGetNodes(graph, nullptr, &count));
  std::vector<cudaGraphNode_t> nodes(count);
  ROWHALO_CUDA(cudaGraphGetNodes(graph, nodes.data(), &count));
  return std::count_if(nodes.begin(), nodes.end(), [](cudaGraphNode_t node) {
    cudaGraphNodeType type{};
    ROWHALO_CUDA(cudaGraphNodeGetType(node, &type));
    return type == cudaGraphNodeTypeKernel;
  });
}

struct DestroyRecorded {
  void operator()(cudaGraph_t graph) const { ROWHALO_CUDA_PRINT(cudaGraphDestroy(graph)); }
};
using RecordedGraph = std::unique_ptr<std::remove_pointer_t<cudaGraph_t>, DestroyRecorded>;

/// Runs `work` while `stream` captures; the graph that comes of it.
cudaGraph_t end_capture_after(cudaStream_t stream, const std::function<void()>& work) {
  cudaGraph_t recorded = nullptr;
  try {
    work();
  } catch (...) {
    cudaStreamEndCapture(stream, &recorded);  // the stream must leave capture mode
    cudaGetLastError();
    throw;
  }
  ROWHALO_CUDA(cudaStreamEndCapture(stream, &recorded));
  return recorded;
}

DeviceHandle instantiated(cudaGraph_t recorded) {
  cudaGraphExec_t graph = nullptr;
  // Without the flag the priorities of the streams are forgotten.
  ROWHALO_CUDA(cudaGraphInstantiate(&graph, recorded, cudaGraphInstantiateFlagUseNodePriority));
  return {graph, [](void* destroyed) {
            ROWHALO_CUDA_PRINT(cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(destroyed)));
          }};
}

}  // namespace

GraphExec::GraphExec(Stream stream, const std::function<void()>& work) {
  ROWHALO_CUDA(cudaStreamBeginCapture(native(stream), cudaStreamCaptureModeThreadLocal));
  const RecordedGraph recorded(end_capture_after(native(stream), work));
  kernels_ = kernel_nodes(recorded.get());
  graph_ = instantiated(recorded.get());
}

#if CUDART_VERSION >= 12040

GraphExec GraphExec::repeating(Stream stream, const std::function<void(std::uint64_t loop)>& body) {
  cudaGraph_t whole = nullptr;
  ROWHALO_CUDA(cudaGraphCreate(&whole, 0));
  const RecordedGraph owner(whole);
  cudaGraphConditionalHandle loop{};
  ROWHALO_CUDA(cudaGraphConditionalHandleCreate(&loop, whole, 1, cudaGraphCondAssignDefault));
  cudaGraphNodeParams node{};
  node.type = cudaGraphNodeTypeConditional;
  node.conditional.handle = loop;
  node.conditional.type = cudaGraphCondTypeWhile;
  node.conditional.size = 1;
  cudaGraphNode_t added = nullptr;
#if CUDART_VERSION >= 13000
  ROWHALO_CUDA(cudaGraphAddNode(&added, whole, nullptr, nullptr, 0, &node));
#else
  ROWHALO_CUDA(cudaGraphAddNode(&added, whole, nullptr, 0, &node));
#endif
  const cudaGraph_t inside = node.conditional.phGraph_out[0];  // CUDA's own
  ROWHALO_CUDA(cudaStreamBeginCaptureToGraph(native(stream), inside, nullptr, nullptr, 0,
                                             cudaStreamCaptureModeThreadLocal));
  end_capture_after(native(stream), [&] { body(loop); });
  GraphExec graph;
  graph.kernels_ = kernel_nodes(inside);
  graph.graph_ = instantiated(whole);
  return graph;
}

#else

GraphExec GraphExec::repeating(Stream, const std::function<void(std::uint64_t)>&) {
  throw std::runtime_error("graphs that repeat themselves need CUDA 12.4");
}

#endif

void GraphExec::launch(Stream stream) const {
  ROWHALO_CUDA(cudaGraphLaunch(static_cast<cudaGraphExec_t>(graph_.get()), native(stream)));
}

void copy_async(void* to, const void* from, std::size_t bytes, Stream stream) {
  if (bytes == 0) return;
  ROWHALO_CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, native(stream)));
}

void copy_now(void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  ROWHALO_CUDA(cudaMemcpy(to, from, bytes, cudaMemcpyDefault));
  // From pageable memory cudaMemcpy may be back before the last bytes have arrived.
  ROWHALO_CUDA(cudaStreamSynchronize(nullptr));
}

void set_bytes_async(void* to, int value, std::size_t bytes, Stream stream) {
  if (bytes == 0) return;
  ROWHALO_CUDA(cudaMemsetAsync(to, value, bytes, native(stream)));
}

void call_in_stream(Stream stream, void (*function)(void*), void* data) {
  ROWHALO_CUDA(cudaLaunchHostFunc(native(stream), function, data));
}

}  // namespace rowhalo

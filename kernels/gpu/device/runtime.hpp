// SPDX-License-Identifier: BSD-3-Clause
//
// What CUDA lends us, as owners: memory, streams, events, graphs. One small move-only class each;
// its destructor is local and prints what goes wrong, everything else throws std::runtime_error
// with the call, its error and the place. No CUDA header is needed to include this one. In a build
// without CUDA there are 0 devices and everything else throws (absent.cpp). Everything happens on
// the calling thread's current device (set_device).
#pragma once

#include <functional>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <vector>

#include "kernels/spmv_kernel.hpp"

namespace rowhalo {

bool built_with_cuda();

/// 0 where there is no device, no driver, or no CUDA in this build.
int device_count();

struct DeviceDescription {
  std::string name;
  std::string uuid;    ///< GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx, as nvidia-smi writes it
  std::string pci_id;  ///< dddd:bb:dd.f
  std::int64_t memory_bytes = 0;
  int multiprocessors = 0;
};

DeviceDescription describe_device(int device);
void set_device(int device);
int current_device();
/// Waits for everything that was started on the current device.
void synchronize_device();
/// Waits for everything that was put into `stream`.
void synchronize(Stream stream);
/// Of host or device; host and device can both read the two kinds between. Null is on the host.
enum class MemoryKind { host, pinned, managed, device };
MemoryKind memory_kind(const void* data);
/// Free bytes of the current device's memory.
std::int64_t free_device_bytes();

/// What no kernel on the current device can exceed; `bytes_per_second` is 0 where it is not known.
struct MemorySpeed {
  double bytes_per_second = 0;  ///< of its memory, from clock and width
  std::int64_t cache_bytes = 0;
};
MemorySpeed device_memory_speed();

/// Less memory is free than was asked for; the current device is as it was.
class OutOfDeviceMemory : public std::bad_alloc {
 public:
  OutOfDeviceMemory(std::size_t wanted_bytes, std::int64_t free_bytes);
  const char* what() const noexcept override { return message_->c_str(); }

 private:
  std::shared_ptr<const std::string> message_;  ///< shared: copies of exceptions must not throw
};

namespace runtime_detail {
struct FreeDevice {
  std::size_t capacity = 0;  ///< bytes of what is freed
  void operator()(std::byte* data) const;
};
}  // namespace runtime_detail

/// What CUDA made, and what gives it back.
using DeviceHandle = std::unique_ptr<void, void (*)(void*)>;

/// Plain device memory (one cudaMalloc, or what DeviceMemoryReuse has kept), not initialised.
/// Throws OutOfDeviceMemory.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  explicit DeviceMemory(std::int64_t bytes);
  std::byte* data() const { return data_.get(); }
  std::int64_t bytes() const { return bytes_; }

 private:
  std::unique_ptr<std::byte, runtime_detail::FreeDevice> data_;
  std::int64_t bytes_ = 0;
};

/// While an object of this class lives, device memory that its thread frees is kept and serves the
/// thread's next requests of about that size, up to 2 GB in all. What is left is freed with the
/// object, or when memory lacks. Conversions need many arrays for a moment, and a cudaMalloc with
/// its cudaFree takes as long as a pass over millions of entries. The order of the default stream
/// keeps old and new contents apart; other streams must have been waited for. An object inside
/// another one does nothing.
class DeviceMemoryReuse {
 public:
  DeviceMemoryReuse();
  ~DeviceMemoryReuse();
  DeviceMemoryReuse(const DeviceMemoryReuse&) = delete;
  DeviceMemoryReuse& operator=(const DeviceMemoryReuse&) = delete;

 private:
  bool outermost_;
};

/// Page-locked host memory, not initialised: copies from and to it run beside the host.
class PinnedMemory {
 public:
  PinnedMemory() = default;
  explicit PinnedMemory(std::size_t bytes);
  std::byte* data() const { return static_cast<std::byte*>(data_.get()); }
  std::size_t bytes() const { return bytes_; }
  /// Objects of type T that begin so many bytes behind the first.
  template <class T>
  T* at(std::size_t bytes = 0) const {
    return reinterpret_cast<T*>(data() + bytes);
  }

 private:
  DeviceHandle data_{nullptr, nullptr};
  std::size_t bytes_ = 0;
};

/// A stream that does not wait for the default stream.
class StreamHandle {
 public:
  enum class Priority { normal, high };
  explicit StreamHandle(Priority priority = Priority::normal);
  Stream stream() const { return {stream_.get()}; }
  void synchronize() const { rowhalo::synchronize(stream()); }

 private:
  DeviceHandle stream_{nullptr, nullptr};
};

class EventHandle {
 public:
  enum class Timing { off, on };
  explicit EventHandle(Timing timing = Timing::on);
  void record(Stream stream) const;
  /// The host waits until the last record has been reached.
  void synchronize() const;
  /// Whether it has been reached. Throws when the device has failed.
  bool reached() const;
  /// What is put into `stream` from now on waits for the last record.
  void make_wait(Stream stream) const;

 private:
  friend double seconds_between(const EventHandle& begin, const EventHandle& end);
  DeviceHandle event_{nullptr, nullptr};
};

/// Device time between two records that have both been reached (Timing::on).
double seconds_between(const EventHandle& begin, const EventHandle& end);

/// A captured sequence of device work, to be replayed with one launch.
class GraphExec {
 public:
  GraphExec() = default;
  /// Runs `work`, which puts work into `stream` (and streams that join it), without executing it.
  /// Capture is local to the calling thread.
  GraphExec(Stream stream, const std::function<void()>& work);
  /// A graph that runs `body` again and again on the device until a kernel of it says that it is
  /// enough: body(loop) puts work into `stream`, whose kernel calls cudaGraphSetConditional(loop,
  /// 0). Throws where CUDA (from 12.4 on), the driver or what was captured does not allow it.
  static GraphExec repeating(Stream stream, const std::function<void(std::uint64_t loop)>& body);
  void launch(Stream stream) const;
  explicit operator bool() const { return graph_ != nullptr; }
  /// Kernels that one launch runs.
  std::int64_t kernels() const { return kernels_; }

 private:
  DeviceHandle graph_{nullptr, nullptr};
  std::int64_t kernels_ = 0;
};

/// Any direction, in the order of `stream`. The host's side should be pinned memory.
void copy_async(void* to, const void* from, std::size_t bytes, Stream stream);
/// Any direction; back when it is done.
void copy_now(void* to, const void* from, std::size_t bytes);
/// Sets each byte of device memory, in the order of `stream`.
void set_bytes_async(void* to, int value, std::size_t bytes, Stream stream);
/// Calls function(data) on the host, in the order of `stream`; it may call nothing of CUDA.
void call_in_stream(Stream stream, void (*function)(void*), void* data);

/// Device memory for `size` objects of type T.
template <class T>
class DeviceArray {
 public:
  static_assert(std::is_trivially_copyable_v<T>);

  DeviceArray() = default;
  explicit DeviceArray(std::int64_t size) : memory_(size * std::int64_t{sizeof(T)}), size_(size) {}
  /// A copy of host memory.
  explicit DeviceArray(std::span<const T> host) : DeviceArray(std::ssize(host)) {
    copy_now(data(), host.data(), memory_.bytes());
  }

  T* data() const { return reinterpret_cast<T*>(memory_.data()); }
  std::int64_t size() const { return size_; }
  std::int64_t bytes() const { return memory_.bytes(); }

  /// Sets each byte, in the order of the default stream.
  void set_bytes(int value) const { set_bytes_async(data(), value, memory_.bytes(), Stream{}); }

  /// The last of its objects, on the host.
  T back() const {
    T last;
    copy_now(&last, data() + size_ - 1, sizeof(T));
    return last;
  }

  std::vector<T> to_host() const {
    std::vector<T> host(static_cast<std::size_t>(size_));
    copy_now(host.data(), data(), memory_.bytes());
    return host;
  }

 private:
  DeviceMemory memory_;
  std::int64_t size_ = 0;
};

/// All of whose bytes are `byte`, in the order of the default stream.
template <class T>
DeviceArray<T> filled_array(std::int64_t size, int byte = 0) {
  DeviceArray<T> array(size);
  array.set_bytes(byte);
  return array;
}

/// A copy of host memory.
template <class T>
DeviceArray<T> device_array(const std::vector<T>& host) {
  return DeviceArray<T>(std::span<const T>(host));
}

}  // namespace rowhalo

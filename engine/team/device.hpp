// SPDX-License-Identifier: BSD-3-Clause
// Devices as host code uses them: list, open, memory, streams, events, kernels. One face for NVIDIA and emulated devices.
//
//     auto device = Device::open("cuda:0");                        // or "emulated", "emulated-checked:1"
//     if (!device) return device.error();                          // a sentence for the user, exit code 6
//     auto stream = device->stream();
//     auto x = device->allocate<float>(n, "x"), y = device->allocate<float>(n, "y");
//     auto scale = device->kernel<ScaleArguments>("my-solver/scale");
//     stream.to_device(x, host);                                   // asynchronous; `host` is a span, pinned or not
//     stream.launch(scale, {.grid = {(n + 255) / 256, 1, 1}, .block = {256, 1, 1}},
//                   ScaleArguments{x.data(), y.data(), 2.0f, n});
//     stream.to_host(result, y);
//     stream.synchronize();
//
// What goes wrong after a device is open (no memory, a kernel that failed) throws Failure with code `resources`; errors of
// asynchronous work appear at the next call on the device, at the latest in synchronize(). Device is shared by all who hold
// a copy; buffers, streams and events keep their device open. Threads: as module.hpp says, a stream belongs to one thread.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "engine/team/module.hpp"

namespace conoid {

class Device;

/// What `conoid devices` shows of one backend: its devices, or why there are none.
struct DeviceList {
  std::string backend;
  std::vector<DeviceInfo> devices;
  std::string absent;  ///< empty, or a sentence
  std::string hint;
};

/// "cuda", then "emulated" where it is built. Never fails: absence is told in the list.
[[nodiscard]] std::vector<DeviceList> list_devices();

/// The devices of one backend, or why there are none (code `resources`).
[[nodiscard]] Result<std::vector<DeviceInfo>> find_devices(std::string_view backend);

/// How emulated devices opened from now on behave. The environment's CONOID_EMULATED sets the same at the start of a
/// program: "memory=64MiB,bandwidth=2GB/s,slowness=3,multiprocessors=2,devices=2".
void configure_emulated(const EmulatedOptions& options);
[[nodiscard]] Result<EmulatedOptions> parse_emulated_options(std::string_view text);

namespace detail {
struct DeviceHandle;
/// One thing of a device; gives it back at its end.
class Held {
 public:
  using Release = void (DeviceDriver::*)(void*);
  Held() = default;
  Held(std::shared_ptr<DeviceHandle> device, void* thing, Release release);
  Held(Held&& other) noexcept;
  Held& operator=(Held&& other) noexcept;
  ~Held();
  [[nodiscard]] void* get() const { return thing_; }
  [[nodiscard]] DeviceDriver& driver() const;

 private:
  std::shared_ptr<DeviceHandle> device_;
  void* thing_ = nullptr;
  Release release_ = nullptr;
};
}  // namespace detail

/// `size()` values of T on the device. data() is an address of the device: only kernels and copies may follow it.
template <class T>
class DeviceBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  DeviceBuffer() = default;
  [[nodiscard]] T* data() const { return static_cast<T*>(held_.get()); }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  /// Checked mode: what kernels must fill from here on before it is copied to the host. Elsewhere nothing.
  void expect_written() { held_.driver().expect_written(held_.get(), size_ * sizeof(T)); }

 private:
  friend class Device;
  DeviceBuffer(detail::Held held, std::size_t size) : held_(std::move(held)), size_(size) {}
  detail::Held held_;
  std::size_t size_ = 0;
};

/// Host memory that copies reach without a detour; copies to and from it overlap with kernels.
template <class T>
class PinnedBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  PinnedBuffer() = default;
  [[nodiscard]] T* data() const { return static_cast<T*>(held_.get()); }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::span<T> span() const { return {data(), size_}; }
  T& operator[](std::size_t i) const { return data()[i]; }

 private:
  friend class Device;
  PinnedBuffer(detail::Held held, std::size_t size) : held_(std::move(held)), size_(size) {}
  detail::Held held_;
  std::size_t size_ = 0;
};

/// A mark in a stream.
class Event {
 public:
  Event() = default;
  void synchronize() const;            ///< waits until the stream has come here
  [[nodiscard]] bool reached() const;  ///< without waiting
  /// Seconds of the device's clock from `earlier` to this one; both reached.
  [[nodiscard]] double seconds_since(const Event& earlier) const;

 private:
  friend class Device;
  friend class Stream;
  explicit Event(detail::Held held) : held_(std::move(held)) {}
  detail::Held held_;
};

/// A kernel by its types: Kernel<A, B> is `__global__ void kernel(A, B)`.
template <class... P>
class Kernel {
 public:
  Kernel() = default;
  explicit operator bool() const { return entry_ != nullptr; }

 private:
  friend class Device;
  friend class Stream;
  explicit Kernel(const KernelEntry* entry) : entry_(entry) {}
  const KernelEntry* entry_ = nullptr;
};

/// Work of a device in the order in which it was given. Every call returns at once but synchronize() (and copies between
/// the device and host memory that is not pinned, which may wait).
class Stream {
 public:
  Stream() = default;

  template <class T>
  void to_device(const DeviceBuffer<T>& to, std::span<const std::type_identity_t<T>> from, std::size_t offset = 0) {
    verify(offset + from.size() <= to.size(), "a copy to a device stays inside its buffer");
    copy_bytes(to.data() + offset, from.data(), from.size_bytes(), CopyKind::to_device);
  }
  template <class T>
  void to_host(std::type_identity_t<std::span<T>> to, const DeviceBuffer<T>& from, std::size_t offset = 0) {
    verify(offset + to.size() <= from.size(), "a copy from a device stays inside its buffer");
    copy_bytes(to.data(), from.data() + offset, to.size_bytes(), CopyKind::to_host);
  }
  template <class T>
  void on_device(const DeviceBuffer<T>& to, std::size_t to_offset, const DeviceBuffer<T>& from, std::size_t from_offset,
                 std::size_t count) {
    verify(to_offset + count <= to.size() && from_offset + count <= from.size(),
           "a copy on a device stays inside its buffers");
    copy_bytes(to.data() + to_offset, from.data() + from_offset, count * sizeof(T), CopyKind::on_device);
  }
  /// `count` pieces of `size` values each, from a buffer of another device of the same backend (DeviceInfo::index `other`); strides in values. See
  /// DeviceDriver::copy_from_peer().
  template <class T>
  void from_peer(const DeviceBuffer<T>& to, std::size_t to_offset, std::size_t to_stride, const DeviceBuffer<T>& from,
                 std::size_t from_offset, std::size_t from_stride, int other, std::size_t size, std::size_t count) {
    if (size == 0 || count == 0) return;
    verify(to_offset + (count - 1) * to_stride + size <= to.size() &&
               from_offset + (count - 1) * from_stride + size <= from.size(),
           "a copy between devices stays inside its buffers");
    copy_peer_rows(to.data() + to_offset, from.data() + from_offset, other,
                   {size * sizeof(T), count, to_stride * sizeof(T), from_stride * sizeof(T)});
  }
  template <class T>
  void zero(const DeviceBuffer<T>& buffer) {
    fill(buffer.data(), 0, buffer.size() * sizeof(T));
  }

  template <class... P>
  void launch(const Kernel<P...>& kernel, const LaunchShape& shape, const std::type_identity_t<P>&... arguments) {
    void* pointers[] = {const_cast<void*>(static_cast<const void*>(&arguments))..., nullptr};
    const std::size_t bytes[] = {sizeof(P)..., 0};
    launch_entry(kernel.entry_, shape, pointers, sizeof...(P), bytes);
  }

  /// Emulated devices only, as DeviceDriver::run_on_host() says.
  void run_on_host(std::function<void()> work, std::vector<HostUse> uses);
  /// The stream as libraries of a device's maker take it: cudaStream_t.
  [[nodiscard]] void* native() const { return held_.get(); }

  void record(const Event& event);
  void wait(const Event& event);  ///< the work that follows begins after the event
  void synchronize();

 private:
  friend class Device;
  explicit Stream(detail::Held held) : held_(std::move(held)) {}
  void copy_bytes(void* to, const void* from, Bytes size, CopyKind kind);
  void copy_peer_rows(void* to, const void* from, int other, const PeerRows& rows);
  void fill(void* memory, unsigned char value, Bytes size);
  void launch_entry(const KernelEntry* entry, const LaunchShape& shape, void** arguments, std::size_t count,
                    const std::size_t* bytes);
  detail::Held held_;
};

class Device {
 public:
  /// "cuda", "cuda:1", "emulated", "emulated:0", "emulated-checked". Errors (code `resources`): no such module in this
  /// installation, no driver, a driver that is too old, no such device; each says what to do.
  [[nodiscard]] static Result<Device> open(std::string_view name);

  [[nodiscard]] const DeviceInfo& info() const;
  [[nodiscard]] Bytes free_memory() const;

  /// Whether kernels of this device may read and write the memory of the other (peers.hpp); arranged by the call. Not of different modules.
  [[nodiscard]] bool reaches(const DeviceInfo& other) const;

  /// `label` names the memory in messages.
  template <class T>
  [[nodiscard]] DeviceBuffer<T> allocate(std::size_t count, std::string_view label = {}) const {
    return {memory(count * sizeof(T), label), count};
  }
  /// At least `count` values that follow themselves: the result has twice as many as there is memory for, and the second half is the
  /// first. What lies in a row modulo size() / 2 can be addressed in one piece. Not all devices have such memory (DeviceInfo::ring_unit).
  template <class T>
  [[nodiscard]] DeviceBuffer<T> ring(std::size_t count, std::string_view label = {}) const {
    const Bytes size = ring_bytes(count * sizeof(T));
    return {ring_memory(size, label), 2 * size / sizeof(T)};
  }
  /// What a ring of so many bytes takes.
  [[nodiscard]] Bytes ring_bytes(Bytes size) const;
  template <class T>
  [[nodiscard]] PinnedBuffer<T> pinned(std::size_t count) const {
    return {pinned_memory(count * sizeof(T)), count};
  }
  /// Copies to and from this memory of the program overlap with kernels, as those of pinned memory, while the result lives; empty
  /// (get() null) where the system refuses. Ends before the memory does.
  [[nodiscard]] detail::Held lock_host(void* memory, Bytes size) const;
  [[nodiscard]] Stream stream() const;
  [[nodiscard]] Event event() const;

  /// The kernel of this name; a kernel that the module lacks or whose parameters have other types is an internal error.
  template <class... P>
  [[nodiscard]] Kernel<P...> kernel(std::string_view name) const {
    return Kernel<P...>(find_kernel(name, typeid(void (*)(P...)).name()));
  }
  template <class... P>
  [[nodiscard]] int blocks_at_once(const Kernel<P...>& kernel, const LaunchShape& shape) const {
    return blocks_of(kernel.entry_, shape);
  }
  /// The same of all multiprocessors together.
  template <class... P>
  [[nodiscard]] int blocks_in_one_wave(const Kernel<P...>& kernel, const LaunchShape& shape) const {
    return blocks_at_once(kernel, shape) * info().multiprocessors;
  }
  template <class... P>
  [[nodiscard]] int clusters_at_once(const Kernel<P...>& kernel, const LaunchShape& shape) const {
    return clusters_of(kernel.entry_, shape);
  }
  /// For kernels that take boxes of this array of the device (box_copies.hpp): an argument, or part of one, of theirs. Devices that have no
  /// clusters (DeviceInfo::cluster) have none of these.
  [[nodiscard]] BoxSource box_source(const BoxedArray& array) const;

 private:
  explicit Device(std::shared_ptr<detail::DeviceHandle> handle) : handle_(std::move(handle)) {}
  [[nodiscard]] detail::Held memory(Bytes size, std::string_view label) const;
  [[nodiscard]] detail::Held ring_memory(Bytes size, std::string_view label) const;
  [[nodiscard]] detail::Held pinned_memory(Bytes size) const;
  [[nodiscard]] const KernelEntry* find_kernel(std::string_view name, std::string_view signature) const;
  [[nodiscard]] int blocks_of(const KernelEntry* entry, const LaunchShape& shape) const;
  [[nodiscard]] int clusters_of(const KernelEntry* entry, const LaunchShape& shape) const;
  std::shared_ptr<detail::DeviceHandle> handle_;
};

}  // namespace conoid

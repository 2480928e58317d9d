// SPDX-License-Identifier: BSD-3-Clause
// What a device module shows to the program: the devices it can drive and the kernels it contains.
//
// A module is a shared library found at run time: libconoid_cuda.so (NVIDIA devices), libconoid_emulated.so (CUDA's model
// run by the processor) and libconoid_emulated_checked.so (the same, with every memory access checked). Each is linked
// from one device driver and from all `.cu` files of the source tree, and exports conoid_device_module(). Programs use
// device.hpp; only the modules and device.cpp include this header.
//
// Errors are Status or Result with code `resources`; no exception crosses the border of a module.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/types.hpp"
#include "engine/team/box_source.hpp"

namespace conoid {

/// Grows whenever a declaration of this file changes: a module of another version is refused with a sentence.
inline constexpr int device_module_version = 7;

/// What one device is.
struct DeviceInfo {
  std::string backend;  ///< "cuda", "emulated"
  int index = 0;        ///< within the backend
  std::string name;
  std::string uuid;    ///< "GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"
  std::string bus;     ///< PCI address "0000:3b:00.0"; empty if there is none
  int numa_node = -1;  ///< of the host's memory that is nearest; -1: unknown
  Bytes memory = 0;
  Bytes free_memory = 0;     ///< when the devices were listed
  double bandwidth = 0;      ///< of the device's memory, bytes a second, by its data sheet; 0: unknown
  int major = 0, minor = 0;  ///< compute capability
  int multiprocessors = 1;
  int copy_engines = 1;
  Bytes shared_per_block = 48 << 10;  ///< the most that a block may ask for
  Bytes l2 = 0;
  int cluster = 1;      ///< blocks that may form a cluster (LaunchShape::cluster); 1: it has none
  Bytes ring_unit = 0;  ///< rings (DeviceDriver::allocate_ring) have multiples of so many bytes; 0: there are none
};

/// How many blocks of how many threads run a kernel, and the dynamic shared memory of each block.
struct LaunchShape {
  std::array<unsigned, 3> grid{1, 1, 1};   ///< blocks along x, y, z
  std::array<unsigned, 3> block{1, 1, 1};  ///< threads of a block along x, y, z
  Bytes shared = 0;                        ///< bytes, dynamic_shared<T>() in the kernel
  bool cooperative = false;                ///< all blocks at once, so that the grid may meet at a barrier
  unsigned cluster =
      1;  ///< blocks along x that run at the same time and reach each other's shared memory; divides grid[0]
};

/// One kernel of a module. `signature` tells the types of its parameters.
struct KernelEntry {
  std::string_view name;
  std::string_view signature;
  const void* function = nullptr;
  void (*invoke)(const void* function, void** arguments) = nullptr;  ///< emulated modules only: runs one thread
};

enum class CopyKind { to_device, to_host, on_device };

/// Pieces of one size that lie at even distances.
struct PeerRows {
  Bytes size = 0;  ///< of a piece
  std::size_t count = 0;
  Bytes to_stride = 0, from_stride = 0;  ///< at least `size`, whole multiples of 16 below 2^31
};

/// How an emulated device behaves. A real one ignores it.
struct EmulatedOptions {
  int devices = 1;
  Bytes memory = Bytes{1} << 30;  ///< of each device
  double bandwidth = 0;           ///< of copies to and from the host, bytes a second; 0: as fast as the host copies
  double slowness = 1;            ///< kernels take this many times longer than they need
  int multiprocessors = 1;        ///< host threads that run the blocks of a kernel
  int fails_after = 0;            ///< copies, fills and kernels until the device is lost; 0: never
};

/// Memory of a device that a function of the host reads or writes (DeviceDriver::run_on_host).
struct HostUse {
  const void* memory = nullptr;
  Bytes size = 0;
  bool read = false, written = false;
};

/// Drives one device. Handles are opaque; calls may come from any thread, but one stream belongs to one thread.
class DeviceDriver {
 public:
  virtual ~DeviceDriver() = default;
  [[nodiscard]] virtual const DeviceInfo& info() const = 0;
  [[nodiscard]] virtual Result<Bytes> free_memory() = 0;
  /// Memory of the device; contents undefined. `label` names it in messages of the checked mode.
  [[nodiscard]] virtual Result<void*> allocate(Bytes size, std::string_view label) = 0;
  /// `size` bytes, a multiple of info().ring_unit, that follow themselves: 2 · size bytes may be addressed, and byte size + i is byte i. Memory
  /// that one operation has written the next one reads at either address.
  [[nodiscard]] virtual Result<void*> allocate_ring(Bytes size, std::string_view label) = 0;
  virtual void release(void* memory) = 0;
  /// Host memory that the device reads and writes directly.
  [[nodiscard]] virtual Result<void*> allocate_pinned(Bytes size) = 0;
  virtual void release_pinned(void* memory) = 0;
  /// Lets copies reach memory that the program has allocated itself as they reach pinned memory, until unlock_host().
  [[nodiscard]] virtual Status lock_host(void*, Bytes) { return {}; }
  virtual void unlock_host(void*) {}

  [[nodiscard]] virtual Result<void*> create_stream() = 0;
  virtual void destroy_stream(void* stream) = 0;
  [[nodiscard]] virtual Status copy(void* stream, void* to, const void* from, Bytes size, CopyKind kind) = 0;
  /// From the memory of device `other` of the same module, or of this one: directly where the two have a way to each other, else through the host. Who
  /// gives it waits for what writes there, and what overwrites it for this.
  [[nodiscard]] virtual Status copy_from_peer(void* stream, void* to, const void* from, int other,
                                              const PeerRows& rows) = 0;
  /// Whether kernels of this device may read and write the memory of device `other` of the same module, which is arranged by the call.
  [[nodiscard]] virtual bool reaches(int other) = 0;
  [[nodiscard]] virtual Status fill(void* stream, void* memory, unsigned char value, Bytes size) = 0;
  [[nodiscard]] virtual Status launch(void* stream, const KernelEntry& kernel, const LaunchShape& shape,
                                      void** arguments, std::size_t argument_count,
                                      const std::size_t* argument_bytes) = 0;
  [[nodiscard]] virtual Status synchronize(void* stream) = 0;

  [[nodiscard]] virtual Result<void*> create_event() = 0;
  virtual void destroy_event(void* event) = 0;
  [[nodiscard]] virtual Status record(void* event, void* stream) = 0;
  [[nodiscard]] virtual Status wait(void* stream, void* event) = 0;
  [[nodiscard]] virtual Status synchronize_event(void* event) = 0;
  [[nodiscard]] virtual Result<bool> reached(void* event) = 0;
  [[nodiscard]] virtual Result<double> seconds_between(void* first, void* second) = 0;

  /// How many blocks of this shape one multiprocessor holds at a time.
  [[nodiscard]] virtual Result<int> blocks_at_once(const KernelEntry& kernel, const LaunchShape& shape) = 0;
  /// How many clusters of this shape the device holds at a time.
  [[nodiscard]] virtual Result<int> clusters_at_once(const KernelEntry& kernel, const LaunchShape& shape) = 0;
  /// For kernels that take boxes of this array; on devices that have clusters.
  [[nodiscard]] virtual Status box_source(const BoxedArray& array, BoxSource& source) = 0;
  /// Emulated devices: `work` in the order of the stream, on its host thread; it stands for a library of the maker of real devices and
  /// touches the device's memory in `uses` only, which the checked mode looks at. Real devices refuse it.
  // NOLINTNEXTLINE(performance-unnecessary-value-param): taken by those that override it
  [[nodiscard]] virtual Status run_on_host(void*, std::function<void()>, std::vector<HostUse>) {
    return make_error(ErrorCode::internal, "a real device runs no function of the host", "");
  }
  /// Checked mode: from now on this memory counts as never written. Elsewhere nothing.
  virtual void expect_written(void*, Bytes) {}
};

class DeviceModule {
 public:
  virtual ~DeviceModule() = default;
  /// The devices at hand. None, no driver and a driver that is too old are errors of code `resources`.
  [[nodiscard]] virtual Result<std::vector<DeviceInfo>> devices() = 0;
  [[nodiscard]] virtual Result<std::unique_ptr<DeviceDriver>> open(int index) = 0;
  [[nodiscard]] virtual std::vector<KernelEntry> kernels() const = 0;
  /// Behaviour of devices opened from now on; true if this module has such settings.
  virtual bool configure(const EmulatedOptions&) { return false; }
};

/// The one symbol of a module; null if the versions differ. The module lives as long as the process.
using DeviceModuleEntry = DeviceModule* (*)(int version);
inline constexpr const char* device_module_symbol = "conoid_device_module";

}  // namespace conoid

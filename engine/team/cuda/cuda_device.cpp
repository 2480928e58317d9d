// SPDX-License-Identifier: BSD-3-Clause
// The driver of NVIDIA devices, and the entry of their module. CUDA's run-time library is linked statically, so the module
// loads without a driver and can say that there is none.
#include <cudaTypedefs.h>
#include <cuda_runtime_api.h>
#include <algorithm>
#include <cstring>

#include <fstream>
#include <map>
#include <mutex>
#include <set>

#include <fmt/core.h>

#include "engine/core/units.hpp"
#include "engine/team/module.hpp"

namespace conoid {

// As kernel.hpp declares it; that header is for nvcc.
namespace kernels {
struct Entry {
  const char* name;
  const char* signature;
  const void* function;
  void (*invoke)(const void* function, void** arguments);
};
std::vector<Entry>& registered();
std::vector<Entry>& registered() {
  static std::vector<Entry> all;
  return all;
}
}  // namespace kernels

namespace {

Error device_error(std::string text, std::string hint = {}) {
  return make_error(ErrorCode::resources, std::move(text), std::move(hint));
}

/// What to do about an error of the run-time library.
std::string hint_for(cudaError_t code) {
  switch (code) {
    case cudaErrorMemoryAllocation: return "Lower compute.memory.device, or give the device less work.";
    case cudaErrorIllegalAddress:
    case cudaErrorMisalignedAddress:
    case cudaErrorLaunchFailure:
      return "A kernel has gone astray. The emulated device says where: --workers emulated-checked on a small case. "
             "The run "
             "continues from its last checkpoint with `conoid resume`.";
    case cudaErrorECCUncorrectable:
    case cudaErrorHardwareStackError:
    case cudaErrorNvlinkUncorrectable:
      return "The device itself reports a fault; `nvidia-smi -q` tells more. `conoid resume` continues on another one.";
    case cudaErrorDevicesUnavailable: return "Another program holds the device exclusively; `nvidia-smi` shows which.";
    case cudaErrorNoKernelImageForDevice: return "The device is older than this build knows (compute capability 8.0).";
    default: return "`conoid resume` continues from the last checkpoint.";
  }
}

std::string describe_version(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

/// A call of the driver itself, as that version has it: asked for, so that the module loads without a driver. Null where it has none.
template <class Call>
void find_driver_call(const char* name, [[maybe_unused]] unsigned version, Call& call) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result{};
#if CUDART_VERSION >= 12050
  const cudaError_t code = cudaGetDriverEntryPointByVersion(name, &found, version, cudaEnableDefault, &result);
#else
  const cudaError_t code = cudaGetDriverEntryPoint(name, &found, cudaEnableDefault, &result);
#endif
  if (code == cudaSuccess && result == cudaDriverEntryPointSuccess)
    call = reinterpret_cast<Call>(found);
  else
    (void)cudaGetLastError();
}

/// Those that map memory.
struct Mapping {
  PFN_cuMemAddressReserve_v10020 reserve = nullptr;
  PFN_cuMemAddressFree_v10020 unreserve = nullptr;
  PFN_cuMemCreate_v10020 create = nullptr;
  PFN_cuMemRelease_v10020 release = nullptr;
  PFN_cuMemMap_v10020 map = nullptr;
  PFN_cuMemUnmap_v10020 unmap = nullptr;
  PFN_cuMemSetAccess_v10020 allow = nullptr;
  PFN_cuMemGetAllocationGranularity_v10020 granularity = nullptr;

  [[nodiscard]] static const Mapping& calls() {
    static const Mapping found = [] {
      Mapping m;
      find_driver_call("cuMemAddressReserve", 10020, m.reserve);
      find_driver_call("cuMemAddressFree", 10020, m.unreserve);
      find_driver_call("cuMemCreate", 10020, m.create);
      find_driver_call("cuMemRelease", 10020, m.release);
      find_driver_call("cuMemMap", 10020, m.map);
      find_driver_call("cuMemUnmap", 10020, m.unmap);
      find_driver_call("cuMemSetAccess", 10020, m.allow);
      find_driver_call("cuMemGetAllocationGranularity", 10020, m.granularity);
      return m;
    }();
    return found;
  }
  [[nodiscard]] bool complete() const {
    return reserve && unreserve && create && release && map && unmap && allow && granularity;
  }
  [[nodiscard]] static CUmemAllocationProp of_device(int index) {
    CUmemAllocationProp p{};
    p.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    p.location = {CU_MEM_LOCATION_TYPE_DEVICE, index};
    return p;
  }
};

class CudaDevice final : public DeviceDriver {
 public:
  explicit CudaDevice(DeviceInfo info) : info_(std::move(info)) {}
  ~CudaDevice() override = default;

  [[nodiscard]] const DeviceInfo& info() const override { return info_; }

  [[nodiscard]] Result<Bytes> free_memory() override {
    select();
    std::size_t free = 0, total = 0;
    if (auto bad = failed(cudaMemGetInfo(&free, &total), "ask for its free memory")) return *bad;
    return Bytes{free};
  }
  [[nodiscard]] Result<void*> allocate(Bytes size, std::string_view label) override {
    select();
    void* memory = nullptr;
    select();
    const cudaError_t code = cudaMalloc(&memory, std::max<Bytes>(size, 1));
    if (code == cudaErrorMemoryAllocation) {
      (void)cudaGetLastError();  // no lasting error: the device goes on
      return no_memory(size, label);
    }
    if (auto bad = failed(code, "allocate memory")) return *bad;
    return memory;
  }
  [[nodiscard]] Result<void*> allocate_ring(Bytes size, std::string_view label) override {
    select();
    const Mapping& calls = Mapping::calls();
    const CUmemAllocationProp kind = Mapping::of_device(info_.index);
    CUmemGenericAllocationHandle handle{};
    CUdeviceptr begin = 0;
    std::size_t mapped = 0;
    CUresult code = calls.create(&handle, size, &kind, 0);
    if (code == CUDA_ERROR_OUT_OF_MEMORY) return no_memory(size, label);
    const bool created = code == CUDA_SUCCESS;
    if (created) code = calls.reserve(&begin, 2 * size, 0, 0, 0);
    for (; code == CUDA_SUCCESS && mapped < 2 * size; mapped += size)
      if (code = calls.map(begin + mapped, size, 0, handle, 0); code != CUDA_SUCCESS) break;
    CUmemAccessDesc access{};
    access.location = kind.location;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    if (code == CUDA_SUCCESS) code = calls.allow(begin, 2 * size, &access, 1);
    if (created) (void)calls.release(handle);  // the mappings keep it
    if (code == CUDA_SUCCESS) {
      std::lock_guard lock(rings_mutex_);
      rings_[begin] = size;
      return reinterpret_cast<void*>(begin);
    }
    if (mapped > 0) (void)calls.unmap(begin, mapped);
    if (begin != 0) (void)calls.unreserve(begin, 2 * size);
    return device_error(
        fmt::format("{} cannot map {} ('{}') twice: error {} of its driver", text_of_device(), format_bytes(size),
                    label, static_cast<int>(code)),
        "Update the driver, use a grid that fits in the device's memory, or compute with --workers cpu.");
  }
  void release(void* memory) override {
    select();
    const auto begin = reinterpret_cast<CUdeviceptr>(memory);
    Bytes size = 0;
    {
      std::lock_guard lock(rings_mutex_);
      if (const auto ring = rings_.find(begin); ring != rings_.end()) {
        size = ring->second;
        rings_.erase(ring);
      }
    }
    if (size == 0) {
      (void)cudaFree(memory);
      return;
    }
    (void)cudaDeviceSynchronize();  // as cudaFree does: nothing under way may still use it
    (void)Mapping::calls().unmap(begin, 2 * size);
    (void)Mapping::calls().unreserve(begin, 2 * size);
  }
  [[nodiscard]] Result<void*> allocate_pinned(Bytes size) override {
    select();
    void* memory = nullptr;
    if (auto bad = failed(cudaHostAlloc(&memory, std::max<Bytes>(size, 1), cudaHostAllocPortable),
                          fmt::format("allocate {} of pinned host memory", format_bytes(size))))
      return *bad;
    return memory;
  }
  void release_pinned(void* memory) override {
    select();
    (void)cudaFreeHost(memory);
  }
  [[nodiscard]] Status lock_host(void* memory, Bytes size) override {
    select();
    if (auto bad = failed(cudaHostRegister(memory, size, cudaHostRegisterPortable),
                          fmt::format("lock {} of host memory", format_bytes(size))))
      return *bad;
    return {};
  }
  void unlock_host(void* memory) override {
    select();
    (void)cudaHostUnregister(memory);
  }

  [[nodiscard]] Result<void*> create_stream() override {
    select();
    cudaStream_t stream = nullptr;
    if (auto bad = failed(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "create a stream")) return *bad;
    return static_cast<void*>(stream);
  }
  void destroy_stream(void* stream) override {
    select();
    (void)cudaStreamSynchronize(static_cast<cudaStream_t>(stream));
    (void)cudaStreamDestroy(static_cast<cudaStream_t>(stream));
  }
  [[nodiscard]] Status copy(void* stream, void* to, const void* from, Bytes size, CopyKind kind) override {
    select();
    const cudaMemcpyKind k = kind == CopyKind::to_device ? cudaMemcpyHostToDevice
                             : kind == CopyKind::to_host ? cudaMemcpyDeviceToHost
                                                         : cudaMemcpyDeviceToDevice;
    return status(cudaMemcpyAsync(to, from, size, k, static_cast<cudaStream_t>(stream)), "copy");
  }
  [[nodiscard]] bool reaches(int other) override {
    select();
    if (other == info_.index) return true;
    const std::lock_guard lock(mutex_);
    const auto known = reached_.find(other);
    if (known != reached_.end()) return known->second;
    int direct = 0;
    bool way = cudaDeviceCanAccessPeer(&direct, info_.index, other) == cudaSuccess && direct != 0;
    if (way) {
      const cudaError_t code = cudaDeviceEnablePeerAccess(other, 0);
      way = code == cudaSuccess || code == cudaErrorPeerAccessAlreadyEnabled;  // by another driver of the device
    }
    (void)cudaGetLastError();
    return reached_[other] = way;
  }
  [[nodiscard]] Status copy_from_peer(void* stream, void* to, const void* from, int other,
                                      const PeerRows& rows) override {
    select();
    (void)reaches(other);  // without it copies go through the host
    // One piece: the plain copy finds its way by the addresses and starts 34 µs earlier (two H200 at 850 kB).
    if (rows.count == 1 || (rows.from_stride == rows.size && rows.to_stride == rows.size))
      return status(
          cudaMemcpyAsync(to, from, rows.size * rows.count, cudaMemcpyDefault, static_cast<cudaStream_t>(stream)),
          "copy from another device");
    cudaMemcpy3DPeerParms p{};
    p.srcDevice = other;
    p.dstDevice = info_.index;
    p.srcPtr = cudaPitchedPtr{const_cast<void*>(from), rows.from_stride, rows.size, rows.count};
    p.dstPtr = cudaPitchedPtr{to, rows.to_stride, rows.size, rows.count};
    p.extent = cudaExtent{rows.size, rows.count, 1};
    return status(cudaMemcpy3DPeerAsync(&p, static_cast<cudaStream_t>(stream)), "copy from another device");
  }
  [[nodiscard]] Status fill(void* stream, void* memory, unsigned char value, Bytes size) override {
    select();
    return status(cudaMemsetAsync(memory, value, size, static_cast<cudaStream_t>(stream)), "fill memory");
  }

  [[nodiscard]] Status launch(void* stream, const KernelEntry& kernel, const LaunchShape& shape, void** arguments,
                              std::size_t, const std::size_t*) override {
    select();
    if (auto bad = allow_shared(kernel, shape)) return *bad;
    cudaLaunchAttribute attributes[2]{};
    cudaLaunchConfig_t config = configured(shape, attributes);
    config.stream = static_cast<cudaStream_t>(stream);
    return status(cudaLaunchKernelExC(&config, kernel.function, arguments),
                  fmt::format("launch kernel '{}'", kernel.name));
  }
  [[nodiscard]] Status synchronize(void* stream) override {
    select();
    return status(cudaStreamSynchronize(static_cast<cudaStream_t>(stream)), "finish the work of a stream");
  }

  [[nodiscard]] Result<void*> create_event() override {
    select();
    cudaEvent_t event = nullptr;
    if (auto bad = failed(cudaEventCreate(&event), "create an event")) return *bad;
    return static_cast<void*>(event);
  }
  void destroy_event(void* event) override {
    select();
    (void)cudaEventDestroy(static_cast<cudaEvent_t>(event));
  }
  [[nodiscard]] Status record(void* event, void* stream) override {
    select();
    return status(cudaEventRecord(static_cast<cudaEvent_t>(event), static_cast<cudaStream_t>(stream)),
                  "record an event");
  }
  [[nodiscard]] Status wait(void* stream, void* event) override {
    select();
    return status(cudaStreamWaitEvent(static_cast<cudaStream_t>(stream), static_cast<cudaEvent_t>(event), 0),
                  "wait for an event");
  }
  [[nodiscard]] Status synchronize_event(void* event) override {
    select();
    return status(cudaEventSynchronize(static_cast<cudaEvent_t>(event)), "wait for an event");
  }
  [[nodiscard]] Result<bool> reached(void* event) override {
    select();
    const cudaError_t code = cudaEventQuery(static_cast<cudaEvent_t>(event));
    if (code == cudaErrorNotReady) return false;
    if (auto bad = failed(code, "look at an event")) return *bad;
    return true;
  }
  [[nodiscard]] Result<double> seconds_between(void* first, void* second) override {
    select();
    float milliseconds = 0;
    if (auto bad = failed(
            cudaEventElapsedTime(&milliseconds, static_cast<cudaEvent_t>(first), static_cast<cudaEvent_t>(second)),
            "read the time between events"))
      return *bad;
    return 1e-3 * static_cast<double>(milliseconds);
  }
  [[nodiscard]] Result<int> blocks_at_once(const KernelEntry& kernel, const LaunchShape& shape) override {
    select();
    if (auto bad = allow_shared(kernel, shape)) return *bad;
    int blocks = 0;
    const auto threads = static_cast<int>(shape.block[0] * shape.block[1] * shape.block[2]);
    if (auto bad =
            failed(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel.function, threads, shape.shared),
                   fmt::format("size kernel '{}'", kernel.name)))
      return *bad;
    return blocks;
  }
  [[nodiscard]] Result<int> clusters_at_once(const KernelEntry& kernel, const LaunchShape& shape) override {
    select();
    if (auto bad = allow_shared(kernel, shape)) return *bad;
    cudaLaunchAttribute attributes[2]{};
    const cudaLaunchConfig_t config = configured(shape, attributes);
    int clusters = 0;
    if (auto bad = failed(cudaOccupancyMaxActiveClusters(&clusters, kernel.function, &config),
                          fmt::format("size clusters of kernel '{}'", kernel.name)))
      return *bad;
    return clusters;
  }
  [[nodiscard]] Status box_source(const BoxedArray& array, BoxSource& source) override {
    static const auto encode = [] {
      PFN_cuTensorMapEncodeTiled_v12000 call = nullptr;
      find_driver_call("cuTensorMapEncodeTiled", 12000, call);
      return call;
    }();
    static_assert(sizeof(CUtensorMap) == sizeof(BoxSource) && alignof(CUtensorMap) <= alignof(BoxSource));
    const auto count = [](long long n) { return static_cast<cuuint64_t>(n); };
    const cuuint64_t size[3] = {count(array.size[0]), count(array.size[1]), count(array.size[2])};
    const cuuint64_t pitch[2] = {4 * count(array.row_stride), 4 * count(array.plane_stride)};
    const cuuint32_t box[3] = {static_cast<cuuint32_t>(array.values), static_cast<cuuint32_t>(array.rows), 1},
                     steps[3] = {1, 1, 1};
    CUtensorMap map;
    if (encode == nullptr || encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 3, const_cast<float*>(array.first), size,
                                    pitch, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                    CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
      return make_error(ErrorCode::resources,
                        fmt::format("the driver of {} cannot copy boxes of {} x {} x {} values", text_of_device(),
                                    size[0], size[1], size[2]),
                        "Install a newer NVIDIA driver (12.0 or later), or compute with --workers cpu.");
    std::memcpy(source.bytes, &map, sizeof map);
    return {};
  }

 private:
  static cudaLaunchConfig_t configured(const LaunchShape& shape, cudaLaunchAttribute (&attributes)[2]) {
    cudaLaunchConfig_t config{};
    config.gridDim = {shape.grid[0], shape.grid[1], shape.grid[2]};
    config.blockDim = {shape.block[0], shape.block[1], shape.block[2]};
    config.dynamicSmemBytes = shape.shared;
    config.attrs = attributes;
    if (shape.cooperative) {
      attributes[config.numAttrs].id = cudaLaunchAttributeCooperative;
      attributes[config.numAttrs++].val.cooperative = 1;
    }
    if (shape.cluster > 1) {
      attributes[config.numAttrs].id = cudaLaunchAttributeClusterDimension;
      attributes[config.numAttrs++].val.clusterDim = {shape.cluster, 1, 1};
    }
    return config;
  }
  // Calls come from any host thread, and each has a current device of its own.
  void select() const { (void)cudaSetDevice(info_.index); }
  [[nodiscard]] std::string text_of_device() const { return fmt::format("cuda:{} ({})", info_.index, info_.name); }

  [[nodiscard]] std::optional<Error> failed(cudaError_t code, std::string_view what) const {
    if (code == cudaSuccess) return std::nullopt;
    (void)cudaGetLastError();
    return device_error(
        fmt::format("{} cannot {}: {} ({})", text_of_device(), what, cudaGetErrorString(code), cudaGetErrorName(code)),
        hint_for(code));
  }
  [[nodiscard]] Status status(cudaError_t code, std::string_view what) const {
    if (auto bad = failed(code, what)) return *bad;
    return {};
  }

  /// More than 48 KiB of dynamic shared memory must be asked for, once a kernel.
  std::optional<Error> allow_shared(const KernelEntry& kernel, const LaunchShape& shape) {
    if (shape.shared <= 48U << 10) return std::nullopt;
    std::lock_guard lock(mutex_);
    if (!allowed_.insert(kernel.function).second) return std::nullopt;
    // A block's limit holds for both: what the kernel declares itself is not there to be asked for.
    cudaFuncAttributes own{};
    if (auto bad =
            failed(cudaFuncGetAttributes(&own, kernel.function), fmt::format("look at kernel '{}'", kernel.name)))
      return bad;
    const Bytes most = info_.shared_per_block - std::min<Bytes>(info_.shared_per_block, own.sharedSizeBytes);
    return failed(
        cudaFuncSetAttribute(kernel.function, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(most)),
        fmt::format("give kernel '{}' {} bytes of shared memory a block", kernel.name, most));
  }

  [[nodiscard]] Error no_memory(Bytes size, std::string_view label) const {
    std::size_t free = 0, total = 0;
    (void)cudaMemGetInfo(&free, &total);
    return device_error(fmt::format("{}: no memory for {} ('{}'): {} of {} are free", text_of_device(),
                                    format_bytes(size), label, format_bytes(free), format_bytes(total)),
                        hint_for(cudaErrorMemoryAllocation));
  }

  DeviceInfo info_;
  std::mutex rings_mutex_;
  std::map<CUdeviceptr, Bytes> rings_;  ///< their sizes
  std::mutex mutex_;
  std::set<const void*> allowed_;
  std::map<int, bool> reached_;  ///< devices to which a direct way has been asked for
};

DeviceInfo describe(int index) {
  DeviceInfo d;
  d.backend = "cuda";
  d.index = index;
  cudaDeviceProp p{};
  if (cudaGetDeviceProperties(&p, index) != cudaSuccess) return d;
  d.name = p.name;
  const auto* const u = reinterpret_cast<const unsigned char*>(p.uuid.bytes);
  d.uuid = "GPU-";
  for (int k = 0; k < 16; ++k) {
    if (k == 4 || k == 6 || k == 8 || k == 10) d.uuid += '-';
    d.uuid += fmt::format("{:02x}", u[k]);
  }
  d.bus = fmt::format("{:04x}:{:02x}:{:02x}.0", p.pciDomainID, p.pciBusID, p.pciDeviceID);
  std::ifstream("/sys/bus/pci/devices/" + d.bus + "/numa_node") >> d.numa_node;
  d.memory = d.free_memory = p.totalGlobalMem;
  int kilohertz = 0;
  (void)cudaDeviceGetAttribute(&kilohertz, cudaDevAttrMemoryClockRate, index);
  d.bandwidth = 2.0 * 1e3 * kilohertz * p.memoryBusWidth / 8;  // two transfers a clock
  d.major = p.major;
  d.minor = p.minor;
  d.multiprocessors = p.multiProcessorCount;
  d.copy_engines = p.asyncEngineCount;
  d.shared_per_block = p.sharedMemPerBlockOptin;
  if (p.major >= 9) d.cluster = 8;  // what every such device takes
  d.l2 = static_cast<Bytes>(p.l2CacheSize);
  std::size_t unit = 0;
  const CUmemAllocationProp kind = Mapping::of_device(index);
  if (Mapping::calls().complete() &&
      Mapping::calls().granularity(&unit, &kind, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED) == CUDA_SUCCESS)
    d.ring_unit = unit;
  return d;
}

class CudaModule final : public DeviceModule {
 public:
  [[nodiscard]] Result<std::vector<DeviceInfo>> devices() override {
    int driver = 0, runtime = 0, count = 0;
    (void)cudaRuntimeGetVersion(&runtime);
    if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0)
      return device_error(
          "there is no NVIDIA driver on this machine",
          "Install the driver of your GPU (`nvidia-smi` shows whether it works), or compute with --workers cpu.");
    // Drivers of one major version run programs of any of its minor versions.
    if (driver / 1000 < runtime / 1000)
      return device_error(fmt::format("the NVIDIA driver is too old: it supports CUDA {}, this program needs {}.0",
                                      describe_version(driver), runtime / 1000),
                          "Update the driver, or compute with --workers cpu.");
    const cudaError_t code = cudaGetDeviceCount(&count);
    if (code == cudaErrorNoDevice || (code == cudaSuccess && count == 0)) {
      (void)cudaGetLastError();
      return device_error(
          "the NVIDIA driver works, but shows no device",
          "CUDA_VISIBLE_DEVICES, a container or a batch system may hide it; `nvidia-smi` lists what the driver sees.");
    }
    if (code != cudaSuccess) {
      (void)cudaGetLastError();
      return device_error(fmt::format("the NVIDIA driver does not start: {}", cudaGetErrorString(code)),
                          "`nvidia-smi` tells more; compute with --workers cpu meanwhile.");
    }
    std::vector<DeviceInfo> out;
    for (int k = 0; k < count; ++k) {
      DeviceInfo d = describe(k);
      if (d.major >= 8) out.push_back(std::move(d));
    }
    if (out.empty())
      return device_error("the devices here are older than compute capability 8.0", "Compute with --workers cpu.");
    return out;
  }

  [[nodiscard]] Result<std::unique_ptr<DeviceDriver>> open(int index) override {
    auto found = devices();
    if (!found) return found.error();
    if (index < 0 || index >= static_cast<int>(found->size()))
      return device_error(fmt::format("there is no device cuda:{}", index), "`conoid devices` lists what is here.");
    DeviceInfo info = (*found)[static_cast<std::size_t>(index)];
    // The first call that needs the device makes its context; better now than in the middle of a run.
    cudaError_t code = cudaSetDevice(info.index);
    std::size_t free = 0, total = 0;
    if (code == cudaSuccess) code = cudaMemGetInfo(&free, &total);
    if (code != cudaSuccess) {
      (void)cudaGetLastError();
      return device_error(
          fmt::format("cuda:{} ({}) cannot be used: {}", info.index, info.name, cudaGetErrorString(code)),
          hint_for(code));
    }
    info.free_memory = free;
    return std::unique_ptr<DeviceDriver>(std::make_unique<CudaDevice>(std::move(info)));
  }

  [[nodiscard]] std::vector<KernelEntry> kernels() const override {
    std::vector<KernelEntry> out;
    for (const auto& k : kernels::registered()) out.push_back({k.name, k.signature, k.function, nullptr});
    return out;
  }
};

}  // namespace
}  // namespace conoid

extern "C" __attribute__((visibility("default"))) conoid::DeviceModule* conoid_device_module(int version) {
  if (version != conoid::device_module_version) return nullptr;
  static auto* const module = new conoid::CudaModule;  // never destroyed: the driver outlives static objects unreliably
  return module;
}

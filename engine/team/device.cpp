// SPDX-License-Identifier: BSD-3-Clause
// Finds the modules, opens their devices, and turns their errors into Failure.
#include "engine/team/device.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>

#include <fmt/core.h>

#include "conoid/config.hpp"
#include "engine/core/resources.hpp"
#include "engine/core/units.hpp"

namespace conoid {
namespace {

std::vector<std::filesystem::path> module_folders() {
  std::vector<std::filesystem::path> out;
  if (const char* folder = std::getenv("CONOID_MODULES"); folder != nullptr && *folder != '\0')
    out.emplace_back(folder);
  const auto programs = program_folder();
  out.push_back(programs / ".." / "lib" / "conoid");
  out.push_back(programs / ".." / "lib");
  return out;
}

struct Backend {
  std::string library;
  bool built = false;
  std::string package;  ///< what to do where it is missing
};

const std::map<std::string, Backend, std::less<>>& backends() {
  static const std::map<std::string, Backend, std::less<>> all = {
      {"cuda",
       {"libconoid_cuda.so", CONOID_HAVE_CUDA != 0,
        "Install a build made with the preset `cuda` (CMake option CONOID_WITH_CUDA=ON), or compute with --workers "
        "cpu."}},
      {"emulated",
       {"libconoid_emulated.so", CONOID_HAVE_EMULATED != 0,
        "Build with CONOID_WITH_EMULATED=ON, or compute with --workers cpu."}},
      {"emulated-checked",
       {"libconoid_emulated_checked.so", CONOID_HAVE_EMULATED_CHECKED != 0,
        "Build with CONOID_WITH_EMULATED=ON and without sanitizers, or use `emulated`."}},
  };
  return all;
}

EmulatedOptions options_from_environment() {
  const char* text = std::getenv("CONOID_EMULATED");
  if (text == nullptr || *text == '\0') return {};
  auto parsed = parse_emulated_options(text);
  if (!parsed) throw Failure(parsed.error());
  return *parsed;
}

/// Modules stay loaded until the process ends: kernels and devices may be in use anywhere.
class Modules {
 public:
  Result<DeviceModule*> get(std::string_view name) {
    std::lock_guard lock(mutex_);
    const auto backend = backends().find(name);
    if (backend == backends().end())
      return make_error(ErrorCode::invalid_input, fmt::format("there is no kind of device '{}'", name),
                        "Use cuda, cuda:<number>, emulated or emulated-checked.");
    if (const auto at = loaded_.find(name); at != loaded_.end()) return at->second;
    auto made = load(backend->second, name);
    if (!made) return made.error();
    try {
      if (!options_) options_ = options_from_environment();
    } catch (const Failure& failure) {
      return failure.error();
    }
    (*made)->configure(*options_);
    loaded_[std::string(name)] = *made;
    return *made;
  }
  void configure(const EmulatedOptions& options) {
    std::lock_guard lock(mutex_);
    options_ = options;
    for (auto& [name, module] : loaded_) module->configure(options);
  }

 private:
  static Result<DeviceModule*> load(const Backend& backend, std::string_view name) {
    for (const auto& folder : module_folders()) {
      const auto path = folder / backend.library;
      std::error_code ignored;
      if (!std::filesystem::exists(path, ignored)) continue;
      void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (library == nullptr)
        return make_error(ErrorCode::resources,
                          fmt::format("the module for {} devices cannot be loaded: {}", name, dlerror()),
                          "Is it of another version or processor than this program? " + backend.package);
      const auto entry = reinterpret_cast<DeviceModuleEntry>(dlsym(library, device_module_symbol));
      DeviceModule* const module = entry != nullptr ? entry(device_module_version) : nullptr;
      if (module == nullptr)
        return make_error(ErrorCode::resources, fmt::format("{} belongs to another version of Conoid", path.string()),
                          "Install program and module from the same build.");
      return module;
    }
    return make_error(ErrorCode::resources,
                      backend.built
                          ? fmt::format("the module for {} devices ({}) is not where it should be, in {}", name,
                                        backend.library, module_folders().back().lexically_normal().string())
                          : fmt::format("this installation has no module for {} devices", name),
                      backend.package);
  }
  std::mutex mutex_;
  std::map<std::string, DeviceModule*, std::less<>> loaded_;
  std::optional<EmulatedOptions> options_;
};

Modules& modules() {
  static auto* const all = new Modules;
  return *all;
}

template <class T>
T valued(Result<T> result) {
  if (!result) throw Failure(result.error());
  return std::move(result).value();
}

}  // namespace

namespace detail {
struct DeviceHandle {
  DeviceModule* module = nullptr;
  std::unique_ptr<DeviceDriver> driver;
  std::vector<KernelEntry> kernels;  ///< sorted by name
};

Held::Held(std::shared_ptr<DeviceHandle> device, void* thing, Release release)
    : device_(std::move(device)), thing_(thing), release_(release) {}
Held::Held(Held&& other) noexcept
    : device_(std::move(other.device_)), thing_(std::exchange(other.thing_, nullptr)), release_(other.release_) {}
Held& Held::operator=(Held&& other) noexcept {
  std::swap(device_, other.device_);
  std::swap(thing_, other.thing_);
  std::swap(release_, other.release_);
  return *this;
}
Held::~Held() {
  if (thing_ != nullptr) (device_->driver.get()->*release_)(thing_);
}
DeviceDriver& Held::driver() const {
  verify(device_ != nullptr, "an empty buffer, stream or event is not used");
  return *device_->driver;
}
}  // namespace detail

Result<EmulatedOptions> parse_emulated_options(std::string_view text) {
  EmulatedOptions out;
  auto bad = [&](std::string_view what, std::string_view wanted) {
    return make_error(ErrorCode::command_line, fmt::format("CONOID_EMULATED: '{}' is not {}", what, wanted),
                      "Write for example memory=64MiB,bandwidth=2GB/s,slowness=3,multiprocessors=2,devices=2.");
  };
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    const std::string_view one = text.substr(begin, comma - begin);
    begin = comma + 1;
    if (one.empty()) continue;
    const std::size_t equals = std::min(one.find('='), one.size() - 1);
    const std::string_view key = one.substr(0, equals);
    std::string_view value = one.substr(equals + 1);
    if (key == "memory" || key == "bandwidth") {
      if (key == "bandwidth" && value.ends_with("/s")) value.remove_suffix(2);
      const auto bytes = parse_bytes(value);
      if (!bytes || *bytes == 0) return bad(value, "a number of bytes");
      if (key == "memory")
        out.memory = *bytes;
      else
        out.bandwidth = static_cast<double>(*bytes);
      continue;
    }
    double number = 0;
    const auto [rest, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    const bool is_number = error == std::errc{} && rest == value.data() + value.size();
    if (key == "slowness") {
      if (!is_number || !(number >= 1) || number > 1e6) return bad(value, "a slowness of 1 or more");
      out.slowness = number;
    } else if (key == "fails_after") {
      if (!is_number || !(number >= 1) || number > 1e9 || number != static_cast<int>(number))
        return bad(value, "a whole number from 1 to 10^9");
      out.fails_after = static_cast<int>(number);
    } else if (key == "devices" || key == "multiprocessors") {
      if (!is_number || !(number >= 1) || number > 256 || number != static_cast<int>(number))
        return bad(value, "a whole number from 1 to 256");
      (key == "devices" ? out.devices : out.multiprocessors) = static_cast<int>(number);
    } else {
      return bad(key, "memory, bandwidth, slowness, multiprocessors, devices or fails_after");
    }
  }
  return out;
}

void configure_emulated(const EmulatedOptions& options) {
  modules().configure(options);
}

Result<std::vector<DeviceInfo>> find_devices(std::string_view backend) {
  auto module = modules().get(backend);
  if (!module) return module.error();
  return (*module)->devices();
}

std::vector<DeviceList> list_devices() {
  std::vector<DeviceList> out;
  for (const char* name : {"cuda", "emulated"}) {
    if (std::string_view(name) == "emulated" && !backends().at(name).built) continue;
    DeviceList list;
    list.backend = name;
    auto found = find_devices(name);
    if (found) {
      list.devices = std::move(*found);
    } else {
      list.absent = found.error().text;
      list.hint = found.error().hint;
    }
    out.push_back(std::move(list));
  }
  return out;
}

Result<Device> Device::open(std::string_view name) {
  const std::string_view backend = name.substr(0, name.find(':'));
  int index = 0;
  if (backend.size() < name.size()) {
    const std::string_view digits = name.substr(backend.size() + 1);
    const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
    if (error != std::errc{} || rest != digits.data() + digits.size() || index < 0)
      return make_error(ErrorCode::invalid_input, fmt::format("'{}': '{}' is not the number of a device", name, digits),
                        fmt::format("Write for example {}:0.", backend));
  }
  auto module = modules().get(backend);
  if (!module) return module.error();
  auto found = (*module)->devices();
  if (!found) return found.error();
  if (index >= static_cast<int>(found->size()))
    return make_error(ErrorCode::resources,
                      fmt::format("there is no device {}:{}: this machine has {}", backend, index, found->size()),
                      "`conoid devices` lists what is here.");
  auto driver = (*module)->open(index);
  if (!driver) return driver.error();
  auto handle = std::make_shared<detail::DeviceHandle>();
  handle->module = *module;
  handle->driver = std::move(*driver);
  handle->kernels = (*module)->kernels();
  std::sort(handle->kernels.begin(), handle->kernels.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return Device(std::move(handle));
}

const DeviceInfo& Device::info() const {
  return handle_->driver->info();
}
Bytes Device::free_memory() const {
  return valued(handle_->driver->free_memory());
}
detail::Held Device::memory(Bytes size, std::string_view label) const {
  return {handle_, valued(handle_->driver->allocate(size, label)), &DeviceDriver::release};
}
Bytes Device::ring_bytes(Bytes size) const {
  const Bytes unit = std::max<Bytes>(info().ring_unit, 1);
  return (std::max<Bytes>(size, 1) + unit - 1) / unit * unit;
}
detail::Held Device::ring_memory(Bytes size, std::string_view label) const {
  if (info().ring_unit == 0)
    throw Failure(make_error(ErrorCode::resources,
                             fmt::format("{} cannot map memory twice, which streaming through it needs", info().name),
                             "Use a grid that fits in its memory, or compute with --workers cpu."));
  return {handle_, valued(handle_->driver->allocate_ring(size, label)), &DeviceDriver::release};
}
detail::Held Device::pinned_memory(Bytes size) const {
  return {handle_, valued(handle_->driver->allocate_pinned(size)), &DeviceDriver::release_pinned};
}
detail::Held Device::lock_host(void* memory, Bytes size) const {
  if (!handle_->driver->lock_host(memory, size).ok()) return {};
  return {handle_, memory, &DeviceDriver::unlock_host};
}
Stream Device::stream() const {
  return Stream({handle_, valued(handle_->driver->create_stream()), &DeviceDriver::destroy_stream});
}
Event Device::event() const {
  return Event({handle_, valued(handle_->driver->create_event()), &DeviceDriver::destroy_event});
}

const KernelEntry* Device::find_kernel(std::string_view name, std::string_view signature) const {
  const auto at = std::lower_bound(handle_->kernels.begin(), handle_->kernels.end(), name,
                                   [](const KernelEntry& k, std::string_view n) { return k.name < n; });
  if (at == handle_->kernels.end() || at->name != name)
    throw Failure(make_error(ErrorCode::internal,
                             fmt::format("the module for {} devices has no kernel '{}'", info().backend, name)));
  if (at->signature != signature)
    throw Failure(
        make_error(ErrorCode::internal, fmt::format("kernel '{}' takes {}, not {}", name, at->signature, signature)));
  return &*at;
}
int Device::blocks_of(const KernelEntry* entry, const LaunchShape& shape) const {
  verify(entry != nullptr, "a kernel is looked up before it is used");
  return valued(handle_->driver->blocks_at_once(*entry, shape));
}
int Device::clusters_of(const KernelEntry* entry, const LaunchShape& shape) const {
  verify(entry != nullptr, "a kernel is looked up before it is used");
  return valued(handle_->driver->clusters_at_once(*entry, shape));
}

bool Device::reaches(const DeviceInfo& other) const {
  return other.backend == info().backend && handle_->driver->reaches(other.index);
}

BoxSource Device::box_source(const BoxedArray& array) const {
  BoxSource source;
  handle_->driver->box_source(array, source).or_throw();
  return source;
}

void Event::synchronize() const {
  held_.driver().synchronize_event(held_.get()).or_throw();
}
bool Event::reached() const {
  return valued(held_.driver().reached(held_.get()));
}
double Event::seconds_since(const Event& earlier) const {
  return valued(held_.driver().seconds_between(earlier.held_.get(), held_.get()));
}

void Stream::record(const Event& event) {
  held_.driver().record(event.held_.get(), held_.get()).or_throw();
}
void Stream::wait(const Event& event) {
  held_.driver().wait(held_.get(), event.held_.get()).or_throw();
}
void Stream::synchronize() {
  held_.driver().synchronize(held_.get()).or_throw();
}
void Stream::run_on_host(std::function<void()> work, std::vector<HostUse> uses) {
  held_.driver().run_on_host(held_.get(), std::move(work), std::move(uses)).or_throw();
}
void Stream::copy_bytes(void* to, const void* from, Bytes size, CopyKind kind) {
  if (size > 0) held_.driver().copy(held_.get(), to, from, size, kind).or_throw();
}
void Stream::copy_peer_rows(void* to, const void* from, int other, const PeerRows& rows) {
  held_.driver().copy_from_peer(held_.get(), to, from, other, rows).or_throw();
}
void Stream::fill(void* memory, unsigned char value, Bytes size) {
  if (size > 0) held_.driver().fill(held_.get(), memory, value, size).or_throw();
}
void Stream::launch_entry(const KernelEntry* entry, const LaunchShape& shape, void** arguments, std::size_t count,
                          const std::size_t* bytes) {
  verify(entry != nullptr, "a kernel is looked up before it is launched");
  held_.driver().launch(held_.get(), *entry, shape, arguments, count, bytes).or_throw();
}

}  // namespace conoid

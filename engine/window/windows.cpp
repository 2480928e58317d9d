// SPDX-License-Identifier: BSD-3-Clause
// The public face of a level, and memory of the host.
#include "engine/window/windows.hpp"

#include "engine/window/level.hpp"

#include <sys/mman.h>

namespace conoid {
namespace {

class HostMemory final : public WindowMemory {
 public:
  void* allocate(Bytes bytes) override {
    void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return nullptr;
#ifdef MADV_HUGEPAGE
    ::madvise(memory, bytes,
              MADV_HUGEPAGE);  // 10 KB pieces cost fewer page walks; refused where there are none
#endif
    return memory;
  }
  void release(void* memory, Bytes bytes) noexcept override {
    ::munmap(memory, bytes);
  }
};

}  // namespace

std::shared_ptr<WindowMemory> host_memory() {
  return std::make_shared<HostMemory>();
}

Lease& Lease::operator=(Lease&& other) noexcept {
  if (this != &other) {
    release();
    level_ = std::exchange(other.level_, nullptr);
    holder_ = other.holder_;
    memory_ = other.memory_;
    window_ = other.window_;
    access_ = other.access_;
  }
  return *this;
}

void Lease::release() {
  if (level_ != nullptr) std::exchange(level_, nullptr)->release(holder_, window_, access_);
}

std::span<std::byte> Lease::writable() const {
  verify(level_ != nullptr && access_ != Access::read, "only a lease for writing gives memory to write to");
  return memory_;
}

Tour& Tour::operator=(Tour&& other) noexcept {
  if (this != &other) {
    if (level_ != nullptr) level_->withdraw(id_);
    level_ = std::exchange(other.level_, nullptr);
    id_ = other.id_;
  }
  return *this;
}

Tour::~Tour() {
  if (level_ != nullptr) level_->withdraw(id_);
}

Result<Lease> Tour::next() {
  verify(level_ != nullptr, "a tour belongs to windows");
  return level_->next(id_);
}

Result<Lease> Tour::acquire(Index window, Access access) {
  verify(level_ != nullptr, "a tour belongs to windows");
  return level_->acquire(id_, window, access);
}

void Tour::announce(std::vector<Visit> order, Repeat repeat) {
  verify(level_ != nullptr, "a tour belongs to windows");
  level_->announce(id_, std::move(order), repeat);
}

Windows::Windows(std::string name, std::vector<Bytes> sizes, Bytes budget, std::shared_ptr<WindowBacking> backing,
                 std::shared_ptr<WindowMemory> memory, int threads)
    : level_(std::make_unique<window_level::Level>(std::move(name), std::move(sizes), budget, std::move(backing),
                                                   std::move(memory), threads)) {}

Windows::~Windows() = default;

Index Windows::count() const {
  return static_cast<Index>(level_->sizes().size());
}
Bytes Windows::size(Index window) const {
  return level_->sizes()[static_cast<std::size_t>(window)];
}
Bytes Windows::total() const {
  return level_->total();
}
Bytes Windows::budget() const {
  return level_->budget();
}
void Windows::set_budget(Bytes budget) {
  level_->set_budget(budget);
}

Tour Windows::announce(std::vector<Visit> order, Repeat repeat) {
  Tour tour = level_->new_tour();
  tour.announce(std::move(order), repeat);
  return tour;
}

Tour Windows::announce(Interval windows, Access access, Repeat repeat) {
  std::vector<Visit> order;
  for (Index w = windows.begin; w < windows.end; ++w) order.push_back({w, access});
  return announce(std::move(order), repeat);
}

Result<Lease> Windows::acquire(Index window, Access access) {
  return level_->acquire(window, access);
}
Status Windows::flush() {
  return level_->flush();
}
WindowStatistics Windows::statistics() const {
  return level_->statistics();
}

}  // namespace conoid

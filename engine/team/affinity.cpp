// SPDX-License-Identifier: BSD-3-Clause
// hwloc, and the plan of places.
#include "engine/team/affinity.hpp"

#include <algorithm>

#include "conoid/config.hpp"
#include "engine/team/core_count.hpp"

#if CONOID_HAVE_HWLOC
#include <hwloc.h>

#include <memory>
#include <mutex>
#include <set>
#include <type_traits>
#endif

namespace conoid {

#if CONOID_HAVE_HWLOC
namespace {

struct FreeBitmap {
  void operator()(hwloc_bitmap_t b) const { hwloc_bitmap_free(b); }
};
using Bitmap = std::unique_ptr<std::remove_pointer_t<hwloc_bitmap_t>, FreeBitmap>;

/// This machine; null if hwloc cannot tell. Read once, devices on the PCI bus included.
hwloc_topology_t topology() {
  static const hwloc_topology_t machine = [] {
    hwloc_topology_t t = nullptr;
    if (hwloc_topology_init(&t) != 0) return hwloc_topology_t{};
    hwloc_topology_set_io_types_filter(t, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
    // Devices are looked up by their place on the bus. Their names would be asked of OpenCL, which starts its implementations,
    // and of displays.
    hwloc_topology_set_type_filter(t, HWLOC_OBJ_OS_DEVICE, HWLOC_TYPE_FILTER_KEEP_NONE);
    if (hwloc_topology_load(t) == 0) return t;
    hwloc_topology_destroy(t);
    return hwloc_topology_t{};
  }();
  return machine;
}

Places listed(hwloc_const_bitmap_t set) {
  Places out;
  if (hwloc_bitmap_weight(set) < 0) return out;  // "all" without end
  for (int p = hwloc_bitmap_first(set); p >= 0; p = hwloc_bitmap_next(set, p)) out.push_back(p);
  return out;
}

}  // namespace

bool can_bind() {
  return topology() != nullptr;
}

Places places_of_this_thread(PlaceShare share) {
  const hwloc_topology_t t = topology();
  if (t == nullptr) return {};
  const Bitmap set(hwloc_bitmap_alloc());
  if (hwloc_get_cpubind(t, set.get(), HWLOC_CPUBIND_THREAD) != 0) return {};
  hwloc_bitmap_and(set.get(), set.get(), hwloc_topology_get_allowed_cpuset(t));
  Places first, others;
  for (const int p : listed(set.get())) {
    const hwloc_obj_t unit = hwloc_get_pu_obj_by_os_index(t, static_cast<unsigned>(p));
    (unit != nullptr && unit->sibling_rank > 0 && unit->parent->type == HWLOC_OBJ_CORE ? others : first).push_back(p);
  }
  Places out;
  for (const Places* from : {&first, &others}) {
    const auto cut = [&](int k) { return from->begin() + static_cast<std::ptrdiff_t>(from->size()) * k / share.parts; };
    out.insert(out.end(), cut(share.part), cut(share.part + 1));
  }
  return out;
}

int cores_of_threads(int threads) {
  const hwloc_topology_t t = topology();
  if (t == nullptr) return 0;
  std::set<hwloc_obj_t> cores;
  const Places places = places_of_this_thread();
  for (std::size_t i = 0; i < places.size() && static_cast<int>(i) < threads; ++i)
    if (const hwloc_obj_t unit = hwloc_get_pu_obj_by_os_index(t, static_cast<unsigned>(places[i])); unit != nullptr)
      cores.insert(unit->parent);
  return static_cast<int>(cores.size());
}

Places places_near(const std::string& bus) {
  const hwloc_topology_t t = topology();
  if (t == nullptr || bus.empty()) return {};
  const hwloc_obj_t device = hwloc_get_pcidev_by_busidstring(t, bus.c_str());
  if (device == nullptr) return {};
  const hwloc_obj_t around = hwloc_get_non_io_ancestor_obj(t, device);
  return around != nullptr && around->cpuset != nullptr ? listed(around->cpuset) : Places{};
}

bool bind_this_thread(std::span<const int> places) {
  const hwloc_topology_t t = topology();
  if (t == nullptr || places.empty()) return false;
  const Bitmap set(hwloc_bitmap_alloc());
  for (const int p : places) hwloc_bitmap_set(set.get(), static_cast<unsigned>(p));
  return hwloc_set_cpubind(t, set.get(), HWLOC_CPUBIND_THREAD) == 0;
}
#else
bool can_bind() {
  return false;
}
Places places_of_this_thread(PlaceShare) {
  return {};
}
int cores_of_threads(int) {
  return 0;
}
Places places_near(const std::string&) {
  return {};
}
bool bind_this_thread(std::span<const int>) {
  return false;
}
#endif

std::vector<Places> plan_places(const Places& all, std::span<const PlaceWish> workers) {
  std::vector<Places> out(workers.size());
  std::size_t wanted = 0;
  for (const PlaceWish& w : workers) wanted += w.device ? 1 : static_cast<std::size_t>(w.threads);
  if (wanted > all.size()) return out;
  Places left = all;
  const auto take = [&](std::size_t w, std::size_t k) {
    out[w].push_back(left[k]);
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(k));
  };
  for (std::size_t w = 0; w < workers.size(); ++w) {
    if (!workers[w].device) continue;
    const auto near = std::find_if(left.begin(), left.end(), [&](int p) {
      return std::find(workers[w].near.begin(), workers[w].near.end(), p) != workers[w].near.end();
    });
    take(w, near == left.end() ? 0 : static_cast<std::size_t>(near - left.begin()));
  }
  for (std::size_t w = 0; w < workers.size(); ++w)
    for (int k = 0; !workers[w].device && k < workers[w].threads; ++k) take(w, 0);
  return out;
}

}  // namespace conoid

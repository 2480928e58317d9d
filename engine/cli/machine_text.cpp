// SPDX-License-Identifier: BSD-3-Clause
// Who could compute here.
#include "engine/cli/machine_text.hpp"

#include <fmt/core.h>

#include "engine/core/units.hpp"
#include "engine/team/device.hpp"
#include "engine/team/machine.hpp"

namespace conoid::cli {

MachineText machine_text() {
  const Machine m = this_machine();
  const char* vectors = m.avx512 ? "AVX-512" : m.avx2 ? "AVX2" : "baseline";
  auto cache = [](Bytes bytes) { return bytes > 0 ? format_bytes(bytes) : std::string("?"); };
  MachineText out;
  out.rows = {{"cpu", fmt::format("{}, {} cores, {}", m.processor, m.cores, vectors)},
              {"", fmt::format("caches L1 {}, L2 {} a core, L3 {}", cache(m.l1), cache(m.l2), cache(m.l3))},
              {"", fmt::format("memory {} ({} free)", format_bytes(m.memory), format_bytes(m.free_memory))}};
  out.devices = Json::array({{{"name", "cpu"},
                              {"processor", m.processor},
                              {"cores", m.cores},
                              {"vectors", vectors},
                              {"memory", m.memory},
                              {"free_memory", m.free_memory},
                              {"l1", m.l1},
                              {"l2", m.l2},
                              {"l3", m.l3}}});
  for (const DeviceList& list : list_devices()) {
    out.backends[list.backend] = {{"devices", list.devices.size()}, {"absent", list.absent}, {"hint", list.hint}};
    if (!list.absent.empty()) {
      out.rows.push_back({list.backend, list.absent});
      if (!list.hint.empty()) out.rows.push_back({"", list.hint});
    }
    for (const DeviceInfo& d : list.devices) {
      const std::string name = fmt::format("{}:{}", d.backend, d.index);
      const bool real = d.backend == "cuda";
      out.rows.push_back({name, real ? fmt::format("{}, {} multiprocessors, compute capability {}.{}", d.name,
                                                   d.multiprocessors, d.major, d.minor)
                                     : std::string("CUDA's model run by the processor, for tests")});
      out.rows.push_back(
          {"", fmt::format("memory {} ({} free){}", format_bytes(d.memory), format_bytes(d.free_memory),
                           d.bandwidth > 0 ? fmt::format(", {:.0f} GB/s", 1e-9 * d.bandwidth) : std::string())});
      if (real)
        out.rows.push_back({"", fmt::format("{}, bus {}{}", d.uuid, d.bus,
                                            d.numa_node >= 0 ? fmt::format(", memory node {}", d.numa_node) : "")});
      out.devices.push_back({{"name", name},
                             {"model", d.name},
                             {"uuid", d.uuid},
                             {"bus", d.bus},
                             {"numa_node", d.numa_node},
                             {"memory", d.memory},
                             {"free_memory", d.free_memory},
                             {"bandwidth", d.bandwidth},
                             {"compute_capability", fmt::format("{}.{}", d.major, d.minor)},
                             {"multiprocessors", d.multiprocessors},
                             {"copy_engines", d.copy_engines},
                             {"shared_per_block", d.shared_per_block},
                             {"l2", d.l2}});
    }
  }
  return out;
}

}  // namespace conoid::cli

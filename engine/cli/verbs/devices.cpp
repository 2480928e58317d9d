// SPDX-License-Identifier: BSD-3-Clause
// conoid devices: who could compute here.
#include "conoid/config.hpp"
#include "engine/cli/verbs/verbs.hpp"
#include "engine/core/units.hpp"
#include "engine/team/machine.hpp"

namespace conoid::cli {
namespace {

void devices(Context& context) {
  const Machine m = this_machine();
  const char* vectors = m.avx512 ? "AVX-512" : m.avx2 ? "AVX2" : "baseline";
  auto cache = [](Bytes bytes) { return bytes > 0 ? format_bytes(bytes) : std::string("?"); };
  context.write(aligned({{"cpu", fmt::format("{}, {} cores, {}", m.processor, m.cores, vectors)},
                         {"", fmt::format("caches L1 {}, L2 {} a core, L3 {}", cache(m.l1), cache(m.l2), cache(m.l3))},
                         {"", fmt::format("memory {} ({} free)", format_bytes(m.memory), format_bytes(m.free_memory))},
                         {"cuda", CONOID_HAVE_CUDA ? "no device found" : "not in this build"}}));
  context.object({{"host", m.host},
                  {"devices", Json::array({{{"name", "cpu"},
                                            {"processor", m.processor},
                                            {"cores", m.cores},
                                            {"vectors", vectors},
                                            {"memory", m.memory},
                                            {"free_memory", m.free_memory},
                                            {"l1", m.l1},
                                            {"l2", m.l2},
                                            {"l3", m.l3}}})},
                  {"cuda", {{"built", CONOID_HAVE_CUDA != 0}}}});
}

void add(OptionSet verb, Context& context) {
  verb.flag("--json", context.json, "One JSON object on stdout, text on stderr");
  verb.on_use([&context] { devices(context); });
}

}  // namespace

Verb devices_verb() {
  return {"devices", "Show processors, memory and GPUs that can compute", "  conoid devices\n  conoid devices --json\n", add};
}

}  // namespace conoid::cli

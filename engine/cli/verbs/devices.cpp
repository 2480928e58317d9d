// SPDX-License-Identifier: BSD-3-Clause
// conoid devices: who could compute here.
#include "conoid/config.hpp"
#include "engine/cli/machine_text.hpp"
#include "engine/cli/verbs/verbs.hpp"
#include "engine/team/machine.hpp"

namespace conoid::cli {
namespace {

void devices(Context& context) {
  const MachineText machine = machine_text();
  context.write(aligned(machine.rows));
  context.object({{"host", this_machine().host},
                  {"devices", machine.devices},
                  {"backends", machine.backends},
                  {"cuda", {{"built", CONOID_HAVE_CUDA != 0}}}});
}

void add_devices(OptionSet verb, Context& context) {
  verb.flag("--json", context.json, "One JSON object on stdout and no other text; errors on stderr");
  verb.on_use([&context] { devices(context); });
}

}  // namespace

Verb devices_verb() {
  return {"devices", "Show processors, memory and GPUs that can compute", "  conoid devices\n  conoid devices --json\n",
          add_devices};
}

}  // namespace conoid::cli

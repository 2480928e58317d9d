// SPDX-License-Identifier: BSD-3-Clause
// One function a verb; each in its own file.
#pragma once

#include "engine/cli/command_line.hpp"

namespace conoid::cli {

[[nodiscard]] Verb run_verb();
[[nodiscard]] Verb resume_verb();
[[nodiscard]] Verb check_verb();
[[nodiscard]] Verb sweep_verb();
[[nodiscard]] Verb submit_verb();
[[nodiscard]] Verb jobs_verb();
[[nodiscard]] Verb hosts_verb();
[[nodiscard]] Verb verify_verb();
[[nodiscard]] Verb bench_verb();
[[nodiscard]] Verb mesh_verb();
[[nodiscard]] Verb resample_verb();
[[nodiscard]] Verb render_verb();
[[nodiscard]] Verb chart_verb();
[[nodiscard]] Verb probe_verb();
[[nodiscard]] Verb compare_verb();
[[nodiscard]] Verb report_verb();
[[nodiscard]] Verb export_verb();
[[nodiscard]] Verb list_verb();
[[nodiscard]] Verb new_verb();
[[nodiscard]] Verb devices_verb();
[[nodiscard]] Verb manual_verb();
[[nodiscard]] Verb completion_verb();

}  // namespace conoid::cli

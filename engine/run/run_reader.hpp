// SPDX-License-Identifier: BSD-3-Clause
// The doorway for programs that look at finished or growing runs: run folders, frames, tables and errors, without a
// session.
#pragma once

#include "engine/core/atomic_file.hpp"
#include "engine/core/error.hpp"
#include "engine/core/place.hpp"
#include "engine/core/resources.hpp"
#include "engine/core/types.hpp"
#include "engine/core/units.hpp"
#include "engine/io/csv.hpp"
#include "engine/io/frame.hpp"
#include "engine/io/frame_choice.hpp"
#include "engine/io/grid_blend.hpp"
#include "engine/io/results.hpp"
#include "engine/io/run_folder.hpp"
#include "engine/io/segy.hpp"
#include "engine/io/vtkhdf.hpp"
#include "engine/team/machine_rates.hpp"

// SPDX-License-Identifier: BSD-3-Clause
// This machine in words and as JSON: processor, caches, memory, devices; `conoid devices` and the page of `conoid bench` show the same.
#pragma once

#include <string>
#include <vector>

#include "engine/case/document.hpp"

namespace conoid::cli {

struct MachineText {
  std::vector<std::vector<std::string>>
      rows;                        ///< what, and what it is; a row without the former goes on with the one above
  Json devices = Json::array();    ///< the processors first
  Json backends = Json::object();  ///< of devices: how many, or why none
};

/// Looks for devices and opens none.
[[nodiscard]] MachineText machine_text();

}  // namespace conoid::cli

// SPDX-License-Identifier: BSD-3-Clause
// Cases of the heat rod, and small tools to wait for a session and to compare what two runs left behind.
#pragma once

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "engine/case/document.hpp"
#include "engine/session/session.hpp"

namespace rod {

namespace fs = std::filesystem;

/// A folder that goes away with the object.
class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] fs::path operator/(const std::string& name) const { return path_ / name; }
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

conoid::Json json(int steps, double pace = 0, int cells = 37);

std::string text_of(const fs::path& file);

fs::path write_case(const fs::path& file, const conoid::Json& json);

/// A table without its preamble, which names the run.
std::string rows_of(const fs::path& file);

conoid::Json summary_of(const fs::path& run);

/// Of one member of the summary of a run, on one line: "numbers", "frames", "state".
std::string summary_text(const fs::path& run, const char* member);

bool eventually(const std::function<bool()>& what, double seconds = 100);

conoid::SessionOptions options(const conoid::Json& json, const fs::path& folder);

}  // namespace rod

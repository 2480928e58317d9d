// SPDX-License-Identifier: BSD-3-Clause
// Cases of the heat rod, and small tools to wait for a session and to compare what two runs left behind.
#pragma once

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <thread>

#include <unistd.h>

#include "engine/case/document.hpp"
#include "engine/session/session.hpp"

namespace rod {

namespace fs = std::filesystem;

/// A folder that goes away with the object.
class Scratch {
 public:
  Scratch() {
    std::string name = (fs::temp_directory_path() / "conoid-test-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] fs::path operator/(const std::string& name) const { return path_ / name; }
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

inline conoid::Json json(int steps, double pace = 0, int cells = 37) {
  return {{"conoid", 1},
          {"title", "rod"},
          {"solver", "heat-rod"},
          {"rod", {{"cells", cells}}},
          {"parameters", {{"steps", steps}, {"pace", pace}}}};
}

inline std::string text_of(const fs::path& file) {
  std::ostringstream out;
  out << std::ifstream(file, std::ios::binary).rdbuf();
  return out.str();
}

inline fs::path write_case(const fs::path& file, const conoid::Json& json) {
  std::ofstream(file) << json.dump(2) << "\n";
  return file;
}

/// A table without its preamble, which names the run.
inline std::string rows_of(const fs::path& file) {
  std::istringstream in(text_of(file));
  std::string out;
  for (std::string line; std::getline(in, line);)
    if (!line.starts_with('#')) out += line + "\n";
  return out;
}

inline conoid::Json summary_of(const fs::path& run) {
  return conoid::Json::parse(text_of(run / "summary.json"), nullptr, false);
}

inline bool eventually(const std::function<bool()>& what, double seconds = 20) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (std::chrono::steady_clock::now() < until) {
    if (what()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return what();
}

inline conoid::SessionOptions options(const conoid::Json& json, const fs::path& folder) {
  conoid::SessionOptions out;
  out.document = conoid::CaseDocument::from_json(json, folder.parent_path() / "case.json");
  out.folder = folder;
  out.threads = 1;
  return out;
}

}  // namespace rod

// SPDX-License-Identifier: BSD-3-Clause
#include "tests/engine/session/rod.hpp"

#include <chrono>
#include <sstream>
#include <thread>

#include <unistd.h>

namespace rod {

Scratch::Scratch() {
  std::string name = (fs::temp_directory_path() / "conoid-test-XXXXXX").string();
  path_ = ::mkdtemp(name.data());
}

Scratch::~Scratch() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

conoid::Json json(int steps, double pace, int cells) {
  return {{"conoid", 1},
          {"title", "rod"},
          {"solver", "heat-rod"},
          {"rod", {{"cells", cells}}},
          {"parameters", {{"steps", steps}, {"pace", pace}}}};
}

std::string text_of(const fs::path& file) {
  std::ostringstream out;
  out << std::ifstream(file, std::ios::binary).rdbuf();
  return out.str();
}

fs::path write_case(const fs::path& file, const conoid::Json& json) {
  std::ofstream(file) << conoid::indented_json(json) << "\n";
  return file;
}

std::string rows_of(const fs::path& file) {
  std::istringstream in(text_of(file));
  std::string out;
  for (std::string line; std::getline(in, line);)
    if (!line.starts_with('#')) out += line + "\n";
  return out;
}

conoid::Json summary_of(const fs::path& run) {
  return conoid::read_json(text_of(run / "summary.json"));
}

std::string summary_text(const fs::path& run, const char* member) {
  return conoid::compact_json(summary_of(run).value(member, conoid::Json()));
}

bool eventually(const std::function<bool()>& what, double seconds) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (std::chrono::steady_clock::now() < until) {
    if (what()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return what();
}

conoid::SessionOptions options(const conoid::Json& json, const fs::path& folder) {
  conoid::SessionOptions out;
  out.document = conoid::CaseDocument::from_json(json, folder.parent_path() / "case.json");
  out.folder = folder;
  out.flags.threads = 1;
  return out;
}

}  // namespace rod

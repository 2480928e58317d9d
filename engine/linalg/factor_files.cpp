// SPDX-License-Identifier: BSD-3-Clause
// Whose folder it is stands in its name.
#include "engine/linalg/factor_files.hpp"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

namespace conoid {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view stem = "conoid-factors-";

/// The process that a folder's name tells; 0: it is none of ours.
long owner_of(const std::string& name) {
  if (!name.starts_with(stem)) return 0;
  long process = 0;
  const char* const end = name.data() + name.size();
  const auto [at, error] = std::from_chars(name.data() + stem.size(), end, process);
  return error == std::errc() && at != end && *at == '-' && process > 0 ? process : 0;
}

bool has_ended(long process) {
  return ::kill(static_cast<pid_t>(process), 0) != 0 && errno == ESRCH;
}

}  // namespace

void FactorFiles::remove_leftovers(const fs::path& parent) {
  std::error_code code;
  std::vector<fs::path> leftovers;
  for (fs::directory_iterator it(parent, code), end; !code && it != end; it.increment(code))
    if (const long process = owner_of(it->path().filename().string()); process > 0 && has_ended(process))
      leftovers.push_back(it->path());
  for (const fs::path& folder : leftovers) fs::remove_all(folder, code);
}

Result<FactorFiles> FactorFiles::create(const fs::path& parent) {
  remove_leftovers(parent);
  static std::atomic<int> number{0};
  const fs::path folder = parent / fmt::format("{}{}-{}", stem, ::getpid(), ++number);
  std::error_code code;
  fs::create_directories(folder, code);
  if (code) return system_error("make folder", folder.string(), code.value());
  fs::permissions(folder, fs::perms::owner_all, code);  // others need not read it in a folder for all
  return FactorFiles(folder);
}

FactorFiles::~FactorFiles() {
  std::error_code ignored;
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

FactorFiles::FactorFiles(FactorFiles&& other) noexcept : folder_(std::exchange(other.folder_, {})) {}

FactorFiles& FactorFiles::operator=(FactorFiles&& other) noexcept {
  std::swap(folder_, other.folder_);
  return *this;
}

}  // namespace conoid

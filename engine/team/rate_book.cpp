// SPDX-License-Identifier: BSD-3-Clause
// Measured when the machine is quiet, and kept.
#include "engine/team/rate_book.hpp"

#include "engine/core/kept_values.hpp"
#include "engine/team/machine.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>

#include <fmt/core.h>
#include <fmt/ranges.h>

namespace conoid {
namespace {

bool all_positive(const std::vector<double>& rates) {
  return !rates.empty() && std::all_of(rates.begin(), rates.end(), [](double rate) { return rate > 0; });
}

std::vector<double> parse(const std::string& text) {
  std::vector<double> out;
  std::istringstream in(text);
  for (double rate = 0; in >> rate;) out.push_back(rate);
  return out;
}

std::string entry_of(std::string_view key, int threads) {
  return fmt::format("{} | {} threads | {}", this_machine().processor, threads, key);
}

/// Threads of this program that can run: this one, and those of a loop that has just ended, which wait for the next by spinning.
int own_runnable_threads() {
  int out = 0;
  std::error_code ec;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", ec)) {
    std::ifstream in(task.path() / "stat");  // "number (name) state …"; the name may hold anything
    std::string text;
    std::getline(in, text);
    if (const auto end = text.rfind(") "); end != std::string::npos && text[end + 2] == 'R') ++out;
  }
  return std::max(out, 1);
}

}  // namespace

bool rates_are_kept(std::string_view key, int threads, const std::string& folder) {
  const auto text = KeptValues("rates", folder).recall(entry_of(key, threads));
  return text && all_positive(parse(*text));
}

bool machine_is_quiet(int threads) {
  // /proc/loadavg: three averages, then "threads that can run / all threads". Those of this program are among them, and no load.
  std::ifstream in("/proc/loadavg");
  double average = 0;
  int runnable = 0;
  if (!(in >> average >> average >> average >> runnable)) return true;
  return runnable - own_runnable_threads() + threads <= this_machine().cores;
}

std::vector<double> kept_rates(std::string_view key, int threads, const std::function<std::vector<double>()>& measure,
                               const std::string& folder) {
  // Within one program nothing is measured twice, quiet or not.
  static std::mutex mutex;
  static std::map<std::string, std::vector<double>> found;
  const std::string whole = entry_of(key, threads);
  const std::scoped_lock lock(mutex);
  std::vector<double>& rates = found[folder + "\n" + whole];
  if (all_positive(rates)) return rates;
  const KeptValues kept("rates", folder);
  if (const auto text = kept.recall(whole))
    if (rates = parse(*text); all_positive(rates)) return rates;
  const bool before = machine_is_quiet(threads);
  rates = measure();
  if (before && machine_is_quiet(threads) && all_positive(rates))
    kept.remember(whole, fmt::format("{:.6g}", fmt::join(rates, " ")));
  return rates;
}

double kept_rate(std::string_view key, int threads, const std::function<double()>& measure, const std::string& folder) {
  const auto rates = kept_rates(
      key, threads, [&] { return std::vector<double>{measure()}; }, folder);
  return rates.empty() ? 0 : rates.front();
}

}  // namespace conoid

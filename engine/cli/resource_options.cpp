// SPDX-License-Identifier: BSD-3-Clause
// From words to a request.
#include "engine/cli/resource_options.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "engine/core/units.hpp"

namespace conoid::cli {

void add_resource_options(OptionSet verb, ResourceOptions& options) {
  verb.value("--workers", options.workers, "Who computes: auto, cpu, cpu:3,cpu:1, cuda:0,cpu");
  verb.value("--threads", options.threads, "Threads of the processor (default: all cores)").within(1, 65536);
  verb.value("--memory", options.memory, "Budgets: host=8GiB,device=4GiB");
  verb.flag("--deterministic", options.deterministic, "Same bits from run to run, at some cost in speed");
}

Result<ResourceRequest> request_of(const ResourceOptions& options) {
  ResourceRequest out;
  out.workers = options.workers;
  out.threads = options.threads;
  if (options.deterministic) out.deterministic = true;
  const std::string& text = options.memory;
  constexpr Bytes least = Bytes{1} << 20;  // as for the case's compute.memory
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    const std::size_t equals = part.find('=');
    const std::string level = equals == std::string::npos ? "host" : part.substr(0, equals);
    const auto bytes = parse_bytes(equals == std::string::npos ? part : part.substr(equals + 1));
    if (!bytes || *bytes == 0)
      return make_error(ErrorCode::command_line,
                        fmt::format("--memory: expected an amount like 8GiB, found '{}'", part),
                        "Example: --memory host=8GiB,device=4GiB");
    if (*bytes < least)
      return make_error(ErrorCode::command_line,
                        fmt::format("--memory: expected at least {}, found '{}'", format_bytes(least), part),
                        "Example: --memory host=8GiB,device=4GiB");
    if (level == "host")
      out.host = *bytes;
    else if (level == "device")
      out.device = *bytes;
    else
      return make_error(ErrorCode::command_line, fmt::format("--memory: expected host or device, found '{}'", level),
                        "Example: --memory host=8GiB,device=4GiB");
    begin = end + 1;
  }
  return out;
}

std::vector<std::string> words_of(const ResourceOptions& options, int threads) {
  std::vector<std::string> out;
  if (!options.workers.empty()) out.insert(out.end(), {"--workers", options.workers});
  if (!options.memory.empty()) out.insert(out.end(), {"--memory", options.memory});
  if (threads <= 0) threads = options.threads;
  if (threads > 0) out.insert(out.end(), {"--threads", fmt::format("{}", threads)});
  if (options.deterministic) out.emplace_back("--deterministic");
  return out;
}

}  // namespace conoid::cli

// SPDX-License-Identifier: BSD-3-Clause
#include "engine/core/utc.hpp"

namespace conoid {
namespace {

std::string formatted(std::time_t moment, const char* form) {
  std::tm parts{};
  ::gmtime_r(&moment, &parts);
  char text[32] = {};
  return {text, std::strftime(text, sizeof text, form, &parts)};
}

}  // namespace

std::string utc_stamp(std::time_t moment) {
  return formatted(moment, "%Y%m%dT%H%M%SZ");
}

std::string utc_text(std::time_t moment) {
  return formatted(moment, "%Y-%m-%dT%H:%M:%SZ");
}

}  // namespace conoid

// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer target: any bytes as the record of a job are an error with a text, or a job whose number is digits and whose host is no option;
// any bytes as the answer of a queue are a state.
//
// links: conoid_core
// sources: engine/session/jobs/job_place.cpp
#include <cstdint>
#include <cstdlib>

#include "engine/session/jobs/job_place.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace conoid;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto job = job_from(text, "job.json"); !job) {
    if (job.error().text.empty()) std::abort();
  } else {
    if (job->number.find_first_not_of("0123456789") != std::string::npos || job->host.starts_with("-")) std::abort();
    if (question_about(*job).empty()) std::abort();
  }
  if (state_from(text).word.empty()) std::abort();
  return 0;
}

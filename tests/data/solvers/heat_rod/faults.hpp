// SPDX-License-Identifier: BSD-3-Clause
// Failures that a case asks for, by which tests see how runs end. No other solver has such a thing.
#pragma once

#include <chrono>
#include <csignal>
#include <cstdio>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>

#include <fmt/core.h>

#include "engine/case/case.hpp"
#include "engine/core/error.hpp"

namespace conoid::heat_rod {

struct Faults {
  std::string kind = "none";
  Index step = 0;

  [[nodiscard]] Status provoke(Index now) const {
    if (kind == "none" || now != step) return {};
    if (kind == "bug") throw std::logic_error("a fault was asked for");
    if (kind == "memory") throw std::bad_alloc();
    if (kind == "crash") std::raise(SIGSEGV);
    if (kind == "chatter") std::puts("a library that prints to stdout"), std::fflush(stdout);
    if (kind == "stuck") std::this_thread::sleep_for(std::chrono::seconds(60));
    if (kind == "chatter" || kind == "stuck") return {};
    const ErrorCode code = kind == "divergence" ? ErrorCode::not_converged
                           : kind == "remote"   ? ErrorCode::remote
                                                : ErrorCode::file;
    return make_error(code, fmt::format("{} at step {}, as asked for", kind, now), "Set /parameters/fault to none.");
  }
};

}  // namespace conoid::heat_rod

// SPDX-License-Identifier: BSD-3-Clause
// Rates that are measured once on a machine and kept between starts, so that an estimate says the same each time it is asked.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace conoid {

/// Whether `threads` more threads would have cores of their own: by the threads that can run at this moment, of all programs.
[[nodiscard]] bool machine_is_quiet(int threads);

/// The rates kept under `key` for this processor and so many threads, or else those that `measure` finds, which are kept if they
/// are all positive and the machine was quiet before and after: a rate under load is only good for the answer that wanted it.
/// Within one program nothing is measured twice. Kept in the file "rates" of KeptValues; any thread may call, one measures at a time. `folder` empty: the user's cache. What `measure` throws passes through.
[[nodiscard]] std::vector<double> kept_rates(std::string_view key, int threads,
                                             const std::function<std::vector<double>()>& measure,
                                             const std::string& folder = {});
/// Whether rates are kept under this key: measured on the quiet machine. Any thread.
[[nodiscard]] bool rates_are_kept(std::string_view key, int threads, const std::string& folder = {});
/// One rate likewise; 0 where none could be measured.
[[nodiscard]] double kept_rate(std::string_view key, int threads, const std::function<double()>& measure,
                               const std::string& folder = {});

}  // namespace conoid

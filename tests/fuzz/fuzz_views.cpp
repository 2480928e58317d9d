// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer target: any bytes as kept views are an error with a text, or views whose text is read again as the same views.
//
// links: conoid_run
// sources: render/scene/saved_view.cpp
#include <cstdint>
#include <cstdlib>

#include "render/scene/saved_view.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace conoid;
  const auto views = parse_saved_views({reinterpret_cast<const char*>(data), size});
  if (!views) {
    if (views.error().text.empty() || views.error().text.size() > 2000) std::abort();
    return 0;
  }
  const std::string text = saved_views_text(*views);
  if (views->empty()) return text.empty() ? 0 : (std::abort(), 1);
  const auto again = parse_saved_views(text);
  if (!again || saved_views_text(*again) != text) std::abort();
  return 0;
}

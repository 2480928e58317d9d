// SPDX-License-Identifier: BSD-3-Clause
// A view that a person keeps under a name: from where, with which planes, colours and range; as text (JSON) and back.
//
// Text: an array of objects, one a view: "name", "camera" (11 numbers, see CameraController::placement) and the members of FieldView by
// the names that describe() in saved_view.cpp gives them. What is left out has FieldView's default. Lengths are metres.
#pragma once

#include <array>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "render/scene/field_view.hpp"

namespace conoid {

struct SavedView {
  std::string name;
  std::array<double, 11> camera{};
  FieldView view;
};

/// Compact text of the views; empty for none. Titles and words in the reader's language are not kept.
[[nodiscard]] std::string saved_views_text(std::span<const SavedView> views);

/// Errors (ErrorCode::invalid_input) name the view, the key and what was expected there; keys that are not known are such an error, so
/// that a misspelt one is not passed over. At most 1000 views.
[[nodiscard]] Result<std::vector<SavedView>> parse_saved_views(std::string_view text);

/// The same from a file of at most 1 MiB.
[[nodiscard]] Result<std::vector<SavedView>> read_saved_views(const std::filesystem::path& file);

/// The view `saved` of whatever `now` shows: field, range, words and title stay those of `now`, and
/// its annotations stand beside those of the view.
[[nodiscard]] FieldView seen_by(const SavedView& saved, const FieldView& now);

}  // namespace conoid

// SPDX-License-Identifier: BSD-3-Clause
// Annotations as lines of text: "0.5, 0, -30cm = the door".
#pragma once

#include <string>
#include <string_view>

#include "render/scene/field_view.hpp"

namespace conoid {

/// A place (parse_place) and, behind the first "=", the words. Errors (command_line) say which of them is wrong.
[[nodiscard]] Result<Annotation> parse_annotation(std::string_view line);
/// In metres, to be read back.
[[nodiscard]] std::string annotation_text(const Annotation& annotation);

}  // namespace conoid

// SPDX-License-Identifier: BSD-3-Clause
// Words for the lines of a shell. Thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace conoid {

/// A path or a name as one word of a shell: quoted where it holds blanks or signs that a shell takes for its own.
[[nodiscard]] std::string shell_word(std::string_view text);
/// The same of an option, whose dashes in front are meant.
[[nodiscard]] std::string option_word(std::string_view word);

}  // namespace conoid

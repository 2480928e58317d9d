// SPDX-License-Identifier: BSD-3-Clause
// The walk over a schema and a value together. Internal to engine/case; callers use validate() in schema.hpp.
#pragma once

#include "engine/case/schema.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace conoid {

/// Checks a value against a node and writes its resolved form. `document` gives lines, `diagnostics` takes
/// the errors; both may be null. Recursive by nesting, which documents bound.
class SchemaWalker {
 public:
  /// The way to a value, kept on the stack; text is made of it only for a message.
  struct Path {
    const Path* up = nullptr;
    std::string_view key{};
    std::size_t index = 0;
    bool is_index = false;
    [[nodiscard]] std::string pointer() const;
  };

  SchemaWalker(const CaseDocument* document, std::vector<Diagnostic>* diagnostics)
      : document_(document), diagnostics_(diagnostics) {}

  /// True if the value holds; `out` (may be null) gets the resolved form.
  bool walk(const Json& node, const Json& value, const Path& path, Json* out);
  /// What stands for an absent property: its default, or what the defaults inside make; nothing if it stays
  /// absent.
  [[nodiscard]] static std::optional<Json> filled(const Json& node);

  /// Called for every text that names a file or a group: node, pointer, text.
  std::function<void(const Json&, const std::string&, const std::string&)> visitor;

 private:
  void fail(const Path& path, const Json& node, std::string text, std::string hint = {});
  [[nodiscard]] bool listing() const;  // whether anybody will read one more message
  void object(const Json& node, const Json& value, const Path& path, Json* out);
  void array(const Json& node, const Json& value, const Path& path, Json* out);
  void number(const Json& node, const Json& value, const Path& path, Json* out);
  void text(const Json& node, const Json& value, const Path& path, Json* out);
  bool is_choice(const Json& node, const Json& value, const Path& path);
  bool is_size(const Json& node, const Json& value, const Path& path, std::string_view one, std::string_view many);
  /// Where else in this case `key` may stand: "compute", "output.frames"; "" is the top. Elements of lists and maps are not looked into.
  [[nodiscard]] std::vector<std::string> places_of(const std::string& key) const;
  void unknown_key(const Json& node, const Json* variant, const Json& value, const std::string& key, const Path& path,
                   std::vector<std::string>& meant);
  /// The object with keys as they are called now; false where none has a former name. Says which.
  bool take_former_names(const Json& node, const Json* variant, const Json& value, const Path& path, Json& now);
  void tell_deprecated(const Json& node, const Path& path);
  static void append(Json& object, const std::string& key, Json value);

  const CaseDocument* document_;
  std::vector<Diagnostic>* diagnostics_;
  const Json* root_ = nullptr;  ///< schema of the whole, while it is walked
  std::size_t failures_ = 0;
};

}  // namespace conoid

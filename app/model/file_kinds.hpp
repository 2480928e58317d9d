// SPDX-License-Identifier: BSD-3-Clause
// What may be named by keys of a case whose schema says `file`: their endings, and which key of a solver takes such a file.
#pragma once

#include <optional>
#include <string>

#include <QStringList>

#include "engine/core/json.hpp"

namespace conoid::app {

/// Endings without dot, in lower case, of the files that keys of this kind ("mesh", "geometry", "model", "signal") name; none for
/// another kind.
[[nodiscard]] QStringList endings_of(const QString& kind);
/// Of these, the ones that say by themselves what they are: a window that is given such a file knows what to do with it. (A .json may
/// be a case, a .raw anything.)
[[nodiscard]] QStringList telling_endings_of(const QString& kind);
/// For a file dialog: "Meshes and geometry (*.msh …)"; empty for another kind.
[[nodiscard]] QString file_filter(const QString& kind);

/// A key that is to have `value`, as a JSON pointer.
struct FileKey {
  std::string pointer;
  Json value;
};

/// The first key of a solver's cases (of their merged schema) that names a file of this kind, with the choice that it belongs to:
/// "/materials/velocity" and {"kind": "file", "header": file}. None where no key does, or only within lists.
[[nodiscard]] std::optional<FileKey> key_for_file(const Json& schema, const std::string& kind, const std::string& file);

}  // namespace conoid::app

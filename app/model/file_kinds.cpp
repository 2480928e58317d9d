// SPDX-License-Identifier: BSD-3-Clause
#include "app/model/file_kinds.hpp"

#include <QCoreApplication>

#include "app/model/json_path.hpp"
#include "engine/session/mesh_preview.hpp"

namespace conoid::app {
namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("conoid::app::FileKinds", text);
}

std::optional<FileKey> key_below(const Json& node, const std::string& pointer, const std::string& kind,
                                 const std::string& file) {
  if (node.value("file", std::string()) == kind) return FileKey{pointer, file};
  if (const auto properties = node.find("properties"); properties != node.end())
    for (const auto& [key, child] : properties->items())
      if (child.is_object())
        if (auto found = key_below(child, child_pointer(pointer, key), kind, file)) return found;
  if (const auto variants = node.find("variants"); variants != node.end())
    for (const auto& [name, variant] : variants->items())
      if (auto found = key_below(variant, "", kind, file)) {
        // The choice and what belongs to it are one edit.
        Json chosen = Json::object();
        chosen[node["discriminator"].get<std::string>()] = name;
        if (!assign_value(chosen, found->pointer, std::move(found->value))) return std::nullopt;
        return FileKey{pointer, std::move(chosen)};
      }
  return std::nullopt;
}

}  // namespace

QStringList endings_of(const QString& kind) {
  const auto of_meshes = [](bool with_geometry) {
    return QString::fromStdString(mesh_file_patterns(with_geometry)).remove("*.").split(' ');
  };
  if (kind == "mesh") return of_meshes(true);
  if (kind == "geometry") return of_meshes(true).mid(of_meshes(false).size());
  if (kind == "model") return QStringList{"json", "raw", "bin"} + telling_endings_of(kind);
  if (kind == "signal") return {"csv", "txt"};
  return {};
}

QStringList telling_endings_of(const QString& kind) {
  if (kind == "mesh") return endings_of(kind);
  if (kind == "model") return {"sgy", "segy", "vti", "rsf", "h5", "hdf5"};
  return {};
}

QString file_filter(const QString& kind) {
  const QStringList endings = endings_of(kind);
  if (endings.isEmpty()) return {};
  const QString patterns = "*." + endings.join(" *.");
  if (kind == "mesh") return tr("Meshes and geometry (%1)").arg(patterns);
  if (kind == "geometry") return tr("Geometry (%1)").arg(patterns);
  if (kind == "model") return tr("Models of the medium (%1)").arg(patterns);
  return tr("Signals (%1)").arg(patterns);
}

std::optional<FileKey> key_for_file(const Json& schema, const std::string& kind, const std::string& file) {
  return key_below(schema, "", kind, file);
}

}  // namespace conoid::app

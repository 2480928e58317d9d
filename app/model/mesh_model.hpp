// SPDX-License-Identifier: BSD-3-Clause
// The mesh of the case at hand, read in the background whenever file or unit change.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include <QObject>
#include <QString>
#include <QTimer>

#include "app/model/case_model.hpp"
#include "engine/session/mesh_preview.hpp"

namespace conoid::app {

/// Lives in the window's thread.
class MeshModel : public QObject {
  Q_OBJECT
 public:
  explicit MeshModel(CaseModel& model, QObject* parent = nullptr);
  ~MeshModel() override;

  /// Whether this kind of case has a mesh at all.
  [[nodiscard]] bool is_wanted() const;
  [[nodiscard]] bool is_reading() const { return reading_; }
  /// Null while it is being read, when the case names none, and after an error.
  [[nodiscard]] const std::shared_ptr<const MeshPreview>& mesh() const { return mesh_; }
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }
  /// Reads again even though nothing changed in the case (the file did).
  void reload();
  /// What somebody has read already: a case whose section mesh is this one (and whose relative paths count from nowhere) gets it, and its file
  /// is not read again. Only the one that was told last counts.
  void know(const Json& section, std::shared_ptr<const MeshPreview> mesh);
  /// The geometry that the case names and that has no mesh yet; empty when there is none.
  [[nodiscard]] std::filesystem::path unmeshed() const;
  /// Meshes it as it says itself. `trusted`: the user's word for a script that does more than geometry.
  void mesh_geometry(bool trusted);
  /// Meshes the geometry of the case, or its mesh, with another size of elements (m) and names the new mesh in the case.
  void mesh_again(double size);
  /// Wants the faces parted into sides at edges sharper than `angle` degrees, made in the background; `sides_changed` follows.
  void want_sides(double angle);
  /// Lets go of them: nobody chooses faces any more.
  void forget_sides();
  /// Null until they have been made.
  [[nodiscard]] const std::shared_ptr<const MeshSides>& sides() const { return sides_; }
  /// Makes a group of cells of MeshSides::faces, in a new file beside the mesh that is then named in the case.
  void group_faces(const QString& name, std::vector<Index> faces);
  /// Halves every element of the mesh and names the finer mesh, a file beside it, in the case.
  void refine();

  /// The highest frequency that the case excites or asks for (Hz) and the lowest speed among its materials (m/s), by the
  /// names of its fields (of light where materials have a permittivity); 0 when it names none.
  [[nodiscard]] double frequency() const;
  [[nodiscard]] double speed() const;

 signals:
  void changed();
  void sides_changed();

 private:
  void look();
  /// Makes a mesh file in the background, names it in the case by an edit that can be undone.
  void make_mesh(const std::string& name, const QString& edit,
                 std::function<Status(const std::filesystem::path&, std::stop_token)> make);
  [[nodiscard]] std::optional<double> file_scale() const;
  /// Whether the case lists bodies by their sizes, which lie in the cache.
  [[nodiscard]] bool by_sizes() const;
  /// Where meshes that are made go: beside the file, or beside the case.
  [[nodiscard]] std::filesystem::path folder_of_meshes() const;
  void take(std::uint64_t ticket, Result<std::shared_ptr<const MeshPreview>> result);
  CaseModel& model_;
  QTimer timer_;
  /// Of all that decides what the mesh looks like: the keys of the section, and where relative paths count from.
  [[nodiscard]] static QString key_of(const Json& section, const std::filesystem::path& folder);
  QString key_;
  QString known_key_;
  std::shared_ptr<const MeshPreview> known_;
  std::optional<double> scale_;  ///< metres a unit of the file, as the case said last
  std::uint64_t ticket_ = 0;
  bool reading_ = false;
  std::stop_source stop_;
  std::shared_ptr<const MeshPreview> mesh_;
  std::shared_ptr<const MeshSides> sides_;
  std::uint64_t sides_ticket_ = 0;
  std::optional<Error> error_;
};

}  // namespace conoid::app

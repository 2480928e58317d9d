// SPDX-License-Identifier: BSD-3-Clause
// From where a picture is looked at: the standard views and those that somebody keeps, in the menu of a button and in files.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include <QByteArray>
#include <QObject>

#include "engine/core/error.hpp"
#include "render/scene/field_scene.hpp"
#include "render/scene/saved_view.hpp"

class QMenu;
class QToolButton;

namespace conoid::app {

class SceneViews : public QObject {
  Q_OBJECT
 public:
  /// Fills the menu of a button; the scene outlives it. Dialogs stand over the button's window.
  SceneViews(FieldScene& scene, QToolButton& button, QObject* parent = nullptr);

  [[nodiscard]] const std::vector<SavedView>& kept() const { return kept_; }
  /// The kept views as text (JSON) and back; of a text that cannot be read none is kept.
  [[nodiscard]] QByteArray as_text() const;
  Status set(const QByteArray& text);
  /// Adds those of a file; a name that is there already is replaced.
  [[nodiscard]] Status read(const std::filesystem::path& file);
  /// Keeps the view of now.
  void keep(const QString& name);
  /// Takes a kept view up again: the field stays, since a view says from where and with which planes, not what.
  void restore(std::size_t index);

 signals:
  void changed();
  /// One of the standard views is wanted.
  void chosen(conoid::StandardView view);
  /// The scene looks as it was kept.
  void restored();
  void troubled(const QString& text, const QString& hint);

 private:
  void fill_menu();
  void ask_for_name();
  void ask_where_to_save();
  void ask_for_file();
  void tell(const Status& done);

  FieldScene& scene_;
  QToolButton& button_;
  QMenu* menu_;
  std::vector<SavedView> kept_;
};

}  // namespace conoid::app

// SPDX-License-Identifier: BSD-3-Clause
// Standard and kept views of a picture.
#include "app/panels/scene_views.hpp"
#include "app/model/names.hpp"

#include <algorithm>
#include <utility>

#include <QFileDialog>
#include <QInputDialog>
#include <QLineEdit>
#include <QMenu>
#include <QToolButton>

#include "engine/core/atomic_file.hpp"

namespace conoid::app {

SceneViews::SceneViews(FieldScene& scene, QToolButton& button, QObject* parent)
    : QObject(parent), scene_(scene), button_(button), menu_(new QMenu(&button)) {
  button.setMenu(menu_);
  connect(menu_, &QMenu::aboutToShow, this, &SceneViews::fill_menu);
}

void SceneViews::fill_menu() {
  menu_->clear();
  const std::pair<QString, StandardView> views[] = {{tr("From above, at an angle"), StandardView::iso},
                                                    {tr("From +x"), StandardView::plus_x},
                                                    {tr("From −x"), StandardView::minus_x},
                                                    {tr("From +y"), StandardView::plus_y},
                                                    {tr("From −y"), StandardView::minus_y},
                                                    {tr("From +z"), StandardView::plus_z},
                                                    {tr("From −z"), StandardView::minus_z}};
  for (const auto& [name, view] : views) menu_->addAction(name, this, [this, view = view] { emit chosen(view); });
  menu_->addSeparator();
  for (std::size_t i = 0; i < kept_.size(); ++i)
    menu_->addAction(QString::fromStdString(kept_[i].name), this, [this, i] { restore(i); });
  if (!kept_.empty()) menu_->addSeparator();
  menu_->addAction(tr("Keep this view…"), this, &SceneViews::ask_for_name);
  QAction* save = menu_->addAction(tr("Save the views to a file…"), this, &SceneViews::ask_where_to_save);
  save->setEnabled(!kept_.empty());
  menu_->addAction(tr("Read views from a file…"), this, &SceneViews::ask_for_file);
}

void SceneViews::ask_for_name() {
  bool ok = false;
  const QString name = QInputDialog::getText(button_.window(), tr("Keep this view"), tr("Name"), QLineEdit::Normal,
                                             tr("View %1").arg(kept_.size() + 1), &ok);
  if (ok && !name.trimmed().isEmpty()) keep(name.trimmed());
}

void SceneViews::keep(const QString& name) {
  SavedView view{name.toStdString(), scene_.camera().placement(), scene_.view()};
  const auto same = std::find_if(kept_.begin(), kept_.end(), [&](const SavedView& v) { return v.name == view.name; });
  if (same != kept_.end())
    *same = std::move(view);
  else
    kept_.push_back(std::move(view));
  emit changed();
}

QByteArray SceneViews::as_text() const {
  return QByteArray::fromStdString(saved_views_text(kept_));
}

Status SceneViews::set(const QByteArray& text) {
  kept_.clear();
  if (text.isEmpty()) return {};
  auto views = parse_saved_views(text.toStdString());
  if (!views) return views.error();
  kept_ = std::move(views).value();
  return {};
}

void SceneViews::restore(std::size_t index) {
  if (index >= kept_.size()) return;
  static_cast<void>(scene_.set_view(seen_by(kept_[index], scene_.view())).ok());
  scene_.camera().place(kept_[index].camera);
  emit restored();
}

void SceneViews::tell(const Status& done) {
  if (!done) emit troubled(translated(done.error().text), translated(done.error().hint));
}

void SceneViews::ask_where_to_save() {
  const QString file = QFileDialog::getSaveFileName(button_.window(), tr("Save the views to a file"), "views.json",
                                                    tr("Views (*.json)"));
  if (!file.isEmpty()) tell(write_file_atomically(file.toStdString(), saved_views_text(kept_) + "\n"));
}

void SceneViews::ask_for_file() {
  const QString file =
      QFileDialog::getOpenFileName(button_.window(), tr("Read views from a file"), {}, tr("Views (*.json)"));
  if (!file.isEmpty()) tell(read(file.toStdString()));
}

Status SceneViews::read(const std::filesystem::path& file) {
  auto views = read_saved_views(file);
  if (!views) return views.error();
  for (SavedView& view : *views) {
    std::erase_if(kept_, [&](const SavedView& v) { return v.name == view.name; });
    kept_.push_back(std::move(view));
  }
  emit changed();
  return {};
}

}  // namespace conoid::app

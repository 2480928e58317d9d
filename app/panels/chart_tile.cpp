// SPDX-License-Identifier: BSD-3-Clause
// One chart with its title.
#include "app/panels/chart_tile.hpp"

#include <QCloseEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/look/small_widgets.hpp"
#include "app/panels/picture_theme.hpp"

namespace conoid::app {

ChartTile::ChartTile(const Look& look, ViewportKind kind, bool own_window, QWidget* parent)
    : QWidget(parent, own_window ? Qt::Window : Qt::Widget), look_(look), scene_(std::make_shared<ChartScene>()) {
  setObjectName("surface");
  setAttribute(Qt::WA_StyledBackground);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(8, 4, 8, 4);
  column->setSpacing(0);
  if (!own_window) {
    auto* head = new QHBoxLayout;
    head->setContentsMargins(8, 0, 0, 0);
    title_ = make_label({}, "small", this);
    title_->setMinimumWidth(24);
    title_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    head->addWidget(title_, 1);
    auto* close = make_icon_button(look, "close", tr("Without this chart"), this);
    connect(close, &QToolButton::clicked, this, &ChartTile::close_wanted);
    head->addWidget(close);
    column->addLayout(head);
    scene_->set_title(false);
  }
  viewport_ = make_viewport(this, kind);
  column->addWidget(viewport_->widget(), 1);
  viewport_->set_scene(scene_);
  viewport_->widget()->setAccessibleName(tr("Chart"));
  viewport_->widget()->setAccessibleDescription(tr("A chart beside others: its pointer and the moment are shared"));
  connect(&look, &Look::changed, this, &ChartTile::apply_theme);
  apply_theme();
}

void ChartTile::show_chart(ChartSpec spec) {
  const QString title = QString::fromStdString(spec.title);
  if (title_) title_->setText(title);
  if (isWindow()) setWindowTitle(title);
  scene_->set_chart(std::move(spec));
  draw();
}

void ChartTile::draw() {
  viewport_->request_render();
}

void ChartTile::apply_theme() {
  scene_->set_theme(picture_theme(look_.theme(), "chart"));
  draw();
}

void ChartTile::closeEvent(QCloseEvent* event) {
  event->accept();
  emit close_wanted();
}

}  // namespace conoid::app

// SPDX-License-Identifier: BSD-3-Clause
#include "app/forms/material_library.hpp"

#include <algorithm>

#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QInputDialog>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMessageBox>
#include <QPushButton>
#include <QVBoxLayout>

#include "app/forms/schema_text.hpp"
#include "app/look/small_widgets.hpp"
#include "app/look/translator.hpp"
#include "app/model/names.hpp"

namespace conoid::app {
namespace {

QString words_of(const LibraryMaterial& material) {
  return translated(material.name) + ' ' + QString::fromStdString(material.name) + ' ' + translated(material.kind) +
         ' ' + QString::fromStdString(material.kind) + ' ' + QString::fromStdString(material.note);
}

/// "speed 343 m/s, density 1.2 kg/m^3".
QString values_in_words(const Json& value) {
  QStringList out;
  for (const auto& [key, member] : value.items()) {
    if (member.is_object())
      out << values_in_words(member);
    else if (member.is_array())
      out << label_of(key, {}) + QStringLiteral(" (%1)").arg(member.size());
    else
      out << label_of(key, {}) + ' ' + in_figures(text_of(member));
  }
  return out.join(", ");
}

void complain(QWidget* parent, const QString& title, const Error& error) {
  QMessageBox box(QMessageBox::NoIcon, title, translated(error.text), QMessageBox::Ok, parent);
  box.setInformativeText(translated(error.hint));
  box.exec();
}

}  // namespace

MaterialLibrary::MaterialLibrary(Json node, const Look& look, QWidget* parent)
    : QDialog(parent), node_(std::move(node)) {
  setWindowTitle(tr("Library of materials"));
  resize(560, 560);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(20, 18, 20, 16);
  column->setSpacing(10);
  search_ = new QLineEdit(this);
  search_->setPlaceholderText(tr("Search: water, rocks, absorber …"));
  search_->setAccessibleName(tr("Search the library"));
  search_->setClearButtonEnabled(true);
  search_->addAction(look.icon("search", "muted"), QLineEdit::LeadingPosition);
  column->addWidget(search_);
  list_ = new QListWidget(this);
  list_->setAccessibleName(tr("Materials"));
  column->addWidget(list_, 1);
  about_ = make_label({}, "small", this);
  about_->setWordWrap(true);
  about_->setMinimumHeight(84);
  about_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  about_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  column->addWidget(about_);
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  forget_ = new QPushButton(tr("Remove from the library"), this);
  row->addWidget(forget_);
  row->addStretch(1);
  auto* cancel = new QPushButton(tr("Cancel"), this);
  take_ = new QPushButton(tr("Take it"), this);
  take_->setDefault(true);
  set_role(take_, "primary");
  row->addWidget(cancel);
  row->addWidget(take_);
  column->addLayout(row);
  connect(search_, &QLineEdit::textChanged, this, &MaterialLibrary::filter);
  connect(list_, &QListWidget::currentRowChanged, this, &MaterialLibrary::show_chosen);
  connect(list_, &QListWidget::itemActivated, this, [this] {
    if (chosen()) accept();
  });
  connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
  connect(take_, &QPushButton::clicked, this, &QDialog::accept);
  connect(forget_, &QPushButton::clicked, this, [this] {
    if (!chosen() || !chosen()->own) return;
    if (const Status gone = forget_own_material(chosen()->name); !gone)
      return complain(this, tr("The library cannot be changed"), gone.error());
    load();
  });
  load();
  search_->setFocus();
}

void MaterialLibrary::load() {
  all_.clear();
  values_.clear();
  auto read = library_materials();
  if (!read) {
    about_->setText(translated(read.error().text));
  } else {
    for (LibraryMaterial& one : *read)
      if (auto value = material_for(node_, one)) {
        all_.push_back(std::move(one));
        values_.push_back(std::move(*value));
      }
  }
  filter();
}

void MaterialLibrary::filter() {
  list_->clear();
  const QStringList wanted = search_->text().simplified().split(' ', Qt::SkipEmptyParts);
  QString kind;
  for (std::size_t i = 0; i < all_.size(); ++i) {
    const QString words = words_of(all_[i]);
    if (!std::all_of(wanted.begin(), wanted.end(),
                     [&](const QString& word) { return words.contains(word, Qt::CaseInsensitive); }))
      continue;
    const QString own = all_[i].own ? tr("Your own") : translated(all_[i].kind);
    if (own != kind) {
      auto* head = new QListWidgetItem(own, list_);
      head->setFlags(Qt::NoItemFlags);
      QFont font = list_->font();
      font.setBold(true);
      head->setFont(font);
      head->setData(Qt::UserRole, -1);
    }
    kind = own;
    auto* item = new QListWidgetItem("    " + translated(all_[i].name), list_);
    item->setData(Qt::UserRole, static_cast<int>(i));
    if (!list_->currentItem() || list_->currentItem()->data(Qt::UserRole).toInt() < 0) list_->setCurrentItem(item);
  }
  show_chosen();
}

const LibraryMaterial* MaterialLibrary::chosen() const {
  const QListWidgetItem* item = list_->currentItem();
  const int at = item ? item->data(Qt::UserRole).toInt() : -1;
  return at < 0 ? nullptr : &all_[static_cast<std::size_t>(at)];
}

Json MaterialLibrary::value() const {
  return chosen() ? values_[static_cast<std::size_t>(chosen() - all_.data())] : Json();
}

void MaterialLibrary::show_chosen() {
  const LibraryMaterial* one = chosen();
  take_->setEnabled(one);
  forget_->setVisible(one && one->own);
  if (!one) {
    about_->setText(all_.empty() ? tr("The library has nothing for this field.") : tr("Nothing of that name."));
    return;
  }
  QStringList lines{values_in_words(value())};
  if (!one->note.empty()) lines << translated(one->note);
  if (!one->source.empty()) lines << tr("Source: %1").arg(QString::fromStdString(one->source));
  about_->setText(lines.join('\n'));
}

QPushButton* make_library_button(const FormContext& context, const Json& node, QWidget* parent,
                                 std::function<void(const LibraryMaterial&, Json)> take) {
  const auto all = library_materials();
  if (!all ||
      std::none_of(all->begin(), all->end(), [&](const auto& one) { return material_for(node, one).has_value(); }))
    return nullptr;
  auto* button = new QPushButton(QObject::tr("From the library…"), parent);
  button->setIcon(context.look.icon("search", "accent"));
  button->setToolTip(QObject::tr("Materials with their values and where these come from"));
  set_role(button, "link");
  QObject::connect(button, &QPushButton::clicked, button, [node, &look = context.look, button, take = std::move(take)] {
    MaterialLibrary library(node, look, button->window());
    if (library.exec() == QDialog::Accepted && library.chosen()) take(*library.chosen(), library.value());
  });
  return button;
}

QPushButton* make_keep_button(const FormContext& context, const std::string& pointer, const QString& name,
                              QWidget* parent) {
  auto* button = new QPushButton(QObject::tr("Keep in the library…"), parent);
  button->setIcon(context.look.icon("save", "accent"));
  button->setToolTip(QObject::tr("For other cases, under a name of yours"));
  set_role(button, "link");
  QObject::connect(button, &QPushButton::clicked, button, [&model = context.model, pointer, name, button] {
    const Json* value = model.value(pointer);
    const Json kept = value ? values_of_material(*value) : Json::object();
    if (kept.empty()) return;
    const QString called = QInputDialog::getText(button->window(), QObject::tr("Keep in the library"),
                                                 QObject::tr("Name of the material"), QLineEdit::Normal, name);
    if (called.trimmed().isEmpty()) return;
    LibraryMaterial own;
    own.name = called.trimmed().toStdString();
    own.kind = "Own";
    own.values = kept;
    if (const Status done = keep_own_material(own); !done)
      complain(button->window(), QObject::tr("The library cannot be changed"), done.error());
  });
  return button;
}

}  // namespace conoid::app

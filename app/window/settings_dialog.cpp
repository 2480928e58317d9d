// SPDX-License-Identifier: BSD-3-Clause
// Settings.
#include "app/window/settings_dialog.hpp"

#include <algorithm>

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QElapsedTimer>
#include <QFileDialog>
#include <QFontDatabase>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/look/small_widgets.hpp"
#include "app/look/translator.hpp"
#include "app/model/names.hpp"
#include "engine/solvers/registry.hpp"

namespace conoid::app {
namespace {

/// Each solver that uses devices with its phases in brackets, by the solvers' own tables.
QString phases_on_devices() {
  QStringList out;
  for (const SolverInfo* solver : registered_solvers()) {
    QStringList phases;
    for (const Capability& phase : solver->capabilities)
      if (phase.device) phases << phase_words(std::string(phase.phase));
    if (!phases.isEmpty())
      out << QString("%1 (%2)").arg(QString::fromUtf8(solver->id.data(), static_cast<qsizetype>(solver->id.size())),
                                    phases.join(", "));
  }
  return out.join(", ");
}

}  // namespace

SettingsDialog::SettingsDialog(Settings& settings, Look& look, QWidget* parent)
    : QDialog(parent), settings_(settings), look_(look) {
  setWindowTitle(tr("Settings"));
  setMinimumWidth(480);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(24, 20, 24, 20);
  column->setSpacing(16);
  form_ = new QFormLayout;
  form_->setHorizontalSpacing(16);
  form_->setVerticalSpacing(8);
  add_look();
  add_words();
  add_workers();
  add_memory();
  add_habits();
  add_folder();
  column->addLayout(form_);
  column->addStretch(1);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::accept);
  column->addWidget(buttons);
}

QComboBox* SettingsDialog::add_choice(const QString& name, const QString& tip) {
  auto* box = new QComboBox(this);
  box->setAccessibleName(name);
  box->setToolTip(tip);
  form_->addRow(name, box);
  return box;
}

void SettingsDialog::add_look() {
  QComboBox* theme =
      add_choice(tr("Colours"), tr("Of the window, of the picture and of charts; what is exported is white"));
  for (const auto& [text, choice] :
       {std::pair{tr("As the system"), ThemeChoice::system}, std::pair{tr("Light"), ThemeChoice::light},
        std::pair{tr("Dark"), ThemeChoice::dark}})
    theme->addItem(text, static_cast<int>(choice));
  theme->setCurrentIndex(theme->findData(static_cast<int>(look_.choice())));
  connect(theme, &QComboBox::activated, this, [this, theme] {
    const auto choice = static_cast<ThemeChoice>(theme->currentData().toInt());
    look_.choose(choice);
    settings_.set_theme(choice);
    emit changed();
  });

  QComboBox* font = add_choice(tr("Font"), tr("Of all words in the window; charts keep the program’s own"));
  font->addItem(tr("The program's own"), QString());
  font->addItem(tr("As the system"), QStringLiteral("system"));
  if (const QString own = settings_.font_family(); !own.isEmpty() && own != "system") font->addItem(own, own);
  font->setCurrentIndex(std::max(0, font->findData(settings_.font_family())));
  offer_fonts(font);
  connect(font, &QComboBox::activated, this, [this, font] {
    settings_.set_font_family(font->currentData().toString());
    look_.set_font_family(settings_.font_family());
    emit changed();
  });

  QComboBox* scale = add_choice(tr("Size of the text"), tr("All words, and what holds them, grow or shrink by this"));
  for (int percent : {80, 90, 100, 110, 125, 150, 175, 200}) scale->addItem(tr("%1 %").arg(percent), percent / 100.0);
  scale->setCurrentIndex(std::max(0, scale->findText(tr("%1 %").arg(qRound(100 * settings_.font_scale())))));
  connect(scale, &QComboBox::activated, this, [this, scale] {
    settings_.set_font_scale(scale->currentData().toDouble());
    look_.set_font_scale(settings_.font_scale());
    emit changed();
  });
}

void SettingsDialog::offer_fonts(QComboBox* font) {
  // Each family is looked up in files: some at a time, while the dialog is there already.
  constexpr qint64 slice_ms = 8;
  auto* turns = new QTimer(font);
  connect(turns, &QTimer::timeout, font,
          [font, turns, families = QFontDatabase::families(), next = qsizetype{0}]() mutable {
            QElapsedTimer spent;
            spent.start();
            for (; next < families.size() && spent.elapsed() < slice_ms; ++next) {
              const QString& family = families[next];
              if (QFontDatabase::isPrivateFamily(family) || !QFontDatabase::isSmoothlyScalable(family)) continue;
              // The one that is in use stands there already, and all in the order of their names.
              int row = font->count();
              while (row > 2 && font->itemText(row - 1).compare(family, Qt::CaseInsensitive) > 0) --row;
              if (font->findData(family) < 0) font->insertItem(row, family, family);
            }
            if (next >= families.size()) turns->deleteLater();
          });
  turns->start(1);
}

void SettingsDialog::add_words() {
  QComboBox* language = add_choice(tr("Language"), tr("Of the window; cases and run folders stay as they are"));
  language->addItem(tr("As the system"), QString());
  for (const Language& one : languages()) language->addItem(one.name, one.id);
  language->setCurrentIndex(std::max(0, language->findData(settings_.language())));
  auto* language_note = make_label(tr("The language changes at the next start."), "small", this);
  language_note->hide();
  form_->addRow({}, language_note);
  connect(language, &QComboBox::activated, this, [this, language, language_note] {
    settings_.set_language(language->currentData().toString());
    language_note->show();
  });

  QComboBox* units = add_choice(tr("Units of length"),
                                tr("The first that are offered while a length is typed, and those of the mesh pane"));
  units->addItem(tr("Metres (SI)"), static_cast<int>(UnitSystem::si));
  units->addItem(tr("Millimetres"), static_cast<int>(UnitSystem::millimetre));
  units->addItem(tr("Inches and feet (US)"), static_cast<int>(UnitSystem::us));
  units->setCurrentIndex(units->findData(static_cast<int>(settings_.units())));
  connect(units, &QComboBox::activated, this, [this, units] {
    settings_.set_units(static_cast<UnitSystem>(units->currentData().toInt()));
    emit changed();
  });
}

void SettingsDialog::add_workers() {
  workers_ =
      add_choice(tr("Computed by"), tr("Processor or devices of this machine, for cases that name none themselves"));
  workers_note_ = make_label(tr("Looking for devices…"), "small", this);
  workers_note_->setWordWrap(true);
  form_->addRow({}, workers_note_);
  workers_->addItem(tr("What each case says"), QString());
  workers_->addItem(tr("The processor"), QStringLiteral("cpu"));
  connect(workers_, &QComboBox::activated, this, [this] {
    settings_.set_workers(workers_->currentData().toString());
    emit changed();
  });
  if (!settings_.workers().isEmpty() && workers_->findData(settings_.workers()) < 0)
    workers_->addItem(settings_.workers(), settings_.workers());
  workers_->setCurrentIndex(std::max(0, workers_->findData(settings_.workers())));
  // The command line program looks: a driver that takes its time, or falls, does not take the window along.
  auto* query = new FarEndQuery(this);
  connect(query, &FarEndQuery::answered, this,
          [this](const FarEnd& found) { show_devices(found, settings_.workers()); });
  query->ask("process");
}

void SettingsDialog::add_memory() {
  const auto memory = [&](const QString& name, const QString& tip, std::uint64_t now, bool may_be_free,
                          void (Settings::*set)(std::uint64_t)) {
    auto* box = new QSpinBox(this);
    box->setAccessibleName(name);
    box->setToolTip(tip);
    // The least that may be asked for is 32 MiB; the step below it leaves the choice to the case.
    box->setRange(may_be_free ? 0 : 32, may_be_free ? 1 << 24 : 65536);
    if (may_be_free) box->setSpecialValueText(tr("What each case says"));
    box->setSingleStep(may_be_free ? 1024 : 128);
    box->setSuffix(" MiB");
    box->setValue(static_cast<int>(now >> 20));
    form_->addRow(name, box);
    connect(box, &QSpinBox::valueChanged, this, [this, set](int mebibytes) {
      (settings_.*set)(static_cast<std::uint64_t>(mebibytes) << 20);
      emit changed();
    });
  };
  memory(tr("Memory of a run"), tr("Larger data are streamed from the disk; a case that says its own goes before"),
         settings_.host_memory(), true, &Settings::set_host_memory);
  memory(tr("Memory of each device"),
         tr("Larger data are streamed from the memory of the host; a case that says its own goes before"),
         settings_.device_memory(), true, &Settings::set_device_memory);
  memory(tr("Memory for frames"), tr("Of the pictures that can be scrubbed to without reading them again"),
         settings_.frame_memory(), false, &Settings::set_frame_memory);
}

void SettingsDialog::add_habits() {
  auto* autosave = new QSpinBox(this);
  autosave->setAccessibleName(tr("Keep unsaved edits after"));
  autosave->setToolTip(tr("Edits that were not saved are there again after a crash"));
  autosave->setRange(1, 600);
  autosave->setSuffix(" s");
  autosave->setValue(settings_.autosave_seconds());
  form_->addRow(tr("Keep unsaved edits after"), autosave);
  connect(autosave, &QSpinBox::valueChanged, this, [this](int seconds) {
    settings_.set_autosave_seconds(seconds);
    emit changed();
  });

  auto* calm = new QCheckBox(tr("Nothing moves by itself"), this);
  calm->setChecked(settings_.reduced_motion());
  form_->addRow(tr("Motion"), calm);
  connect(calm, &QCheckBox::clicked, this, [this](bool on) {
    settings_.set_reduced_motion(on);
    emit changed();
  });
}

void SettingsDialog::add_folder() {
  auto* row = new QHBoxLayout;
  auto* folder = new QLineEdit(QString::fromStdString(settings_.runs_folder().string()), this);
  folder->setReadOnly(true);
  folder->setCursorPosition(0);
  folder->setAccessibleName(tr("Folder of the runs"));
  folder->setAccessibleDescription(tr("Each run makes a folder of its own in this one"));
  auto* browse = make_icon_button(look_, "folder", tr("Choose a folder"), this);
  row->addWidget(folder, 1);
  row->addWidget(browse);
  form_->addRow(tr("Folder of the runs"), row);
  connect(browse, &QToolButton::clicked, this, [this, folder] {
    const QString chosen = QFileDialog::getExistingDirectory(this, tr("Folder of the runs"), folder->text());
    if (chosen.isEmpty()) return;
    settings_.keep_runs_folder(chosen);
    folder->setText(QString::fromStdString(settings_.runs_folder().string()));
    emit changed();
  });
}

void SettingsDialog::show_devices(const FarEnd& found, const QString& chosen) {
  bool any = false;
  for (const FarEnd::Device& device : found.devices) {
    // The processor is there already; what only imitates a device is for tests and shown to those who ask for it.
    if (device.id == "cpu" || (device.id.startsWith("emulated") && qEnvironmentVariableIsEmpty("CONOID_EMULATED")))
      continue;
    const QString name = device.words + " (" + device.id + ")";
    workers_->addItem(tr("%1 and the processor").arg(name), device.id + ",cpu");
    workers_->addItem(tr("%1 alone").arg(name), device.id);
    any = true;
  }
  // A choice made before, whose device is away now, stays what it was.
  if (workers_->findData(chosen) < 0) workers_->addItem(chosen, chosen);
  workers_->setCurrentIndex(std::max(0, workers_->findData(chosen)));
  QStringList absent;
  for (const QString& one : found.absent) absent << translated(one);
  QString note = found.trouble.isEmpty() ? absent.join("; ") : found.trouble;
  if (!note.isEmpty()) note[0] = note[0].toUpper();
  if (!note.isEmpty() && !note.endsWith('.')) note += '.';
  if (any) note = QStringList{tr("Devices compute: %1.").arg(phases_on_devices()), note}.join(' ').trimmed();
  workers_note_->setText(QString(note).replace('/', "/\u200b"));  // a long path may be broken at its folders
  workers_note_->setVisible(!note.isEmpty());
  // As high as its lines are in the width of the field above it.
  if (!note.isEmpty()) workers_note_->setMinimumHeight(workers_note_->heightForWidth(std::max(workers_->width(), 200)));
}

}  // namespace conoid::app

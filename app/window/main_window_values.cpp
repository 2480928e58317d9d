// SPDX-License-Identifier: BSD-3-Clause
// Numbers and files out of a run, by the command: values over all frames, fields for other programs.
#include <algorithm>

#include <QDesktopServices>
#include <QFileDialog>
#include <QInputDialog>
#include <QUrl>

#include "app/model/background.hpp"
#include "app/model/conoid_command.hpp"
#include "app/model/mesh_model.hpp"
#include "app/model/run_values.hpp"
#include "app/panels/results_panel.hpp"
#include "app/panels/viewport_panel.hpp"
#include "app/window/main_window.hpp"
#include "app/window/values_dialog.hpp"
#include "app/window/workbench.hpp"
#include "engine/core/atomic_file.hpp"

namespace conoid::app {

void MainWindow::ask_where_values(const std::optional<Vec3>& place) {
  if (!workbench_ || asks_values_) return;
  auto question = workbench_->viewport_panel().pane().question();
  if (!question) {
    if (options_.asks)
      show_error(tr("There are no values to read"),
                 make_error(ErrorCode::command_line, tr("The picture shows no field of this run.").toStdString(), ""));
    return;
  }
  question->place = place;
  if (place) return show_values(*question);
  QStringList regions;
  for (const auto& [part, info] : run_->catalog())
    if (const QString name = QString::fromStdString(part); info.name == question->field.name && !regions.contains(name))
      regions << name;
  // A field by a formula lies where those do that it is made of.
  if (regions.isEmpty() && !question->part.empty()) regions << QString::fromStdString(question->part);
  if (const auto& mesh = workbench_->mesh().mesh())
    for (std::size_t group = 1; group < mesh->group_names.size(); ++group)
      regions << QString::fromStdString(mesh->group_names[group]);
  ValuesDialog dialog(*question, regions, this);
  if (dialog.exec() == QDialog::Accepted) show_values(dialog.question());
}

void MainWindow::show_values(const ValuesQuestion& question) {
  asks_values_ = true;
  refresh_actions();
  in_background(
      this,
      [question, program = options_.command, stop = commands_.get_token()] {
        return ask_values(question, program, stop);
      },
      [question](MainWindow& self, const Result<RunValues>& values) {
        self.asks_values_ = false;
        self.refresh_actions();
        if (!values) return self.show_error(tr("The values cannot be read"), values.error());
        if (!self.workbench_ || self.run_->folder() != question.run) return;
        self.workbench_->show_pane("results", true);
        self.workbench_->results_panel().show_made(values->charts);
        const double now = self.run_->elapsed();
        for (const QString& warning : values->warnings)
          self.run_->add_log({LogLevel::warning, now, warning.toStdString(), {}, {}});
        self.run_->add_log({LogLevel::info, now, values->sentence.toStdString(), {}, {}});
        // One frame makes no curve.
        if (std::all_of(values->charts.begin(), values->charts.end(), [](const ChartSpec& chart) {
              return chart.series.empty() || chart.series.front().x.size() < 2;
            }))
          self.workbench_->results_panel().show_log();
      });
}

void MainWindow::ask_export() {
  const std::filesystem::path run = run_->folder();
  if (!options_.asks || run.empty() || exports_) return;
  const QStringList kinds{tr("VTU: any field, for ParaView"), tr("VTI: fields on grids, for ParaView"),
                          tr("CSV: tables")};
  bool chosen = false;
  const QString kind = QInputDialog::getItem(this, tr("Export the fields"), tr("Format"), kinds, 0, false, &chosen);
  if (!chosen) return;
  const std::string format = kinds.indexOf(kind) == 0 ? "vtu" : kinds.indexOf(kind) == 1 ? "vti" : "csv";
  const QString above = QFileDialog::getExistingDirectory(this, tr("Make the folder of the files in"),
                                                          QString::fromStdString(run.string()));
  if (above.isEmpty()) return;
  const std::filesystem::path folder = std::filesystem::path(above.toStdString()) / ("export-" + format);
  exports_ = true;
  refresh_actions();
  in_background(
      this,
      [run, folder, format, program = options_.command, stop = commands_.get_token()] {
        constexpr double longest = 3600;
        return ask_conoid({"export", absolute_path(run).string(), "--to", format, "--out", folder.string()}, program,
                          longest, stop);
      },
      [folder](MainWindow& self, const Result<std::string>& said) {
        self.exports_ = false;
        self.refresh_actions();
        if (!said) return self.show_error(tr("The fields cannot be exported"), said.error());
        QDesktopServices::openUrl(QUrl::fromLocalFile(QString::fromStdString(folder.string())));
      });
}

}  // namespace conoid::app

// SPDX-License-Identifier: BSD-3-Clause
// What tests of windows have in common: a home for what they keep, run folders of small samples, windows that show them.
#pragma once

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include <QApplication>
#include <QDesktopServices>
#include <QList>
#include <QObject>
#include <QTemporaryDir>
#include <QUrl>

#include "app/model/gallery.hpp"
#include "app/window/main_window.hpp"
#include "engine/io/vtkhdf.hpp"
#include "tests/app/fake_session.hpp"
#include "tests/app/shown_window.hpp"

namespace conoid::app::test {

class WindowTest : public QObject {
 protected:
  void begin() {
    keep_below(folder_);
    look_ = std::make_unique<Look>(*qApp, ThemeChoice::light);
    settings_ = std::make_unique<Settings>(folder_.filePath("settings.ini"));
    settings_->set_runs_folder(folder_.filePath("runs"));
  }
  void end() { settings_.reset(); }

  std::unique_ptr<MainWindow> window() { return shown_window(*look_, *settings_); }
  static SampleCard any_sample() {
    for (SampleCard& card : load_gallery(samples()))
      if (card.available) return card;
    return {};
  }
  /// None where this build has not its solver.
  static SampleCard sample_named(const QString& name) {
    for (SampleCard& card : load_gallery(samples()))
      if (card.available && card.name == name) return card;
    return {};
  }
  /// A run folder of this case; `numbers`: those of its summary, as JSON.
  std::filesystem::path begin_run(std::string_view name, const std::filesystem::path& case_file, std::string_view title,
                                  std::string_view numbers) {
    const std::filesystem::path run = std::filesystem::path(folder_.filePath("runs").toStdString()) / name;
    std::filesystem::create_directories(run / "charts");
    std::filesystem::copy_file(case_file, run / "case.json", std::filesystem::copy_options::overwrite_existing);
    std::ofstream(run / "run.json") << "{\"title\":\"" << title << R"(","started":"2026-01-02T03:04:05Z","case":")"
                                    << case_file.string() << "\"}";
    std::ofstream(run / "summary.json") << R"({"state":"finished","numbers":)" << numbers << "}";
    return run;
  }
  /// Its table of one receiver.
  static void write_receivers(const std::filesystem::path& run, std::string_view title, double scale) {
    TableInfo info{.id = "receivers", .title = "Receivers", .columns = {{"t", "s", {}}, {"p", "Pa", {}}}};
    std::string csv = csv_head(info, title);
    for (int i = 0; i < 64; ++i) append_csv_row(csv, std::array{0.01 * i, scale * std::sin(0.6 * i)});
    std::ofstream(run / "charts" / "receivers.csv", std::ios::binary) << csv;
  }
  /// A run folder of a sample case with frames of a plane and one table.
  std::filesystem::path make_run(const char* name, int frames, double scale, Index n = 33) {
    const std::filesystem::path run = begin_run(name, any_sample().case_file, "A plane",
                                                R"({"energy":{"value":)" + shortest(scale) + R"(,"unit":"J"}})");
    write_receivers(run, name, scale);
    auto writer = VtkhdfWriter::create(run, name);
    if (!writer) qFatal("%s", writer.error().render().c_str());
    for (int i = 0; i < frames; ++i)
      if (!(*writer)->write(*make_frame(static_cast<std::uint64_t>(i), 0.1 * i, n, static_cast<float>(scale * i))))
        qFatal("write");
    if (!(*writer)->close()) qFatal("close");
    return run;
  }

  QTemporaryDir folder_;
  std::unique_ptr<Look> look_;
  std::unique_ptr<Settings> settings_;

 private:
  static std::string shortest(double value) {
    std::ostringstream out;
    out << value;
    return out.str();
  }
};

/// A window that shows one run and calls the command; what it opens for its user is kept.
class WindowOfRunTest : public WindowTest {
 protected:
  /// Of the derived class: its slot open_url(QUrl) has what is opened.
  void begin_with_links() {
    begin();
    QApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
    QDesktopServices::setUrlHandler("file", this, "open_url");
  }
  void end_with_links() {
    QDesktopServices::unsetUrlHandler("file");
    end();
  }
  std::unique_ptr<MainWindow> window(std::filesystem::path command) {
    WindowOptions options = quiet_options();
    options.asks = true;
    options.command = std::move(command);
    auto w = shown_window(*look_, *settings_, std::move(options));
    w->resize(1280, 800);
    if (!w->open_run(run_).ok()) qFatal("the run does not open");
    return w;
  }

  std::filesystem::path run_, command_ = CONOID_BIN_DIR "/conoid";
  QList<QUrl> opened_;
};

}  // namespace conoid::app::test

// SPDX-License-Identifier: BSD-3-Clause
// The program conoid-gui: command line, platform, signals, window.
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include <sys/socket.h>
#include <unistd.h>

#include <QApplication>
#include <QCommandLineParser>
#include <QFileInfo>
#include <QSocketNotifier>
#include <QTimer>

#include "app/look/theme.hpp"
#include "app/look/translator.hpp"
#include "app/model/heap.hpp"
#include "app/model/settings.hpp"
#include "app/window/main_window.hpp"
#include "app/window/page_printer.hpp"
#include "app/window/screenshot.hpp"
#include "conoid/config.hpp"
#include "engine/core/log.hpp"
#include "engine/core/resources.hpp"
#include "engine/core/room_to_start.hpp"
#include "render/window/make_viewport.hpp"

namespace {

using namespace conoid;
using namespace conoid::app;

constexpr int usage_error = static_cast<int>(ErrorCode::command_line);
int signal_ends[2] = {-1, -1};

void on_signal(int number) {
  // Only what is allowed in a handler: one byte wakes the event loop.
  const char byte = static_cast<char>(number);
  [[maybe_unused]] const auto written = ::write(signal_ends[0], &byte, 1);
}

void catch_signals(MainWindow& window) {
  if (::socketpair(AF_UNIX, SOCK_STREAM, 0, signal_ends) != 0) return;
  auto* notifier = new QSocketNotifier(signal_ends[1], QSocketNotifier::Read, &window);
  QObject::connect(notifier, &QSocketNotifier::activated, &window, [&window] {
    char byte = 0;
    [[maybe_unused]] const auto got = ::read(signal_ends[1], &byte, 1);
    if (byte == SIGUSR1)
      window.run().send(Command::checkpoint);
    else
      window.end_by_signal();
  });
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  for (int number : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) ::sigaction(number, &action, nullptr);
}

int complain(const QString& text, const QString& hint) {
  std::fprintf(stderr, "conoid-gui: %s\n  %s\n", qPrintable(text), qPrintable(hint));
  return usage_error;
}

/// Before any QApplication: without a display Qt would abort.
void choose_platform(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (std::strncmp(argv[i], "-platform", 9) == 0) return;
    if (std::strncmp(argv[i], "--paper", 7) == 0) qputenv("QT_QPA_PLATFORM", "offscreen");  // nothing is shown
  }
  if (qEnvironmentVariableIsEmpty("DISPLAY") && qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY") &&
      qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
    qputenv("QT_QPA_PLATFORM", "offscreen");
}

bool parse_size(const QString& text, QSize& size) {
  const QStringList parts = text.split('x');
  bool wide = false, high = false;
  if (parts.size() == 2) size = QSize(parts[0].toInt(&wide), parts[1].toInt(&high));
  return wide && high && size.width() >= 320 && size.height() >= 240 && size.width() <= 16384 && size.height() <= 16384;
}

void name_program() {
  QApplication::setApplicationName("conoid-gui");
  QApplication::setApplicationDisplayName("Conoid");
  QApplication::setApplicationVersion(CONOID_VERSION);
  QApplication::setDesktopFileName("conoid");
}

int print_on_paper(const QString& page, const QString& paper) {
  const Status printed = print_page(page, paper);
  if (!printed) std::fprintf(stderr, "conoid-gui: %s\n", printed.error().render().c_str());
  return printed ? 0 : static_cast<int>(printed.error().code);
}

void add_options(QCommandLineParser& parser) {
  parser.setApplicationDescription("A desktop workbench for waves and shocks.");
  parser.addHelpOption();
  parser.addPositionalArgument("CASE", "A case file, a run folder or a mesh to open.", "[CASE|RUN|MESH]");
  parser.addOptions(
      {{"run", "Run the case at once."},
       {"compare", "Another run folder, shown beside the run that is opened.", "RUN"},
       {"screenshot", "Write a picture of the window (with --run: once the run has ended) and exit.", "PNG"},
       {"do", "An action to be done before the picture is taken, by its id (view.split); may be repeated.", "ACTION"},
       {"paper", "Write a page of `conoid report` as PDF and exit: conoid-gui PAGE.html --paper FILE.", "PDF"},
       {"theme", "light, dark or system.", "NAME"},
       {"size", "Size of the window.", "WxH"},
       {"language", "en or fr.", "ID"},
       {"viewport", "How pictures are drawn: auto, gl or raster.", "KIND", "auto"},
       {"runs", "Folder below which run folders are made.", "DIR"}});
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i)
    if (std::strcmp(argv[i], "--version") == 0 || std::strcmp(argv[i], "-v") == 0) {
      std::puts("conoid-gui " CONOID_VERSION);
      return 0;
    }
  set_up_heap();
  choose_platform(argc, argv);
  prepare_viewports();
  QApplication application(argc, argv);
  name_program();
  QCommandLineParser parser;
  add_options(parser);
  if (!parser.parse(QApplication::arguments()))
    return complain(parser.errorText() + ".", "conoid-gui --help lists the options.");
  if (parser.isSet("help")) parser.showHelp(0);
  const QStringList files = parser.positionalArguments();
  if (files.size() > 1) return complain("One file is expected.", "Found: " + files.join(", "));
  if (parser.isSet("paper")) {
    if (files.isEmpty()) return complain("--paper needs a page.", "conoid-gui PAGE.html --paper FILE.pdf");
    return print_on_paper(files.front(), parser.value("paper"));
  }
  const QString theme = parser.value("theme");
  if (!theme.isEmpty() && theme != "light" && theme != "dark" && theme != "system")
    return complain("There is no theme '" + theme + "'.", "Themes: light, dark, system.");
  const auto viewport = parse_viewport_kind(parser.value("viewport").toStdString());
  if (!viewport)
    return complain(QString::fromStdString(viewport.error().text), QString::fromStdString(viewport.error().hint));
  QSize size(1280, 800);
  if (parser.isSet("size") && !parse_size(parser.value("size"), size))
    return complain("'" + parser.value("size") + "' is no window size.",
                    "Write width x height in pixels, for example 1280x800.");
  if (parser.isSet("run") && files.isEmpty()) return complain("--run needs a case file.", "conoid-gui CASE --run");
  if (parser.isSet("compare") && (files.isEmpty() || parser.isSet("run")))
    return complain("--compare needs the folder of a finished run.", "conoid-gui RUN --compare RUN");

  const bool takes_picture = parser.isSet("screenshot");
  Settings settings;
  // A solver that crashes takes a process of its own, not the window, unless somebody has chosen otherwise.
  std::error_code ignored;
  if (std::filesystem::exists(conoid::program_folder() / "conoid-worker", ignored))
    settings.set_default_place("process");
  if (parser.isSet("runs")) settings.set_runs_folder(parser.value("runs"));
  const ThemeChoice choice = theme == "dark"                      ? ThemeChoice::dark
                             : theme == "light"                   ? ThemeChoice::light
                             : theme == "system" || takes_picture ? ThemeChoice::system
                                                                  : settings.theme();
  const QString language = chosen_language(parser.isSet("language") ? parser.value("language")
                                           : takes_picture          ? QStringLiteral("en")
                                                                    : settings.language());
  Translator translator;
  if (translator.load_language(language)) QApplication::installTranslator(&translator);
  Look look(application, choice);
  WindowOptions options;
  options.samples = resources_folder() / "cases";
  options.viewport = viewport.value();
  options.asks = !takes_picture;
  MainWindow window(look, settings, std::move(options));
  if (takes_picture || parser.isSet("size")) window.resize(size);
  catch_signals(window);
  int code = 0;
  if (!files.isEmpty()) {
    const QString file = QFileInfo(files.front()).absoluteFilePath();
    if (!takes_picture && MainWindow::is_taken(file)) {
      // What is to be computed with it is asked over the window.
      QTimer::singleShot(0, &window, [&window, file] { static_cast<void>(window.open_file(file).ok()); });
    } else if (Status opened =
                   parser.isSet("compare")
                       ? window.compare_runs(file.toStdString(), absolute_path(parser.value("compare").toStdString()))
                       : window.open_file(file);
               !opened && takes_picture) {
      std::fprintf(stderr, "%s\n", opened.error().render().c_str());
      return static_cast<int>(opened.error().code);
    }
  }
  window.show();
  if (parser.isSet("run")) {
    if (takes_picture && !window.model().is_valid()) {
      for (const Diagnostic& d : window.model().diagnostics()) std::fprintf(stderr, "%s\n", d.render().c_str());
      code = static_cast<int>(ErrorCode::invalid_input);
    }
    QTimer::singleShot(0, &window, [&window] { window.start_run(); });
  }
  for (const QString& id : parser.values("do"))
    if (!window.actions().has(id))
      return complain("There is no action '" + id + "'.", "Actions: " + window.actions().ids().join(", ") + ".");
  Screenshot picture(window, parser.value("screenshot"), parser.isSet("run") && code == 0, parser.values("do"));
  if (takes_picture) {
    QObject::connect(&picture, &Screenshot::done, &window, [&](int done) {
      if (code == 0 || done == static_cast<int>(ErrorCode::file)) code = done;
      QApplication::exit(0);
    });
    picture.begin();
  }
  QApplication::exec();
  return takes_picture ? code : window.run().exit_code() == 75 ? 75 : 0;
}

CONOID_REQUIRE_ROOM_TO_START

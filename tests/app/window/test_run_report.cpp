// SPDX-License-Identifier: BSD-3-Clause
// "Report…" in the menu of runs: the page that the command writes, to the byte, at the place that was chosen; its folder opens, the window
// stays alive, and what goes wrong is said.
// labels: gui timeout240
#include <fstream>

#include <QAction>
#include <QApplication>
#include <QBuffer>
#include <QDesktopServices>
#include <QFile>
#include <QFileDialog>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <QThreadPool>
#include <QTimer>
#include <QUrl>
#include <QtEndian>

#include "app/look/translator.hpp"
#include "app/model/gallery.hpp"
#include "app/model/run_report.hpp"
#include "app/window/main_window.hpp"
#include "app/window/page_printer.hpp"
#include "tests/app/patience.hpp"
#include "tests/app/window/window_test.hpp"

using namespace conoid;
using namespace conoid::app;

class TestRunReport : public test::WindowOfRunTest {
  Q_OBJECT

  static QByteArray bytes(const QString& file) {
    QFile in(file);
    return in.open(QIODevice::ReadOnly) ? in.readAll() : QByteArray();
  }
  /// What the pages of a PDF draw: of each stream of content how many pictures, and how many signs besides its number.
  static QList<std::pair<int, int>> pages_of(const QByteArray& pdf) {
    QList<std::pair<int, int>> out;
    for (qsizetype at = pdf.indexOf("stream\n"); at >= 0; at = pdf.indexOf("stream\n", at)) {
      at += 7;
      const qsizetype end = pdf.indexOf("endstream", at);
      if (end < 0) break;
      constexpr quint32 most = 1 << 20;
      QByteArray packed(4, '\0');
      qToBigEndian(most, packed.data());
      const QByteArray plain = qUncompress(packed + pdf.mid(at, end - at));
      // A picture's bytes hold no operators of a page. Each sign is one; the page's number is the last.
      if (const auto pictures = plain.count(" Do\n"); pictures > 0)
        out.emplace_back(static_cast<int>(pictures), static_cast<int>(plain.count(" Tj")) - 1);
      at = end + 9;  // behind "endstream"
    }
    return out;
  }

 public slots:
  void open_url(const QUrl& url) { opened_ << url; }

 private slots:
  void initTestCase() {
    begin_with_links();
    const SampleCard quickest = test::quickest_sample();
    if (quickest.case_file.empty()) QSKIP("no sample case in this build");
    run_ = begin_run("20260102T030405Z-told", quickest.case_file, "Told", R"({"energy":{"value":3.5,"unit":"J"}})");
    std::ofstream(run_ / "log.jsonl") << "";
    write_receivers(run_, "Told", 1);
  }
  void init() { opened_.clear(); }
  void cleanupTestCase() { end_with_links(); }

  void the_page_is_the_one_of_the_command() {
    if (!QFile::exists(QString::fromStdString(command_.string()))) QSKIP("the command is not built");
    auto w = window(command_);
    QTRY_VERIFY(w->run().is_stored());
    QAction* action = w->actions().at("run.report");
    QTRY_VERIFY(action->isEnabled());
    QCOMPARE(action->text(), QString("Report…"));
    const QString page = folder_.filePath("chosen.html");
    int dialogs = 0;
    QString proposed;
    QTimer hands;
    connect(&hands, &QTimer::timeout, this, [&] {
      if (auto* choose = qobject_cast<QFileDialog*>(QApplication::activeModalWidget()); choose && dialogs == 0) {
        ++dialogs;
        proposed = choose->selectedFiles().value(0);
        choose->findChild<QLineEdit*>("fileNameEdit")->setText(folder_.filePath("chosen"));
        QMetaObject::invokeMethod(choose, "accept");
      }
    });
    hands.start(50);
    action->trigger();
    hands.stop();
    QCOMPARE(dialogs, 1);
    QCOMPARE(QFileInfo(proposed).fileName(), QString("20260102T030405Z-told-report.html"));
    // It is written beside the work: the window answers, and does not begin a second one.
    QVERIFY(!action->isEnabled());
    QCOMPARE(action->text(), QString("The report is being written…"));
    QTRY_VERIFY_WITH_TIMEOUT(action->isEnabled(), 120000);
    QCOMPARE(action->text(), QString("Report…"));
    QCOMPARE(opened_, QList<QUrl>{QUrl::fromLocalFile(folder_.path())});
    QProcess program;
    const QString same = folder_.filePath("same.html");
    program.start(QString::fromStdString(command_.string()),
                  {"report", QString::fromStdString(run_.string()), "-o", same});
    QVERIFY(program.waitForFinished(120000));
    QCOMPARE(program.exitCode(), 0);
    QVERIFY(bytes(page).size() > 1000);
    QVERIFY(bytes(page).contains("3.5"));
    QCOMPARE(bytes(page), bytes(same));
  }

  void what_goes_wrong_is_said() {
    const auto missing = write_run_report(run_, folder_.filePath("no.html").toStdString(), "/nowhere/conoid");
    QVERIFY(!missing.ok());
    QVERIFY2(missing.error().text.find("/nowhere/conoid") != std::string::npos, missing.error().text.c_str());
    if (!QFile::exists(QString::fromStdString(command_.string()))) QSKIP("the command is not built");
    auto w = window(command_);
    QTRY_VERIFY(w->actions().at("run.report")->isEnabled());
    QString said;
    QTimer hands;
    connect(&hands, &QTimer::timeout, this, [&] {
      if (auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget())) {
        said = box->text() + box->informativeText();
        box->accept();
      }
    });
    hands.start(50);
    w->write_report("/proc/nowhere/page.html");
    QTRY_VERIFY_WITH_TIMEOUT(!said.isEmpty(), 120000);
    QVERIFY2(said.contains("The report cannot be written") && said.contains("/proc/nowhere"), qPrintable(said));
    QVERIFY(!said.contains("conoid: error"));
    QVERIFY(opened_.isEmpty());
    QTRY_VERIFY(w->actions().at("run.report")->isEnabled());
  }

  void a_window_that_closes_does_not_wait_for_the_page() {
    const QString slow = folder_.filePath("slow");
    std::ofstream(slow.toStdString()) << "#!/bin/sh\ntouch '" << folder_.filePath("begun").toStdString()
                                      << "'\nsleep 300\n";
    QFile::setPermissions(slow, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    auto w = window(slow.toStdString());
    QTRY_VERIFY(w->actions().at("run.report")->isEnabled());
    w->write_report(folder_.filePath("never.html").toStdString());
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(folder_.filePath("begun")), 60000);
    w.reset();
    QVERIFY(QThreadPool::globalInstance()->waitForDone(60000));
    QVERIFY(!QFile::exists(folder_.filePath("never.html")));
  }

  void it_stands_in_the_menu_in_both_languages() {
    for (const char* language : {"en", "fr"}) {
      Translator translator;
      if (QString(language) != "en") QVERIFY(translator.load_language(language));
      QApplication::installTranslator(&translator);
      auto w = window(command_);
      QTRY_VERIFY(w->actions().at("run.report")->isEnabled());
      QMenu* menu = nullptr;
      for (QAction* one : w->menuBar()->actions())
        if (one->menu() && one->menu()->actions().contains(w->actions().at("run.report"))) menu = one->menu();
      QVERIFY(menu);
      menu->popup(w->mapToGlobal(QPoint(40, 40)));
      QTest::qWait(50);
      QVERIFY(menu->grab().save(QString(CONOID_BIN_DIR "/../pictures/run-menu-%1.png").arg(language)) ||
              !QFile::exists(CONOID_BIN_DIR "/../pictures"));
      menu->close();
      if (QString(language) == "fr") QCOMPARE(w->actions().at("run.report")->text(), QString("Rapport…"));
      QApplication::removeTranslator(&translator);
    }
  }

  void a_picture_and_its_words_are_on_one_page_of_paper() {
    const QString page = folder_.filePath("page.html"), pdf = folder_.filePath("page.pdf");
    for (int height = 380; height <= 520; height += 10) {
      QImage picture(620, height, QImage::Format_RGB32);
      picture.fill(Qt::gray);
      QByteArray png;
      QBuffer buffer(&png);
      QVERIFY(buffer.open(QIODevice::WriteOnly) && picture.save(&buffer, "PNG"));
      std::ofstream out(page.toStdString());
      out << "<!DOCTYPE html><html><head><title>t</title></head><body><div class=\"pictures\">";
      for (int i = 0; i < 5; ++i)
        out << "<figure><img alt=\"Picture\" src=\"data:image/png;base64," << png.toBase64().toStdString()
            << "\"><figcaption>Picture &amp; words</figcaption></figure>\n";
      out << "</div></body></html>\n";
      out.close();
      const Status printed = print_page(page, pdf);
      QVERIFY2(printed.ok(), printed.ok() ? "" : printed.error().text.c_str());
      int pictures = 0, before = -1;
      for (const auto& [drawn, words] : pages_of(bytes(pdf))) {
        pictures += drawn;
        // As many signs a picture on each page.
        QVERIFY2(words > 0 && words % drawn == 0,
                 qPrintable(QString("%1 of %2 pixels, %3").arg(drawn).arg(height).arg(words)));
        if (before >= 0) QCOMPARE(words / drawn, before);
        before = words / drawn;
      }
      QCOMPARE(pictures, 5);
    }
  }

  void no_heading_is_alone_at_the_foot_of_a_page() {
    const QString page = folder_.filePath("page.html"), pdf = folder_.filePath("page.pdf");
    QImage picture(620, 300, QImage::Format_RGB32);
    picture.fill(Qt::gray);
    QByteArray png;
    QBuffer buffer(&png);
    QVERIFY(buffer.open(QIODevice::WriteOnly) && picture.save(&buffer, "PNG"));
    int broken = 0;  // lengths of what stands above for which all of it does not fit on one page
    for (int lines = 16; lines <= 40; ++lines) {
      std::ofstream out(page.toStdString());
      out << "<!DOCTYPE html><html><head><title>t</title></head><body>";
      for (int i = 0; i < lines; ++i) out << "<p>x</p>";
      out << "<h2>Heading</h2><h3>Part</h3><figure><img alt=\"Picture\" src=\"data:image/png;base64,"
          << png.toBase64().toStdString() << "\"><figcaption>Words</figcaption></figure></body></html>\n";
      out.close();
      const Status printed = print_page(page, pdf);
      QVERIFY2(printed.ok(), printed.ok() ? "" : printed.error().text.c_str());
      const auto pages = pages_of(bytes(pdf));  // those with pictures
      QCOMPARE(pages.size(), 1);
      const int whole = 7 + 4 + 5, signs = pages.front().second;
      QVERIFY2(signs >= whole, qPrintable(QString("%1 lines, %2 signs beside the picture").arg(lines).arg(signs)));
      broken += signs == whole;
    }
    QVERIFY2(broken > 4 && broken < 24, qPrintable(QString::number(broken)));
  }
};

QTEST_MAIN(TestRunReport)
#include "test_run_report.moc"

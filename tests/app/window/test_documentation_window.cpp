// SPDX-License-Identifier: BSD-3-Clause
// The documentation in the window: an article without the lists around it, links and keys that lead to their places, a search, and what is
// said where there are no pages.
// labels: gui
#include "app/window/documentation_window.hpp"

#include <QAbstractButton>
#include <QApplication>
#include <QDir>
#include <QFile>
#include <QLineEdit>
#include <QScrollBar>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBrowser>

using namespace conoid::app;

class TestDocumentationWindow : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

  void write(const QString& name, const QString& article) {
    QFile out(folder_.filePath(name));
    QVERIFY(out.open(QIODevice::WriteOnly));
    out.write(("<html><body><nav>every page there is</nav><div itemprop=\"articleBody\">" + article +
               "</div><footer>made by a program</footer></body></html>")
                  .toUtf8());
  }
  [[nodiscard]] std::filesystem::path pages() const { return folder_.path().toStdString(); }

 private slots:
  void initTestCase() {
    QVERIFY(QDir(folder_.path()).mkpath("reference"));
    write("index.html",
          "<h1>Start<a class=\"headerlink\" href=\"#start\">¶</a></h1><p><a "
          "href=\"reference/keys.html#/grid/spacing\">keys</a></p>");
    QString rows;
    for (int i = 0; i < 200; ++i) rows += QString("<p>row %1</p>").arg(i);
    write("reference/keys.html",
          "<h1>Keys</h1>" + rows +
              "<table><tr><td><span id=\"/grid/spacing\"></span><code>/grid/spacing</code></td></tr></table>" + rows);
  }

  void an_article_is_shown_and_links_lead_on() {
    const Look look(*qApp, ThemeChoice::light);
    DocumentationWindow window(look, pages());
    window.show();
    window.open("index.html");
    QVERIFY(window.page().toPlainText().startsWith("Start\n"));
    QVERIFY(!window.page().toPlainText().contains("every page there is"));
    QVERIFY(!window.page().toPlainText().contains("made by a program"));
    window.open("reference/keys.html#/grid/spacing");
    QVERIFY(window.page().toPlainText().startsWith("Keys\n"));
    QTRY_VERIFY(window.page().verticalScrollBar()->value() > 1000);  // in the middle of 400 rows
    window.page().backward();
    QVERIFY(window.page().toPlainText().startsWith("Start\n"));
  }

  void all_words_are_searched() {
    const Look look(*qApp, ThemeChoice::dark);
    DocumentationWindow window(look, pages());
    auto* search = window.findChild<QLineEdit*>();
    QTest::keyClicks(search, "SPACING row");
    QTest::keyClick(search, Qt::Key_Return);
    QVERIFY2(window.page().toHtml().contains("reference/keys.html"), qPrintable(window.page().toHtml()));
    QVERIFY(!window.page().toHtml().contains("index.html"));
    search->clear();
    QTest::keyClicks(search, "made by a program");  // of the frame, not of an article
    QTest::keyClick(search, Qt::Key_Return);
    QVERIFY(window.page().toPlainText().contains("made by a program"));
    QVERIFY(!window.page().toHtml().contains(".html\""));
  }

  void without_pages_it_is_said_what_makes_them() {
    const Look look(*qApp, ThemeChoice::light);
    DocumentationWindow window(look, {});
    window.open("index.html");
    QVERIFY(window.page().toPlainText().contains("packaging/docs.sh"));
    QVERIFY(!window.findChild<QLineEdit*>()->isEnabled());
  }
};

QTEST_MAIN(TestDocumentationWindow)
#include "test_documentation_window.moc"

// SPDX-License-Identifier: BSD-3-Clause
// Every text colour of both themes stands out from what it is written on; every sentence of the window has its French.
// labels: unit
#include <cmath>

#include <QDirIterator>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QTest>
#include <QXmlStreamReader>

#include "app/look/translator.hpp"

using namespace conoid::app;

namespace {

const QString root = QStringLiteral(CONOID_SOURCE_DIR);

QJsonObject read_json(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? QJsonDocument::fromJson(file.readAll()).object() : QJsonObject();
}

/// Relative luminance and contrast of WCAG 2.1.
double luminance(const QColor& c) {
  const auto linear = [](double v) { return v <= 0.03928 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); };
  return 0.2126 * linear(c.redF()) + 0.7152 * linear(c.greenF()) + 0.0722 * linear(c.blueF());
}
double contrast(const QColor& a, const QColor& b) {
  const double high = std::max(luminance(a), luminance(b)), low = std::min(luminance(a), luminance(b));
  return (high + 0.05) / (low + 0.05);
}

/// All literals inside tr("…") below app/.
QStringList sentences() {
  QStringList out;
  static const QRegularExpression call("\\btr\\(\\s*((?:\"(?:[^\"\\\\]|\\\\.)*\"\\s*)+)");
  static const QRegularExpression literal("\"((?:[^\"\\\\]|\\\\.)*)\"");
  QDirIterator walk(root + "/app", {"*.cpp", "*.hpp"}, QDir::Files, QDirIterator::Subdirectories);
  while (walk.hasNext()) {
    QFile file(walk.next());
    if (!file.open(QIODevice::ReadOnly)) continue;
    const QString text = QString::fromUtf8(file.readAll());
    for (auto it = call.globalMatch(text); it.hasNext();) {
      QString sentence;
      const QString all = it.next().captured(1);
      for (auto part = literal.globalMatch(all); part.hasNext();) sentence += part.next().captured(1);
      out << sentence.replace("\\n", "\n").replace("\\\"", "\"");
    }
  }
  out.removeDuplicates();
  return out;
}

QStringList placeholders(const QString& text) {
  static const QRegularExpression mark("%(\\d|n)");
  QStringList out;
  for (auto it = mark.globalMatch(text); it.hasNext();) out << it.next().captured(0);
  out.sort();
  return out;
}

void collect(const QJsonValue& value, QStringList& out) {
  if (value.isArray())
    for (const auto& v : value.toArray()) collect(v, out);
  if (!value.isObject()) return;
  const QJsonObject object = value.toObject();
  for (auto it = object.begin(); it != object.end(); ++it) {
    if ((it.key() == "title" || it.key() == "description") && it.value().isString()) out << it.value().toString();
    collect(it.value(), out);
  }
}

}  // namespace

class TestThemeAndWords : public QObject {
  Q_OBJECT
 private slots:
  void texts_stand_out_in_both_themes() {
    for (const QString name : {"light", "dark"}) {
      const QJsonObject colours = read_json(root + "/resources/themes/" + name + ".json")["colours"].toObject();
      const auto colour = [&](const QString& id) {
        if (!colours.contains(id)) qFatal("no colour %s", qPrintable(id));
        return QColor(colours[id].toString());
      };
      for (const QString text : {"text", "muted", "faint", "accent", "good", "caution", "bad"})
        for (const QString below : {"window", "surface"}) {
          const double c = contrast(colour(text), colour(below));
          QVERIFY2(c >= 4.5, qPrintable(QString("%1: %2 on %3 has %4:1").arg(name, text, below).arg(c)));
        }
      for (const QString text : {"text", "muted"})
        for (const QString below : {"sunken", "hover", "viewport", "caution_soft", "bad_soft", "accent_soft"})
          QVERIFY2(contrast(colour(text), colour(below)) >= 4.5, qPrintable(name + ": " + text + " on " + below));
      QVERIFY(contrast(colour("on_accent"), colour("accent")) >= 4.5);
      // Curves are graphics: 3:1 (WCAG 1.4.11).
      for (const auto& curve : read_json(root + "/resources/themes/" + name + ".json")["series"].toArray())
        QVERIFY2(contrast(QColor(curve.toString()), colour("chart")) >= 3, qPrintable(name + " " + curve.toString()));
    }
  }

  void every_sentence_has_its_french() {
    Translator translator;
    QVERIFY(translator.load_language("fr"));
    QVERIFY(!translator.load_language("xx"));
    QVERIFY(translator.load_language("fr"));
    QStringList wanted = sentences();
    QVERIFY(wanted.size() > 300);
    collect(read_json(root + "/engine/case/common.json"), wanted);
    QFile news(root + "/resources/help/news.json");
    QVERIFY(news.open(QIODevice::ReadOnly));
    for (const auto& version : QJsonDocument::fromJson(news.readAll()).array())
      for (const auto& item : version.toObject()["items"].toArray()) wanted << item.toString();
    QStringList missing;
    for (const QString& sentence : wanted) {
      const auto it = translator.texts().find(sentence);
      if (it == translator.texts().end()) {
        missing << sentence;
        continue;
      }
      for (const QString& form : *it) {
        QVERIFY2(!form.isEmpty(), qPrintable(sentence));
        QVERIFY2(placeholders(form) == placeholders(sentence), qPrintable(sentence + " / " + form));
      }
      QCOMPARE(sentence.endsWith(QStringLiteral("…")), it->front().endsWith(QStringLiteral("…")));
    }
    QVERIFY2(
        missing.isEmpty(),
        qPrintable(QString("resources/i18n/fr.json lacks %1, first: %2").arg(missing.size()).arg(missing.value(0))));
  }

  void what_solvers_say_has_its_french() {
    Translator translator;
    QVERIFY(translator.load_language("fr"));
    QStringList wanted, missing;
    QDirIterator walk(root + "/engine/solvers", {"parameters.json"}, QDir::Files, QDirIterator::Subdirectories);
    while (walk.hasNext()) collect(read_json(walk.next()), wanted);
    // The samples and their cards too.
    static const QRegularExpression said("\"(?:title|summary)\": \"([^\"]+)\"");
    QDirIterator samples(root + "/resources/cases", {"case.json", "card.json"}, QDir::Files,
                         QDirIterator::Subdirectories);
    while (samples.hasNext()) {
      QFile file(samples.next());
      QVERIFY(file.open(QIODevice::ReadOnly));
      if (const auto match = said.match(QString::fromUtf8(file.readAll())); match.hasMatch())
        wanted << match.captured(1);
    }
    wanted.removeDuplicates();
    QVERIFY(wanted.size() > 440);
    for (const QString& text : wanted)
      if (!translator.texts().contains(text)) missing << text;
    QVERIFY2(missing.isEmpty(), qPrintable("resources/i18n/fr.json lacks: " + missing.join(" | ")));
  }

  // Result numbers arrive as names: each has words, each word its French.
  void result_numbers_have_words() {
    Translator translator;
    QVERIFY(translator.load_language("fr"));
    const QJsonObject names = read_json(root + "/resources/help/names.json");
    QStringList keys;
    for (const QString group : {"first", "more", "phases"}) {
      const QJsonObject entries = names[group].toObject();
      QVERIFY(entries.size() > 5);
      for (auto it = entries.begin(); it != entries.end(); ++it) {
        QVERIFY2(translator.texts().contains(it->toString()), qPrintable(it->toString()));
        QCOMPARE(it.key().count('*'), it->toString().count("%1"));
        if (group != "phases") keys << it.key();
      }
    }
    for (const auto& text : names["templates"].toArray()) {
      QCOMPARE(text.toString().count("%1"), 1);
      QVERIFY2(translator.texts().contains(text.toString()), qPrintable(text.toString()));
    }
    static const QRegularExpression call("\\.number\\(\"(\\w+)\"");
    QStringList told;
    QDirIterator walk(root + "/engine/solvers", {"*.cpp"}, QDir::Files, QDirIterator::Subdirectories);
    while (walk.hasNext()) {
      const QString path = walk.next();
      if (path.contains("/verify/")) continue;
      QFile file(path);
      QVERIFY(file.open(QIODevice::ReadOnly));
      const QString text = QString::fromUtf8(file.readAll());
      for (auto it = call.globalMatch(text); it.hasNext();) told << it.next().captured(1);
    }
    told.removeDuplicates();
    QVERIFY(told.size() > 40);
    QStringList missing;
    for (const QString& name : told) {
      const bool known = std::any_of(keys.begin(), keys.end(), [&](const QString& key) {
        return QRegularExpression(QRegularExpression::wildcardToRegularExpression(key)).match(name).hasMatch();
      });
      if (!known) missing << name;
    }
    QVERIFY2(missing.isEmpty(), qPrintable("resources/help/names.json has no words for: " + missing.join(", ")));
  }

  void files_for_the_desktop_say_the_same() {
    const auto text = [](const QString& name) {
      QFile file(root + "/packaging/desktop/" + name);
      return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
    };
    const QString entry = text("conoid.desktop"), mime = text("conoid-mime.xml"), info = text("conoid.metainfo.xml");
    for (const QString line : {"Type=Application", "Name=Conoid", "Exec=conoid-gui %f", "Icon=conoid"})
      QVERIFY2(entry.split('\n').contains(line), qPrintable(line));
    QVERIFY(entry.contains("\nMimeType=application/x-conoid-case+json;"));
    QVERIFY(mime.contains("type=\"application/x-conoid-case+json\""));
    QVERIFY(info.contains("<launchable type=\"desktop-id\">conoid.desktop</launchable>"));
    for (const QString& xml : {mime, info, text("conoid.svg")}) {
      QXmlStreamReader reader(xml);
      while (!reader.atEnd()) reader.readNext();
      QVERIFY2(!reader.hasError(), qPrintable(reader.errorString()));
    }
  }

  void french_spaces_do_not_break_lines_and_months_are_french() {
    Translator translator;
    QVERIFY(translator.load_language("fr"));
    int joined = 0;
    for (const QStringList& forms : translator.texts())
      for (const QString& form : forms) {
        for (const char* mark : {" :", " ;", " ?", " !", " »", "« "})
          QVERIFY2(!form.contains(QString::fromUtf8(mark)), qPrintable(form));
        joined += form.contains(QChar(0x00a0)) ? 1 : 0;
      }
    QVERIFY(joined > 50);
    QCOMPARE(words_locale().toString(QDate(2026, 2, 3), "d MMMM"), QString::fromUtf8("3 février"));
  }

  void plural_forms_follow_the_number() {
    Translator translator;
    QVERIFY(translator.load_language("fr"));
    QCOMPARE(translator.translate("", "%1 (and %n more)", nullptr, 1), QString("%1 (et %n autre)"));
    QCOMPARE(translator.translate("", "%1 (and %n more)", nullptr, 3), QString("%1 (et %n autres)"));
    QVERIFY(translator.translate("", "no such sentence", nullptr, -1).isEmpty());
  }
};

QTEST_GUILESS_MAIN(TestThemeAndWords)
#include "test_theme_and_words.moc"

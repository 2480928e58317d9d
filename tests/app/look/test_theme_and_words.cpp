// SPDX-License-Identifier: BSD-3-Clause
// Every text colour of both themes stands out from what it is written on, curves from each other for everybody; every sentence of the window has its French.
// labels: unit
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include <QDirIterator>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QTest>
#include <QXmlStreamReader>

#include "app/look/translator.hpp"
#include "app/model/names.hpp"

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

using Triple = std::array<double, 3>;

/// What a colour is to people without one kind of cone: Machado, Oliveira, Fernandes, IEEE TVCG 15 (2009) 1291, table for severity 1,
/// on linear values; then CIE L*a*b* under D65.
Triple lab_seen(const QColor& colour, const std::array<Triple, 3>& cones) {
  const auto linear = [](double v) { return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); };
  const Triple rgb = {linear(colour.redF()), linear(colour.greenF()), linear(colour.blueF())};
  const auto times = [](const std::array<Triple, 3>& m, const Triple& v) {
    Triple out{};
    for (std::size_t i = 0; i < 3; ++i) out[i] = m[i][0] * v[0] + m[i][1] * v[1] + m[i][2] * v[2];
    return out;
  };
  Triple seen = times(cones, rgb);
  for (double& v : seen) v = std::clamp(v, 0.0, 1.0);
  static constexpr std::array<Triple, 3> to_xyz = {{{0.4124564 / 0.95047, 0.3575761 / 0.95047, 0.1804375 / 0.95047},
                                                    {0.2126729, 0.7151522, 0.0721750},
                                                    {0.0193339 / 1.08883, 0.1191920 / 1.08883, 0.9503041 / 1.08883}}};
  Triple f = times(to_xyz, seen);
  for (double& v : f) v = v > 216.0 / 24389 ? std::cbrt(v) : (24389.0 / 27 * v + 16) / 116;
  return {116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])};
}

/// CIEDE2000, as in Sharma, Wu, Dalal, Color Research and Application 30 (2005) 21.
double ciede2000(const Triple& a, const Triple& b) {
  constexpr double degree = std::numbers::pi / 180;
  const auto seventh = [](double c) { return std::sqrt(std::pow(c, 7) / (std::pow(c, 7) + std::pow(25.0, 7))); };
  const double g = 0.5 * (1 - seventh((std::hypot(a[1], a[2]) + std::hypot(b[1], b[2])) / 2));
  const double c1 = std::hypot((1 + g) * a[1], a[2]), c2 = std::hypot((1 + g) * b[1], b[2]);
  const auto hue = [&](const Triple& v) {
    const double h = std::atan2(v[2], (1 + g) * v[1]) / degree;
    return h < 0 ? h + 360 : h;
  };
  const double h1 = hue(a), h2 = hue(b);
  double dh = c1 * c2 == 0 ? 0 : h2 - h1;
  if (dh > 180) dh -= 360;
  if (dh < -180) dh += 360;
  double h = h1 + h2;
  if (c1 * c2 != 0) h = std::abs(h1 - h2) <= 180 ? h / 2 : (h < 360 ? h + 360 : h - 360) / 2;
  const double l = (a[0] + b[0]) / 2, c = (c1 + c2) / 2;
  const double t = 1 - 0.17 * std::cos((h - 30) * degree) + 0.24 * std::cos(2 * h * degree) +
                   0.32 * std::cos((3 * h + 6) * degree) - 0.2 * std::cos((4 * h - 63) * degree);
  const double sl = 1 + 0.015 * (l - 50) * (l - 50) / std::sqrt(20 + (l - 50) * (l - 50));
  const double dl = (b[0] - a[0]) / sl, dc = (c2 - c1) / (1 + 0.045 * c);
  const double dd = 2 * std::sqrt(c1 * c2) * std::sin(dh / 2 * degree) / (1 + 0.015 * c * t);
  const double turn = -2 * seventh(c) * std::sin(60 * degree * std::exp(-std::pow((h - 275) / 25, 2)));
  return std::sqrt(dl * dl + dc * dc + dd * dd + turn * dc * dd);
}

/// Texts of the solvers' sources, without those of tables of the field.
QStringList sources_of_solvers() {
  QStringList out;
  QDirIterator walk(root + "/engine/solvers", {"*.cpp"}, QDir::Files, QDirIterator::Subdirectories);
  while (walk.hasNext()) {
    const QString path = walk.next();
    if (path.contains("/verify/")) continue;
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) qFatal("%s", qPrintable(path));
    out << QString::fromUtf8(file.readAll());
  }
  return out;
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

/// Texts of enums at any depth of a schema.
void collect_choices(const QJsonValue& value, QStringList& out) {
  if (value.isArray())
    for (const auto& v : value.toArray()) collect_choices(v, out);
  if (!value.isObject()) return;
  const QJsonObject object = value.toObject();
  for (const auto& choice : object["enum"].toArray())
    if (choice.isString()) out << choice.toString().replace('_', ' ');
  for (auto it = object.begin(); it != object.end(); ++it)
    if (it.key() != "default") collect_choices(it.value(), out);
}

/// Titles of the elements of lists and maps at any depth of a schema: each stands behind "Add".
void collect_elements(const QJsonValue& value, QStringList& out) {
  if (value.isArray())
    for (const auto& v : value.toArray()) collect_elements(v, out);
  const QJsonObject object = value.toObject();
  for (const char* elements : {"items", "map"}) {
    const QJsonObject node = object[QLatin1String(elements)].toObject();
    if (!node.contains("properties") && !node.contains("variants") && node["type"] != "string") continue;
    const QString own = node["title"].toString(), all = object["title"].toString();
    out << (own.isEmpty() && all.endsWith('s') ? all.chopped(1) : own.isEmpty() ? all : own);
  }
  for (const auto& v : object) collect_elements(v, out);
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

  void curves_differ_for_everybody() {
    // Two pairs of the paper's table: the arithmetic is right.
    QVERIFY(std::abs(ciede2000({50, 2.6772, -79.7751}, {50, 0, -82.7485}) - 2.0425) < 1e-4);
    QVERIFY(std::abs(ciede2000({22.7233, 20.0904, -46.6940}, {23.0331, 14.9730, -42.5619}) - 2.0373) < 1e-4);
    const std::array<std::pair<const char*, std::array<Triple, 3>>, 4> eyes = {
        {{"all cones", {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}},
         {"no red cones",
          {{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}}},
         {"no green cones",
          {{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}}},
         {"no blue cones",
          {{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}}}}};
    for (const QString name : {"light", "dark"}) {
      const QJsonArray curves = read_json(root + "/resources/themes/" + name + ".json")["series"].toArray();
      QVERIFY(curves.size() >= 8);
      for (const auto& [whose, cones] : eyes)
        for (int i = 0; i < curves.size(); ++i)
          for (int j = 0; j < i; ++j) {
            const QString one = curves[i].toString(), other = curves[j].toString();
            const double apart = ciede2000(lab_seen(QColor(one), cones), lab_seen(QColor(other), cones));
            QVERIFY2(apart >= 10,
                     qPrintable(QString("%1, %2: %3 and %4 are %5 apart").arg(name, whose, one, other).arg(apart)));
          }
    }
  }

  void every_choice_has_its_french() {
    Translator translator;
    QVERIFY(translator.load_language("fr"));
    QStringList choices;
    collect_choices(read_json(root + "/engine/case/common.json"), choices);
    QDirIterator walk(root + "/engine/solvers", {"parameters.json"}, QDir::Files, QDirIterator::Subdirectories);
    while (walk.hasNext()) collect_choices(read_json(walk.next()), choices);
    choices.removeDuplicates();
    // Symbols, units, and what is called by a name in every language.
    static const QRegularExpression symbol("^([+-]?.{1,3}|[a-z]+ (S'?|rhs|inner|outer)|rk[24].*|avx\\d+)$");
    static const QStringList names{"cholesky", "debye",    "drude", "eigen",   "gmres", "hamming",
                                   "hann",     "hilbert",  "ieee",  "lorentz", "love",  "morton",
                                   "mumps",    "rayleigh", "sedov", "sinc",    "theta", "veletsos-verbic"};
    static const QStringList short_words{"log", "off", "on"};
    QStringList missing;
    for (const QString& choice : choices)
      if (!names.contains(choice) && (short_words.contains(choice) || !symbol.match(choice).hasMatch()) &&
          !translator.texts().contains("choice: " + choice))
        missing << choice;
    QVERIFY(choices.size() > 100);
    QVERIFY2(missing.isEmpty(), qPrintable(missing.join(", ")));
  }

  void what_is_added_has_its_article() {
    Translator translator;
    QVERIFY(translator.load_language("fr"));
    QStringList elements, missing;
    collect_elements(read_json(root + "/engine/case/common.json"), elements);
    QDirIterator walk(root + "/engine/solvers", {"parameters.json"}, QDir::Files, QDirIterator::Subdirectories);
    while (walk.hasNext()) collect_elements(read_json(walk.next()), elements);
    elements.removeDuplicates();
    QVERIFY(elements.size() > 20);
    for (const QString& element : elements) {
      const QString one = translator.texts().value("one: " + element).value(0);
      if (!one.startsWith("un ") && !one.startsWith("une ")) missing << element;
    }
    QVERIFY2(missing.isEmpty(), qPrintable(missing.join(", ")));
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
    for (const QString& text : sources_of_solvers()) {
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

  void titles_of_charts_have_their_french() {
    Translator translator;
    QVERIFY(translator.load_language("fr"));
    QCoreApplication::installTranslator(&translator);
    // One of several shots: the number stays, what is before it has its own French.
    QCOMPARE(translated(QString("Energy of the field, shot 12")), QStringLiteral("Énergie du champ, tir 12"));
    QCOMPARE(translated(QString("Gather of streamer, shot 2")), QStringLiteral("Sismogrammes de streamer, tir 2"));
    QCOMPARE(translated(QString("Gather of streamer, shot two")), QStringLiteral("Sismogrammes de streamer, shot two"));
    QStringList forms;
    for (const auto& text : read_json(root + "/resources/help/names.json")["templates"].toArray())
      forms << text.toString();
    // What begins as a title that goes on with a name is a form with one free part.
    const auto is_known = [&](const QString& title) {
      const QString head = title.section("%1", 0, 0).section("{}", 0, 0);
      return translator.texts().contains(title) || std::any_of(forms.begin(), forms.end(), [&](const QString& form) {
               return form.startsWith(head) && !form.section("%1", 0, 0).isEmpty();
             });
    };
    static const QRegularExpression titles[] = {
        QRegularExpression("table_info\\(\\s*(?:\"[^\"]*\"|[\\w.:]+\\([^()]*\\)),\\s*\"([^\"]+)\""),
        QRegularExpression("\\.title = (?:[^;\"]*\\?\\s*)?\"([^\"]+)\"")};
    QStringList found, missing;
    for (const QString& text : sources_of_solvers()) {
      for (const QRegularExpression& title : titles)
        for (auto it = title.globalMatch(text); it.hasNext();) found << it.next().captured(1);
    }
    found.removeDuplicates();
    found.removeIf([](const QString& title) { return !title[0].isUpper(); });
    QVERIFY2(found.size() > 25, qPrintable(found.join(", ")));
    for (const QString& title : found)
      if (!is_known(title)) missing << title;
    QVERIFY2(missing.isEmpty(), qPrintable("no French for: " + missing.join(" | ")));
  }

  void fields_have_their_french() {
    Translator translator;
    QVERIFY(translator.load_language("fr"));
    static const QRegularExpression field(
        "FieldKind::\\w+,\\s*Association::\\w+,[\\w\\s:.!]+,[\\w\\s:.!]+,\\s*(?:\\(?[^\";{}]*\\?\\s*)?\"([^\"]+)\""
        "(?:\\s*:\\s*\"([^\"]+)\")?");
    // Of several waves or loads each is called by its name behind a comma.
    static const QRegularExpression named("Association::\\w+,[\\w\\s]+,[\\w\\s]+,\\s*\"([^\"]+)\" \\+ label");
    QStringList found, missing;
    int of_several = 0;
    for (const QString& text : sources_of_solvers()) {
      for (auto it = named.globalMatch(text); it.hasNext(); ++of_several) {
        const QString form = it.next().captured(1) + ", %1";
        if (!translator.texts().contains(form)) missing << form;
      }
      for (auto it = field.globalMatch(text); it.hasNext();) {
        const QRegularExpressionMatch match = it.next();
        for (const int one : {1, 2})
          if (!match.captured(one).isEmpty()) found << match.captured(one);
      }
    }
    found.removeDuplicates();
    QVERIFY2(found.size() > 20, qPrintable(found.join(", ")));
    QVERIFY(of_several > 3);
    // What ends with a space goes on with a number or a name.
    for (const QString& label : found)
      if (!translator.texts().contains(label.endsWith(' ') ? label + "%1" : label)) missing << label;
    QVERIFY2(missing.isEmpty(), qPrintable("no French for: " + missing.join(" | ")));
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

// SPDX-License-Identifier: BSD-3-Clause
// What the engine says of damaged files and of cases with something wrong comes out in French, whole: no half of a sentence stays English.
// labels: unit rows
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include <QCoreApplication>
#include <QDirIterator>
#include <QRegularExpression>
#include <QTest>

#include "app/look/message_catalogue.hpp"
#include "app/look/translator.hpp"
#include "app/model/names.hpp"
#include "engine/case/document.hpp"
#include "engine/mesh/readers/read_mesh.hpp"
#include "engine/session/session.hpp"
#include "tests/all_rows.hpp"

using namespace conoid;
using namespace conoid::app;

namespace {

const QString project = QStringLiteral(CONOID_SOURCE_DIR);

/// A word that no French sentence has, outside of what is quoted; empty: none.
QString english_in(QString text) {
  static const QRegularExpression quoted(
      "'[^']*'|\"[^\"\\n]*\"|`[^`\\n]*`|«[^»]*»|/[\\w/.-]+|[\\w.-]+\\.(json|csv|msh|stl)");
  text.replace(quoted, " ");
  // Names of receivers are somebody's own, keys are typed as they are.
  static const QRegularExpression named("récepteur [^:]*?(:| est )|Connues ici : [^.]*\\.|from ≤ to");
  text.replace(named, " ");
  static const QRegularExpression word(
      "\\b(the|is|are|of|and|expected|found|give|must|has|have|this|that|which|with|from|lies|than|needs|there|takes|"
      "about|"
      "not|only|missing|write|these|under|stands|while|where|when|before|after|cannot|does|was|were|its|left|out)\\b");
  const auto match = word.match(text);
  return match.hasMatch() ? match.captured() : QString();
}

class TestMessagesInFrench : public QObject {
  Q_OBJECT
  Translator translator_;
  std::set<QString> seen_, english_;

  void look_at(const Diagnostic& d) {
    for (const std::string& text : {d.text, d.hint}) {
      if (text.empty() || !seen_.insert(QString::fromStdString(text)).second) continue;
      const QString said = translated(text);
      if (!english_in(said).isEmpty()) english_.insert(QString::fromStdString(text) + "\n    " + said);
    }
  }

  void tell(std::size_t least) {
    QStringList all;
    for (const QString& one : english_) all << one;
    const std::size_t count = seen_.size();
    seen_.clear();
    english_.clear();
    QVERIFY2(all.isEmpty(), qPrintable(QString("%1 of %2 texts:\n").arg(all.size()).arg(count) + all.join('\n')));
    QVERIFY2(count >= least, qPrintable(QString::number(count)));
  }

  /// One value after the other is taken away, or made what it must not be.
  void damage(Json& whole, Json& part, const std::filesystem::path& file, int& count, int every) {
    if (part.is_object() || part.is_array()) {
      if (part.is_array() && part.size() > 4) return;
      std::vector<std::string> keys;
      if (part.is_object())
        for (const auto& item : part.items()) keys.push_back(item.key());
      for (std::size_t i = 0; i < part.size(); ++i) {
        Json& member = part.is_object() ? part[keys[i]] : part[i];
        const Json before = member;
        std::vector<Json> wrong = {Json(nullptr),  Json(-1),         Json(0),   Json("what is this"),
                                   Json(true),     Json(1e30),       Json(2.5), Json::array(),
                                   Json::object(), Json("3 apples"), Json(7),   Json("")};
        if (before.is_object()) {
          Json more = before;
          more["surprise"] = 1;
          wrong.push_back(more);
        }
        for (const Json& value : wrong) {
          if (++count % every != 0) continue;
          member = value;
          check(whole, file);
        }
        member = before;
        damage(whole, member, file, count, every);
      }
      if (part.is_object() && ++count % every == 0)
        for (const std::string& key : keys) {
          const Json before = part;
          part.erase(key);
          check(whole, file);
          part = before;
        }
    }
  }

  void check(const Json& whole, const std::filesystem::path& file) {
    const auto document = CaseDocument::from_json(whole, file);
    for (const Diagnostic& d : check_case(document).diagnostics) look_at(d);
  }

 private slots:
  void initTestCase() {
    QVERIFY(translator_.load_language("fr"));
    QCoreApplication::installTranslator(&translator_);
    QVERIFY(messages().size() > 3000);
    QCOMPARE(english_in(QStringLiteral("on attend « the » de 'of', pas d’autre")), QString());
    QCOMPARE(english_in(QStringLiteral("on attend a mesh of 3 m")), QStringLiteral("of"));
  }

  void every_pattern_is_taken() {
    QFile file(project + "/resources/i18n/fr-messages.json");
    QVERIFY(file.open(QIODevice::ReadOnly));
    const Json folders = read_json(file.readAll().toStdString());
    QVERIFY(folders.is_object());
    for (const auto& [folder, texts] : folders.items())
      for (const auto& [pattern, said] : texts.items()) {
        MessageCatalogue one;
        QVERIFY2(one.add(pattern, said.get<std::string>()), pattern.c_str());
      }
  }

  void damaged_meshes() {
    QStringList files;
    for (const char* folder : {"/tests/data/inputs", "/tests/data/mesh"}) {
      QDirIterator walk(project + folder, QDir::Files);
      while (walk.hasNext()) files << walk.next();
    }
    files.sort();
    int count = 0;
    const std::size_t pieces = all_rows() ? 60 : 20;
    for (const QString& name : files) {
      std::ifstream in(name.toStdString(), std::ios::binary);
      std::string bytes((std::istreambuf_iterator<char>(in)), {});
      if (bytes.size() > 200'000 || name.endsWith(".vtu")) continue;  // a program of its own reads those
      const auto read = [&](const std::string& text) {
        ReadNotes notes;
        const auto mesh = read_mesh_bytes(text, name.toStdString(), {.notes = &notes});
        if (!mesh) look_at(mesh.error());
      };
      read(bytes);
      // Cut off, and with something else at places spread over the file.
      for (std::size_t i = 0; i < pieces; ++i) {
        const std::size_t at = bytes.size() * i / pieces;
        read(bytes.substr(0, at));
        for (const char* other : {"x", "-1 ", "99999 ", "\n", "nan ", "0 "}) {
          if (++count % (all_rows() ? 1 : 4) != 0) continue;
          std::string text = bytes;
          text.replace(at, std::string_view(other).size(), other);
          read(text);
        }
      }
    }
    tell(60);
  }

  void damaged_texts_of_cases() {
    QFile file(project + "/resources/cases/point-source/case.json");
    QVERIFY(file.open(QIODevice::ReadOnly));
    const std::string whole = file.readAll().toStdString();
    for (std::size_t at = 0; at < whole.size(); at += all_rows() ? 1 : 7)
      for (const char* other : {"", "{", "}", "\"", ",", "x", "'", "\xff", "\x01", "\\", "/*", "1.", "01", "e"}) {
        std::string text = whole;
        text.replace(at, 1, other);
        const auto document = CaseDocument::parse(text, "case.json");
        if (!document) look_at(document.error());
      }
    tell(20);
  }

  void cases_with_something_wrong() {
    QStringList folders;
    QDirIterator walk(project + "/resources/cases", {"case.json"}, QDir::Files, QDirIterator::Subdirectories);
    while (walk.hasNext()) folders << walk.next();
    folders.sort();
    const QByteArray asked = qgetenv("CONOID_CASES_EVERY");
    const int every = asked.isEmpty() ? (all_rows() ? 7 : 307) : asked.toInt();
    int count = 0;
    for (const QString& name : folders) {
      const std::filesystem::path path = name.toStdString();
      const auto document = CaseDocument::read(path);
      QVERIFY2(document.ok(), qPrintable(name));
      Json whole = document->json();
      damage(whole, whole, path, count, every);
    }
    tell(60);
  }
};

}  // namespace

QTEST_GUILESS_MAIN(TestMessagesInFrench)
#include "test_messages_in_french.moc"

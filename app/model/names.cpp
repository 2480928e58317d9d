// SPDX-License-Identifier: BSD-3-Clause
// Reads resources/help/names.json once.
#include "app/model/names.hpp"

#include <cmath>
#include <optional>

#include <QCoreApplication>
#include <QFile>
#include <QHash>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>

#include "app/look/message_catalogue.hpp"
#include "app/look/translator.hpp"

namespace conoid::app {
namespace {

struct Names {
  QJsonObject first, more, phases, choices;
  /// "%1, exact" and what it matches; %2 behind it is a number.
  QList<std::pair<QString, QRegularExpression>> templates;

  Names() {
    QFile file(":/conoid/help/names.json");
    if (!file.open(QIODevice::ReadOnly)) return;
    const QJsonObject all = QJsonDocument::fromJson(file.readAll()).object();
    first = all["first"].toObject();
    more = all["more"].toObject();
    phases = all["phases"].toObject();
    choices = all["choices"].toObject();
    for (const auto& value : all["templates"].toArray()) {
      const QString text = value.toString();
      const auto at = text.indexOf("%1");
      if (at < 0) continue;
      QString tail = QRegularExpression::escape(text.mid(at + 2));
      tail.replace(QRegularExpression::escape("%2"), "([0-9]+)");
      templates.emplace_back(text,
                             QRegularExpression('^' + QRegularExpression::escape(text.left(at)) + "(.*)" + tail + '$'));
    }
  }
};

const Names& names() {
  static const Names all;
  return all;
}

QString catalogue(const QString& text) {
  return QCoreApplication::translate("solver", text.toUtf8().constData());
}

/// The words for a name: its own entry, or the first with a star that fits.
std::optional<QString> find(const QJsonObject& entries, const QString& name) {
  if (const auto it = entries.find(name); it != entries.end()) return catalogue(it->toString());
  for (auto it = entries.begin(); it != entries.end(); ++it) {
    const auto star = it.key().indexOf('*');
    if (star < 0) continue;
    const QString head = it.key().left(star), tail = it.key().mid(star + 1);
    if (name.size() <= head.size() + tail.size() || !name.startsWith(head) || !name.endsWith(tail)) continue;
    QString rest = name.mid(head.size(), name.size() - head.size() - tail.size()).replace('_', ' ');
    QString said = translated(rest);
    if (const QString phase = names().phases[rest].toString(); said == rest && !phase.isEmpty())
      said = phase.left(1).toLower() + phase.mid(1);
    return catalogue(it->toString()).arg(said);
  }
  return std::nullopt;
}

}  // namespace

QString words_of(std::string name) {
  QString text = QString::fromStdString(name).replace('_', ' ');
  if (!text.isEmpty()) text[0] = text[0].toUpper();
  return text;
}

namespace {

/// Logs are drawn and searched again and again.
constexpr qsizetype most_kept = 4000;

/// A message of the engine in the language of the window.
QString said_by_engine(const QString& text) {
  // A single word may be somebody's name for something.
  if (messages().size() == 0 || !text.contains(' ')) return text;
  thread_local QHash<QString, QString> kept;
  if (const auto it = kept.constFind(text); it != kept.constEnd()) return *it;
  QString said = QString::fromStdString(messages().translate(text.toStdString()));
  if (said == text && text[0].isUpper()) {
    // A name that has been made the beginning of a line.
    const QString small = text.left(1).toLower() + text.mid(1);
    const QString as_begun = QString::fromStdString(messages().translate(small.toStdString()));
    if (as_begun != small) said = as_begun.left(1).toUpper() + as_begun.mid(1);
  }
  if (kept.size() >= most_kept) kept.clear();
  return *kept.insert(text, said);
}

}  // namespace

QString translated(const QString& text) {
  if (text.isEmpty()) return text;
  const QString known = catalogue(text);
  if (known != text) return known;
  for (const auto& [form, pattern] : names().templates) {
    const QString said = catalogue(form);
    const auto match = pattern.match(text);
    if (!match.hasMatch()) continue;
    const QString rest = translated(match.captured(1));
    if (said == form && rest == match.captured(1)) continue;
    return form.contains("%2") ? said.arg(rest, match.captured(2)) : said.arg(rest);
  }
  return said_by_engine(text);
}

QString translated(const std::string& text) {
  return translated(QString::fromStdString(text));
}

Diagnostic translated(Diagnostic diagnostic) {
  if (messages().size() == 0) return diagnostic;
  diagnostic.text = translated(diagnostic.text).toStdString();
  diagnostic.hint = translated(diagnostic.hint).toStdString();
  return diagnostic;
}

QString rendered(const Diagnostic& diagnostic) {
  return QString::fromStdString(translated(diagnostic).render());
}

QString phase_words(const std::string& name) {
  const auto known = find(names().phases, QString::fromStdString(name));
  return known ? *known : translated(words_of(name));
}

QString number_words(const std::string& name) {
  const QString key = QString::fromStdString(name);
  // A whole name goes before a pattern, wherever it stands.
  if (!names().more.contains(key))
    if (const auto known = find(names().first, key)) return *known;
  if (const auto known = find(names().more, key)) return *known;
  return translated(words_of(name));
}

QString choice_name(const std::string& choice) {
  return names().choices[QString::fromStdString(choice)].toString();
}

bool is_detail(const NumberEvent& number) {
  const QString key = QString::fromStdString(number.name);
  if (names().more.contains(key)) return true;
  if (find(names().first, key)) return false;
  if (find(names().more, key)) return true;
  // Not known: memory and counts say how, quantities say what.
  const bool count =
      (number.unit.empty() || number.unit == "1") && number.value >= 1 && number.value == std::floor(number.value);
  return number.unit == "B" || count;
}

}  // namespace conoid::app

// SPDX-License-Identifier: BSD-3-Clause
// Translations of the window.
#include "app/look/translator.hpp"

#include <algorithm>
#include <mutex>
#include <optional>

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLocale>
#include <QRegularExpression>

#include "app/look/message_catalogue.hpp"
#include "engine/core/decimal_comma.hpp"

static void init_translations() {
  Q_INIT_RESOURCE(conoid_look);
}

namespace conoid::app {
namespace {

std::optional<QLocale>& loaded_locale() {
  static std::optional<QLocale> locale;
  return locale;
}

/// Before : ; ? ! » and after « French has a space at which no line may end.
QString with_french_spaces(QString text) {
  const QChar joined(0x00a0);
  for (const char* mark : {":", ";", "?", "!", "»"})
    text.replace(' ' + QString::fromUtf8(mark), joined + QString::fromUtf8(mark));
  return text.replace(QString::fromUtf8("« "), QString::fromUtf8("«") + joined);
}

}  // namespace

QLocale words_locale() {
  return loaded_locale().value_or(QLocale());
}

bool has_decimal_comma() {
  return loaded_locale() && loaded_locale()->decimalPoint() == QLatin1String(",");
}

QString in_figures(const QString& text) {
  return has_decimal_comma() ? QString::fromStdString(with_decimal_comma(text.toStdString())) : text;
}

const MessageCatalogue& messages() {
  static std::mutex one_reads;
  static QString loaded;
  static MessageCatalogue catalogue;
  const std::lock_guard guard(one_reads);
  const QString language = loaded_locale() ? loaded_locale()->name().left(2) : QString();
  if (language == loaded) return catalogue;
  loaded = language;
  catalogue = {};
  const auto read = [](const QString& name) {
    QFile file(":/conoid/i18n/" + name + ".json");
    return file.open(QIODevice::ReadOnly) ? QJsonDocument::fromJson(file.readAll()).object() : QJsonObject();
  };
  static const QRegularExpression percent("%[1-9n]");
  const auto add = [&](const QJsonObject& texts) {
    for (auto it = texts.begin(); it != texts.end(); ++it) {
      const QString said = it.value().toString();
      if (it.key().contains(percent) || said.isEmpty()) continue;
      catalogue.add(it.key().toStdString(), (language == "fr" ? with_french_spaces(said) : said).toStdString());
    }
  };
  const QJsonObject folders = read(language + "-messages");
  for (const auto& folder : folders) add(folder.toObject());
  // Hints go on with what a key is for.
  if (!folders.isEmpty()) add(read(language));
  return catalogue;
}

bool Translator::load_language(const QString& language) {
  init_translations();
  texts_.clear();
  QFile file(":/conoid/i18n/" + language + ".json");
  if (!file.open(QIODevice::ReadOnly)) return false;
  const QJsonObject object = QJsonDocument::fromJson(file.readAll()).object();
  for (auto it = object.begin(); it != object.end(); ++it) {
    QStringList forms;
    if (it.value().isArray())
      for (const auto& form : it.value().toArray()) forms << form.toString();
    else
      forms << it.value().toString();
    if (language == "fr")
      for (QString& form : forms) form = with_french_spaces(form);
    texts_[it.key()] = forms;
  }
  if (!texts_.isEmpty()) loaded_locale() = QLocale(language);
  return !texts_.isEmpty();
}

QString Translator::translate(const char*, const char* source, const char*, int n) const {
  const auto it = texts_.find(QString::fromUtf8(source));
  if (it == texts_.end() || it->isEmpty()) return {};
  // French takes the singular for 0 and 1, English for 1.
  return it->size() > 1 && n > 1 ? it->at(1) : it->first();
}

const QList<Language>& languages() {
  static const QList<Language> all = {{"en", "English"}, {"fr", QString::fromUtf8("Français")}};
  return all;
}

QString chosen_language(const QString& wish) {
  const auto has = [](const QString& id) {
    return std::any_of(languages().begin(), languages().end(), [&](const Language& l) { return l.id == id; });
  };
  if (has(wish)) return wish;
  const QString system = QLocale::system().name().left(2);
  return has(system) ? system : QStringLiteral("en");
}

}  // namespace conoid::app

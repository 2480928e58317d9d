// SPDX-License-Identifier: BSD-3-Clause
// Translations of the window: one JSON file a language, read at the start.
#pragma once

#include <QHash>
#include <QLocale>
#include <QString>
#include <QStringList>
#include <QTranslator>

namespace conoid::app {

class MessageCatalogue;

/// resources/i18n/<language>.json: {"English text": "translation", "%n text": ["one", "many"]}. What is not in the file
/// stays English. The same text has one translation everywhere.
class Translator : public QTranslator {
  Q_OBJECT
 public:
  explicit Translator(QObject* parent = nullptr) : QTranslator(parent) {}
  /// False for a language that the program does not have.
  bool load_language(const QString& language);
  [[nodiscard]] QString translate(const char* context, const char* source, const char* disambiguation,
                                  int n) const override;
  [[nodiscard]] bool isEmpty() const override { return texts_.isEmpty(); }
  [[nodiscard]] const QHash<QString, QStringList>& texts() const { return texts_; }

 private:
  QHash<QString, QStringList> texts_;
};

struct Language {
  QString id;    ///< "fr"
  QString name;  ///< in itself: "Français"
};
[[nodiscard]] const QList<Language>& languages();
/// For names of months: of the language that was loaded last, else the system's.
[[nodiscard]] QLocale words_locale();
/// Whether the language of the window has a decimal comma.
[[nodiscard]] bool has_decimal_comma();
/// Figures for people, with a decimal comma where the language has one; what is typed again or copied keeps its points.
[[nodiscard]] QString in_figures(const QString& text);
/// What the engine says (resources/i18n/<language>-messages.json), of the language that was loaded last: none in English. Read when first asked for.
[[nodiscard]] const MessageCatalogue& messages();
/// "en", "fr": the wish, else the system's language where the program has it, else English.
[[nodiscard]] QString chosen_language(const QString& wish);

}  // namespace conoid::app

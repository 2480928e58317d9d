// SPDX-License-Identifier: BSD-3-Clause
// Result numbers as people read them.
#include "app/model/numbers.hpp"

#include <algorithm>
#include <cmath>

#include <QLocale>
#include <QRegularExpression>

#include "app/look/translator.hpp"
#include "engine/core/units.hpp"
#include "render/scene/ticks.hpp"

namespace conoid::app {

QString number_text(const NumberEvent& number) {
  if (number.unit == "B")
    return QString::fromStdString(format_bytes(static_cast<std::uint64_t>(std::max(0.0, number.value))));
  if (number.unit == "s" && number.value >= 0) return QString::fromStdString(format_duration(number.value));
  const double magnitude = std::abs(number.value);
  // 0.0786 Pa is 78.6 mPa.
  constexpr double plain_from = 0.1, plain_to = 1e4;
  if (magnitude > 0 && !(magnitude >= plain_from && magnitude < plain_to) && number.unit != "1" && !number.unit.empty())
    if (const std::string scaled = readable(number.value, number.unit); scaled.find("×") == std::string::npos)
      return QString::fromStdString(scaled);
  QString text;
  if (magnitude == std::floor(magnitude) && magnitude < 1e7) {
    text = QLocale(QLocale::English).toString(static_cast<qlonglong>(number.value)).replace(',', QChar(0x202f));
  } else {
    text = QString::number(number.value, 'g', 4);
    // 2.47e+09 is for machines; people read 2.47·10⁹.
    if (const qsizetype e = text.indexOf('e'); e > 0) {
      static const QString raised = QString::fromUtf8("⁰¹²³⁴⁵⁶⁷⁸⁹");
      QString power;
      for (QChar c : QString::number(text.mid(e + 1).toInt()))
        power += c == '-' ? QChar(0x207b) : raised[c.digitValue()];
      text = text.left(e) + QString::fromUtf8("·10") + power;
    }
  }
  text.replace('-', QChar(0x2212));
  if (!number.unit.empty() && number.unit != "1") text += " " + QString::fromStdString(readable_unit(number.unit));
  return text;
}

QString expected_duration(double seconds) {
  QString text = QString::fromStdString(format_duration(seconds));
  if (text.endsWith(" 00 s")) text.chop(5);
  return text;
}

QString typed_text(const QString& typed) {
  QString out = typed.trimmed().replace(QChar(0x2212), '-');
  const qsizetype comma = out.indexOf(',');
  if (comma < 0 || out.contains('.') || out.indexOf(',', comma + 1) >= 0) return out;
  // "1,500" is a thousand and a half to whoever reads English: nobody's number may be taken for another.
  qsizetype digits = 0;
  while (comma + 1 + digits < out.size() && out[comma + 1 + digits].isDigit()) ++digits;
  if (has_decimal_comma() || digits != 3) out[comma] = '.';
  return out;
}

QStringList typed_list(const QString& typed) {
  static const QRegularExpression spaced(",\\s+");
  QStringList parts;
  if (typed.contains(';'))
    parts = typed.split(';');
  else if (!has_decimal_comma())
    parts = typed.split(',');
  else if (typed.contains(spaced))
    parts = typed.split(spaced);
  else
    parts = typed.count(',') == 1 ? QStringList{typed} : typed.split(',');
  for (QString& part : parts) part = typed_text(part);
  parts.removeAll(QString());
  return parts;
}

QString typed_sweep(const QString& typed) {
  static const QRegularExpression structure(R"([\[{"])");
  if (typed.contains(structure)) return typed;
  if (!typed.contains(':')) return has_decimal_comma() || typed.contains(';') ? typed_list(typed).join(", ") : typed;
  QStringList parts = typed.split(':');
  for (QString& part : parts) part = typed_text(part);
  return parts.join(':');
}

}  // namespace conoid::app

// SPDX-License-Identifier: BSD-3-Clause
// What a person wants to be helped with, and which page of the documentation speaks of it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <QMetaType>
#include <QString>

#include "engine/core/error.hpp"

namespace conoid::app {

/// A place of the case, a kind of failure, or both: then the place says more.
struct HelpTopic {
  std::string pointer;            ///< "/excitation/frequency"; empty: none
  std::optional<ErrorCode> code;  ///< none: nothing has failed
  [[nodiscard]] bool empty() const { return pointer.empty() && !code; }
};
[[nodiscard]] inline HelpTopic topic_of(const Error& error) {
  return {error.place.pointer, error.code};
}

/// The place of a key in the reference: `field` is one of the schema, "/excitation/waves/*/direction".
[[nodiscard]] inline QString page_of_key(std::string_view solver, const std::string& field) {
  return QStringLiteral("reference/keys-%1.html#%2")
      .arg(QString::fromUtf8(solver.data(), static_cast<qsizetype>(solver.size())), QString::fromStdString(field));
}
/// What a kind of failure means and what helps.
[[nodiscard]] inline QString page_of_code(ErrorCode code) {
  return QStringLiteral("troubleshooting.html#code-%1").arg(static_cast<int>(code));
}

}  // namespace conoid::app

Q_DECLARE_METATYPE(conoid::app::HelpTopic)

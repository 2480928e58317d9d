// SPDX-License-Identifier: BSD-3-Clause
// What is new for people, by version, in their language.
#pragma once

#include <vector>

#include <QString>
#include <QStringList>

namespace conoid::app {

struct News {
  QString version;
  QStringList items;
};

/// Newest version first; from the resources of the program.
[[nodiscard]] std::vector<News> load_news();

}  // namespace conoid::app

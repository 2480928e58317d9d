// SPDX-License-Identifier: BSD-3-Clause
// Reads resources/help/news.json.
#include "app/model/news.hpp"

#include <QCoreApplication>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace conoid::app {

std::vector<News> load_news() {
  std::vector<News> out;
  QFile file(":/conoid/help/news.json");
  if (!file.open(QIODevice::ReadOnly)) return out;
  for (const auto& value : QJsonDocument::fromJson(file.readAll()).array()) {
    const QJsonObject version = value.toObject();
    News news{version["version"].toString(), {}};
    for (const auto& item : version["items"].toArray())
      news.items << QCoreApplication::translate("news", item.toString().toUtf8().constData());
    out.push_back(std::move(news));
  }
  return out;
}

}  // namespace conoid::app

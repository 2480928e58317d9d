// SPDX-License-Identifier: BSD-3-Clause
// Reads resources/tutorials.
#include "app/model/tutorials.hpp"

#include <utility>

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "app/model/names.hpp"

namespace conoid::app {

Result<Tutorial> tutorial_from(const QByteArray& json) {
  const QJsonObject object = QJsonDocument::fromJson(json).object();
  const auto text = [](const QJsonObject& of, const char* key) {
    return translated(of[QLatin1String(key)].toString());
  };
  Tutorial out{text(object, "title"), text(object, "summary"), object["case"].toString(), {}};
  for (const auto& value : object["steps"].toArray()) {
    const QJsonObject step = value.toObject();
    out.steps.push_back({text(step, "title"), text(step, "text"), step["at"].toString(), step["until"].toString()});
    if (out.steps.back().title.isEmpty() || out.steps.back().text.isEmpty() || out.steps.back().at.isEmpty())
      return make_error(ErrorCode::file, "a step of a tutorial has no title, no text or no place",
                        "Each step takes \"title\", \"text\" and \"at\".");
  }
  if (out.title.isEmpty() || out.sample.isEmpty() || out.steps.empty())
    return make_error(ErrorCode::file, "a tutorial has no title, no case or no steps",
                      "It takes \"title\", \"summary\", \"case\" and \"steps\".");
  return out;
}

std::vector<Tutorial> load_tutorials() {
  std::vector<Tutorial> out;
  const QDir folder(":/conoid/tutorials");
  for (const QString& name : folder.entryList({"*.json"}, QDir::Files, QDir::Name)) {
    QFile file(folder.filePath(name));
    if (!file.open(QIODevice::ReadOnly)) continue;
    if (auto read = tutorial_from(file.readAll())) out.push_back(std::move(read).value());
  }
  return out;
}

}  // namespace conoid::app

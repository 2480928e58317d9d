// SPDX-License-Identifier: BSD-3-Clause
// Far fields around a body.
#include "app/model/far_fields.hpp"

#include <string>

#include "app/model/names.hpp"

namespace conoid::app {

std::vector<std::pair<QString, QString>> far_fields_of(const RunModel& run) {
  std::vector<std::pair<QString, QString>> fields;
  for (const RunTable& table : run.tables()) {
    if (table.info.form != ChartForm::sphere) continue;
    for (const Column& column : table.info.columns)
      if (column.name != "theta" && column.name != "phi")
        fields.emplace_back(QString::fromStdString(table.info.id + ":" + column.name),
                            translated(table.info.title) + ", " + QString::fromStdString(column.name));
  }
  return fields;
}

Status lay_far_field(const RunModel& run, const QString& key, FrameRecipe& recipe) {
  recipe.sphere.reset();
  recipe.sphere_column = key.section(':', 1).toStdString();
  const RunTable* table = run.table(key.section(':', 0, 0).toStdString());
  if (!table) return {};
  auto sphere = sphere_of(table->info.columns, table->rows);
  if (!sphere) return sphere.error();
  label_columns(*sphere, translated(table->info.title).toStdString());
  recipe.sphere = std::make_shared<const SphereTable>(std::move(sphere).value());
  return {};
}

}  // namespace conoid::app

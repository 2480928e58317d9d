// SPDX-License-Identifier: BSD-3-Clause
// Reads the sample cases.
#include "app/model/gallery.hpp"

#include <algorithm>
#include <exception>

#include <QRegularExpression>

#include "app/model/case_model.hpp"
#include "app/model/names.hpp"
#include "engine/case/schema.hpp"
#include "engine/core/atomic_file.hpp"
#include "engine/core/json_values.hpp"
#include "engine/core/log.hpp"
#include "engine/core/resources.hpp"
#include "engine/solvers/registry.hpp"

namespace conoid::app {
namespace {

namespace fs = std::filesystem;
constexpr Bytes card_limit = Bytes{1} << 16;

void read_card(const fs::path& file, SampleCard& card) {
  const auto text = read_file(file, card_limit);
  if (!text) return;
  const Json json = read_json(*text);
  if (!json.is_object()) return;
  card.summary = translated(text_at(json, "summary"));
  if (const auto it = json.find("seconds"); it != json.end() && it->is_number()) card.seconds = it->get<double>();
}

}  // namespace

std::vector<SampleCard> load_gallery(const fs::path& folder) {
  std::vector<SampleCard> cards;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const fs::path file = entry.path() / "case.json";
    if (!fs::exists(file, error)) continue;
    const auto document = CaseDocument::read(file);
    if (!document) {
      log::warning("sample case left out: {}", document.error().render());
      continue;
    }
    SampleCard card;
    card.name = QString::fromStdString(entry.path().filename().string());
    card.case_file = file;
    card.title = translated(text_at(document->json(), "title"));
    if (card.title.isEmpty()) card.title = card.name;
    const std::string solver = text_at(document->json(), "solver");
    const SolverInfo* info = find_solver(solver);
    card.available = info != nullptr;
    card.group = QString::fromStdString(info ? std::string(info->title) : solver);
    card.solver = translated(card.group);
    card.on_devices = info && info->runs_on_devices();
    if (const fs::path picture = entry.path() / "thumbnail.png"; fs::exists(picture, error)) card.thumbnail = picture;
    read_card(entry.path() / "card.json", card);
    cards.push_back(std::move(card));
  }
  std::sort(cards.begin(), cards.end(), [](const SampleCard& a, const SampleCard& b) {
    if (a.available != b.available) return a.available;
    if (a.group != b.group) return a.group < b.group;
    if (a.seconds != b.seconds) return a.seconds < b.seconds;
    return a.title < b.title;
  });
  return cards;
}

std::vector<SampleCard> load_templates() {
  std::vector<SampleCard> cards = load_gallery(own_templates_folder());
  for (SampleCard& card : cards) card.own = true;
  return cards;
}

Status keep_template(const CaseDocument& document, const QString& title) {
  const fs::path all = own_templates_folder();
  if (all.empty())
    return make_error(ErrorCode::file, "there is no home to keep templates in", "Set HOME or XDG_DATA_HOME.");
  QString name = title.toLower();
  name.replace(QRegularExpression("[^a-z0-9]+"), "-");
  const fs::path folder = all / name.toStdString();
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) return system_error("make the folder", folder.string(), failed.value());
  Json json = document.json();
  json["title"] = title.toStdString();
  const SolverInfo* info = find_solver(json.value("solver", std::string()));
  const auto schema = info ? registered_schemas()(std::string(info->id))
                           : Result<Schema>(make_error(ErrorCode::invalid_input, "the case names no solver", {}));
  if (!schema) return schema.error();
  for (const CaseFile& file : files_of(document, *schema)) {
    // Beside the template, so that it may travel.
    const fs::path own = file.path.filename();
    fs::copy_file(file.path, folder / own, fs::copy_options::overwrite_existing, failed);
    if (failed) return system_error("copy to the template", file.path.string(), failed.value());
    json[Json::json_pointer(file.pointer)] = own.string();
  }
  return CaseDocument::from_json(std::move(json), folder / "case.json").save(folder / "case.json");
}

bool passes(const SampleCard& card, const GalleryFilter& filter) {
  if (!filter.group.isEmpty() && card.group != filter.group) return false;
  // What is not said of a card is not held against it.
  if (filter.seconds > 0 && card.seconds > filter.seconds) return false;
  if (filter.devices && !card.on_devices) return false;
  const QString words = card.title + ' ' + card.summary + ' ' + card.name + ' ' + card.solver + ' ' + card.group;
  const QStringList wanted = filter.words.simplified().split(' ', Qt::SkipEmptyParts);
  return std::all_of(wanted.begin(), wanted.end(),
                     [&](const QString& word) { return words.contains(word, Qt::CaseInsensitive); });
}

}  // namespace conoid::app

// SPDX-License-Identifier: BSD-3-Clause
// Reads the sample cases.
#include "app/model/gallery.hpp"

#include <algorithm>
#include <exception>

#include "app/model/names.hpp"
#include "engine/case/document.hpp"
#include "engine/core/atomic_file.hpp"
#include "engine/core/log.hpp"
#include "engine/solvers/registry.hpp"

namespace conoid::app {
namespace {

namespace fs = std::filesystem;
constexpr Bytes card_limit = Bytes{1} << 16;

QString text_at(const Json& json, const char* key) {
  const auto it = json.find(key);
  return it != json.end() && it->is_string() ? QString::fromStdString(it->get<std::string>()) : QString();
}

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
    card.title = document->json().is_object() ? translated(text_at(document->json(), "title")) : QString();
    if (card.title.isEmpty()) card.title = card.name;
    const std::string solver = document->json().is_object() ? text_at(document->json(), "solver").toStdString() : "";
    const SolverInfo* info = find_solver(solver);
    card.available = info != nullptr;
    card.group = QString::fromStdString(info ? std::string(info->title) : solver);
    card.solver = translated(card.group);
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

}  // namespace conoid::app

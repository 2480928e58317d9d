// SPDX-License-Identifier: BSD-3-Clause
// A field scene follows its frame and its view: parts, values, colours, range, outline.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <vtkCellArray.h>
#include <vtkPoints.h>
#include <vtkProperty.h>

#include "engine/core/vec3.hpp"
#include "render/scene/color_map.hpp"
#include "render/scene/field_scene_impl.hpp"
#include "render/scene/image_part.hpp"
#include "render/scene/mesh_part.hpp"
#include "render/scene/vtk_helpers.hpp"

namespace conoid {

namespace {

constexpr int map_entries = 1024;

bool same_bounds(const Bounds& a, const Bounds& b) {
  for (std::size_t i = 0; i < 6; ++i)
    if (std::abs(a[i] - b[i]) > 1e-9 * (std::abs(a[i]) + std::abs(b[i]))) return false;
  return true;
}

}  // namespace

void FieldScene::Impl::apply_look() {
  const int axis = flat_axis();
  if (standard == StandardView::iso && axis >= 0) {
    camera.set_parallel(true);
    camera.look(axis == 0 ? StandardView::plus_x : (axis == 1 ? StandardView::minus_y : StandardView::plus_z));
  } else {
    camera.set_parallel(standard != StandardView::iso);
    camera.look(standard);
  }
  camera.set_untouched();
}

/// Turns the map round and joins its colours to bands, each in the colour of its middle; the outermost bands are those of the ends.
void FieldScene::Impl::spread_map() {
  auto& table = coloring.table;
  if (view.map_reversed) std::reverse(table.begin(), table.end());
  if (view.map_steps < 2) return;
  const auto smooth = table;
  const auto steps = static_cast<std::size_t>(view.map_steps);
  for (std::size_t i = 0; i < table.size(); ++i) {
    const std::size_t band = std::min(i * steps / table.size(), steps - 1);
    table[i] = smooth[band * (table.size() - 1) / (steps - 1)];
  }
}

Status FieldScene::Impl::update_range(const std::vector<std::pair<Entry*, const Field*>>& fields) {
  const FieldInfo& info = fields.front().second->info;
  const FieldKind kind = kind_of(info, view.value);
  const std::string wanted = !view.color_map.empty()           ? view.color_map
                             : kind == FieldKind::signed_value ? theme.signed_map
                             : kind == FieldKind::phase        ? theme.phase_map
                                                               : theme.magnitude_map;
  const std::string map_key = fmt::format("{}|{}|{}", wanted, view.map_reversed, view.map_steps);
  if (map_key != map_name) {
    auto map = find_color_map(wanted);
    if (!map) return map.error();
    coloring.table = map->table(map_entries);
    spread_map();
    map_name = map_key;
  }
  const std::string key = fmt::format("{}|{}|{}|{}", info.name, view.value.component, static_cast<int>(view.value.part),
                                      static_cast<int>(kind));
  asked_of = key;
  if (view.fixed_range) {
    if (!(std::isfinite(view.low) && std::isfinite(view.high) && view.low < view.high))
      return make_error(ErrorCode::command_line, fmt::format("the range {} to {} is empty", view.low, view.high),
                        "Give a lower end below the upper end.");
    range = {view.low, view.high};
    range_of.clear();
  } else {
    std::pair<double, double> now{0, 0};
    bool first = true;
    bool all_zero = true;
    std::vector<Ranged> looked;
    for (const auto& [entry, field] : fields) {
      const auto& values = entry->part->shared();
      auto same = std::find_if(ranged.begin(), ranged.end(), [&](const Ranged& one) {
        return values && one.values == values && one.key == key && one.percent == view.percent;
      });
      if (same == ranged.end()) {
        const auto selected = selected_range(*field, view.value, entry->part->values(), view.percent);
        if (!selected) return selected.error();
        ranged.push_back({values, key, view.percent, is_zero(entry->part->values()), *selected});
        same = ranged.end() - 1;
      }
      looked.push_back(*same);
      all_zero = all_zero && same->all_zero;
      const std::pair<double, double> r = same->range;
      now = first ? r : std::pair{std::min(now.first, r.first), std::max(now.second, r.second)};
      first = false;
    }
    ranged = std::move(looked);
    if (view.keep_range && range_of == key) {
      // A field that is still zero says nothing about the range to come.
      if (!all_zero)
        now = {std::min(now.first, range.first), std::max(now.second, range.second)};
      else
        now = range;
    }
    const bool told = known && known_of == key;
    if (told) now = *known;
    range = now;
    range_of = all_zero && !told ? std::string() : key;
  }
  if (view.map_symmetric && !view.map_log) {
    const double end = std::max(std::abs(range.first), std::abs(range.second));
    if (end > 0) range = {-end, end};
  }
  coloring.log = view.map_log && range.second > 0;
  if (coloring.log && !(range.first > 0)) {
    // Down to three decades below the upper end where nobody says how far.
    constexpr double decades = 1e-3;
    range.first = decades * range.second;
    range_of.clear();
  }
  coloring.low = range.first;
  coloring.high = range.second;
  coloring.missing = theme.surface;
  bar_label = view.label.empty() ? label_of(info, view.value) : view.label;
  bar_unit = unit_of(info, view.value);
  return {};
}

Status FieldScene::Impl::update() {
  if (!frame) return {};
  Status trouble;
  const auto remember = [&trouble](const Status& status) {
    if (!status && trouble) trouble = status;
  };
  // Parts stay as long as name and kind stay.
  std::vector<Entry> kept;
  for (const FramePart& part : frame->parts) {
    const auto found = std::find_if(parts.begin(), parts.end(), [&](const Entry& e) {
      return e.part && e.name == part.name && e.part->accepts(part.geometry);
    });
    std::unique_ptr<ScenePart> scene_part;
    std::unique_ptr<ArrowActors> arrows;
    if (found != parts.end()) {
      scene_part = std::move(found->part);
      arrows = std::move(found->arrows);
    }
    if (!scene_part && std::holds_alternative<ImageGeometry>(part.geometry))
      scene_part = std::make_unique<ImagePart>(*renderer);
    else if (!scene_part)
      scene_part = std::make_unique<MeshPart>(*renderer);
    if (auto status = scene_part->set_geometry(part); !status) {
      remember(status);
      scene_part = nullptr;
    }
    kept.push_back({part.name, std::move(scene_part), std::move(arrows)});
  }
  parts = std::move(kept);

  const std::string name = field_name();
  std::vector<std::pair<Entry*, const Field*>> fields;
  bool first = true;
  bool boxes = false;
  grid_shown = false;
  // A grid without any field is shown by its outline.
  const bool bare =
      std::all_of(frame->parts.begin(), frame->parts.end(), [](const FramePart& part) { return part.fields.empty(); });
  std::vector<Vec3> extremes;
  Bounds all{};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Entry& entry = parts[i];
    if (!entry.part) continue;
    const FramePart& part = frame->parts[i];
    const Field* field = is_chosen(part.name) ? find(part, name) : nullptr;
    std::shared_ptr<const std::vector<float>> values;
    if (field != nullptr) {
      auto selected = shared_values(*field, entry.part->entries(field->info.association), view.value);
      if (selected) {
        values = std::move(selected).value();
      } else {
        remember(selected.error());
        field = nullptr;
      }
    }
    entry.part->set_values(std::move(values), field != nullptr ? field->info.association : Association::point);
    if (field != nullptr) fields.emplace_back(&entry, field);
    const bool shown = field != nullptr || bare || (view.context && !entry.part->accepts(ImageGeometry{}));
    if (!shown) continue;
    grid_shown = grid_shown || entry.part->accepts(ImageGeometry{}) || entry.part->wants_outline(view);
    const Bounds b = entry.part->bounds();
    const auto points = entry.part->extremes();
    boxes = boxes || points.empty();
    extremes.insert(extremes.end(), points.begin(), points.end());
    for (std::size_t k = 0; k < 3; ++k) {
      all[2 * k] = first ? b[2 * k] : std::min(all[2 * k], b[2 * k]);
      all[2 * k + 1] = first ? b[2 * k + 1] : std::max(all[2 * k + 1], b[2 * k + 1]);
    }
    first = false;
  }
  colored = !fields.empty();
  if (colored) remember(update_range(fields));
  if (coloring.table.empty()) colored = false;
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (parts[i].part) {
      const Field* warp = view.warp_field.empty() ? nullptr : find(frame->parts[i], view.warp_field);
      if (!colored) parts[i].part->set_values({}, Association::point);
      parts[i].part->update(view, theme, coloring, warp, pixel_ratio);
      const Field* vectors = view.arrow_field.empty() ? nullptr : find(frame->parts[i], view.arrow_field);
      if (vectors != nullptr && !parts[i].arrows) parts[i].arrows = std::make_unique<ArrowActors>(*renderer);
      const double size = std::max({all[1] - all[0], all[3] - all[2], all[5] - all[4]});
      if (parts[i].arrows) parts[i].arrows->update(frame->parts[i], vectors, view, theme, size, pixel_ratio);
    }
  if (!first) {
    const bool new_bounds = !has_bounds || !same_bounds(bounds, all);
    bounds = all;
    camera.set_bounds(all);
    shape = boxes ? std::vector<Vec3>{} : std::move(extremes);
    fit_to_markers();
    if (!has_bounds || (new_bounds && camera.untouched())) apply_look();
    has_bounds = true;
  }
  update_outline();
  return trouble;
}

void FieldScene::Impl::fit_to_markers() {
  // Those beside the field belong to the picture; a far source does not shrink it.
  double largest = 0;
  for (std::size_t d = 0; d < 3; ++d) largest = std::max(largest, bounds[2 * d + 1] - bounds[2 * d]);
  const double reach = 0.6 * largest;
  std::vector<Vec3> points = shape;
  bool beside = false;
  for (const Marker& marker : markers) {
    const bool wave = marker.kind == MarkerKind::wave && vec::norm(marker.direction) > 0;
    const Vec3 place = wave ? ends_of_wave(marker.direction)[0] : marker.position;
    double out = 0;
    for (std::size_t d = 0; d < 3; ++d) out = std::max({out, bounds[2 * d] - place[d], place[d] - bounds[2 * d + 1]});
    if (!(out > 0) || out > reach) continue;
    if (points.empty())
      for (unsigned i = 0; i < 8; ++i)
        points.push_back({bounds[i & 1U], bounds[2 + ((i >> 1) & 1U)], bounds[4 + ((i >> 2) & 1U)]});
    beside = true;
    points.push_back(place);
  }
  camera.set_extremes(beside ? std::move(points) : shape);
}

void FieldScene::Impl::update_outline() {
  const Bounds& b = bounds;
  vtkNew<vtkPoints> points;
  for (unsigned i = 0; i < 8; ++i) points->InsertNextPoint(b[i & 1U], b[2 + ((i >> 1) & 1U)], b[4 + ((i >> 2) & 1U)]);
  vtkNew<vtkCellArray> lines;
  for (vtkIdType i = 0; i < 8; ++i)
    for (const vtkIdType bit : {1, 2, 4})
      if ((i & bit) == 0) lines->InsertNextCell({i, i | bit});
  outline->SetPoints(points);
  outline->SetLines(lines);
  // Around a mesh that fills its own box a frame only distracts: it belongs to grids.
  outline_actor->SetVisibility(view.outline && has_bounds && grid_shown);
  set_color(*outline_actor->GetProperty(), mix(theme.muted, theme.background, 0.6));
  outline_actor->GetProperty()->SetLineWidth(static_cast<float>(pixel_ratio));
}

}  // namespace conoid

// SPDX-License-Identifier: BSD-3-Clause
// The mesh of the case at hand.
#include "app/model/mesh_model.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <QFileInfo>
#include <QRegularExpression>

#include "app/forms/schema_text.hpp"
#include "app/model/background.hpp"
#include "engine/core/resources.hpp"
#include "engine/core/units.hpp"
#include "engine/session/wave_numbers.hpp"

namespace conoid::app {
namespace {

constexpr int delay_ms = 150;  // after the last key

}  // namespace

MeshModel::MeshModel(CaseModel& model, QObject* parent) : QObject(parent), model_(model) {
  timer_.setSingleShot(true);
  timer_.setInterval(delay_ms);
  connect(&timer_, &QTimer::timeout, this, &MeshModel::look);
  connect(&model, &CaseModel::changed, this, [this] {
    // Another unit is chosen, not typed letter by letter: no figure of the old one is to stand a moment longer.
    const bool other_unit = file_scale() != scale_;
    scale_ = file_scale();
    other_unit ? look() : timer_.start();
  });
  connect(&model, &CaseModel::opened, this, [this] {
    key_ = "new";
    mesh_.reset();
    error_.reset();
    scale_ = file_scale();
    emit changed();
    look();
  });
  scale_ = file_scale();
  if (model.is_open()) look();
}

MeshModel::~MeshModel() {
  stop_.request_stop();
}

bool MeshModel::is_wanted() const {
  return keyword_of(keyword_of(model_.schema(), "properties"), "mesh").is_object();
}

void MeshModel::reload() {
  key_ = "again";
  look();
}

void MeshModel::know(const Json& section, std::shared_ptr<const MeshPreview> mesh) {
  known_key_ = key_of(section, {});
  known_ = std::move(mesh);
}

QString MeshModel::key_of(const Json& section, const std::filesystem::path& folder) {
  return QString::fromStdString(json_text(section)) + '\n' + QString::fromStdString(folder.string());
}

void MeshModel::look() {
  const auto text = [&](const char* pointer) {
    const Json* value = model_.value(pointer);
    return value && value->is_string() ? QString::fromStdString(value->get<std::string>()) : QString();
  };
  const Json* bodies = model_.value("/mesh/bodies");
  const bool named = !text("/mesh/file").isEmpty() || (bodies && !bodies->empty());
  const Json* section = model_.value("/mesh");
  const QString key = is_wanted() && named && section ? key_of(*section, model_.document().folder()) : QString();
  if (key == key_) return;
  key_ = key;
  stop_.request_stop();
  stop_ = {};
  mesh_.reset();
  error_.reset();
  // Once: a file that changes later is read again.
  const auto known = std::exchange(known_, nullptr);
  if (known && key == known_key_) mesh_ = known;
  reading_ = !key.isEmpty() && !mesh_;
  const std::uint64_t ticket = ++ticket_;
  emit changed();
  if (!reading_) return;
  in_background(
      this,
      [document = model_.document(), stop = stop_.get_token()]() -> Result<std::shared_ptr<const MeshPreview>> {
        try {
          return preview_mesh(document, stop);
        } catch (...) {
          return current_exception_as_error();
        }
      },
      [ticket](MeshModel& self, Result<std::shared_ptr<const MeshPreview>> result) {
        self.take(ticket, std::move(result));
      });
}

void MeshModel::take(std::uint64_t ticket, Result<std::shared_ptr<const MeshPreview>> result) {
  if (ticket != ticket_) return;
  reading_ = false;
  if (result)
    mesh_ = std::move(result).value();
  else
    error_ = result.error();
  emit changed();
}

void MeshModel::want_sides(double angle) {
  if (!mesh_) return;
  const std::uint64_t ticket = ++sides_ticket_;
  in_background(
      this,
      [mesh = mesh_, known = sides_, angle, stop = stop_.get_token()]() -> Result<std::shared_ptr<const MeshSides>> {
        try {
          return mesh_sides(mesh->file, mesh->scale, angle, known.get(), stop);
        } catch (...) {
          return current_exception_as_error();
        }
      },
      [ticket](MeshModel& self, Result<std::shared_ptr<const MeshSides>> made) {
        if (self.sides_ticket_ != ticket) return;
        if (made)
          self.sides_ = std::move(made).value();
        else
          self.error_ = made.error();
        emit self.sides_changed();
      });
}

void MeshModel::forget_sides() {
  ++sides_ticket_;
  sides_.reset();
}

std::optional<double> MeshModel::file_scale() const {
  const Json* unit = model_.value("/mesh/unit");
  const auto scale = parse_quantity("1 " + (unit && unit->is_string() ? unit->get<std::string>() : "m"), "m");
  return scale ? std::optional(scale->value) : std::nullopt;
}

std::filesystem::path MeshModel::unmeshed() const {
  return is_wanted() && !mesh_ && !reading_ ? unmeshed_geometry(model_.document()) : std::filesystem::path();
}

void MeshModel::mesh_geometry(bool trusted) {
  if (unmeshed().empty()) return;
  reading_ = true;
  error_.reset();
  const std::uint64_t ticket = ++ticket_;
  emit changed();
  in_background(
      this,
      [document = model_.document(), trusted, stop = stop_.get_token()] {
        return mesh_geometry_of(document, trusted, stop);
      },
      [ticket](MeshModel& self, const Status& made) {
        if (self.ticket_ != ticket) return;
        self.reading_ = false;
        if (made) return self.reload();
        self.error_ = made.error();
        emit self.changed();
      });
}

void MeshModel::mesh_again(double size) {
  const auto scale = file_scale();
  if (!mesh_ || !mesh_->fixed.empty() || !scale) return;
  if (by_sizes()) return model_.set("/mesh/size", format_quantity(size, "m"), tr("another size of elements"));
  const std::filesystem::path file = mesh_->file;
  // "body-0.1m" becomes "body-0.05m".
  static const QRegularExpression made("-[0-9.e-]+m$");
  const QString stem = QString::fromStdString(file.stem().string()).remove(made);
  make_mesh((stem + "-" + QString::number(size, 'g', 4) + "m.msh").toStdString(),
            tr("meshing with elements of %1 m").arg(size, 0, 'g', 4),
            [file, size, factor = *scale](const std::filesystem::path& out, std::stop_token stop) {
              return mesh_file_again(file, factor, size, out, std::move(stop));
            });
}

void MeshModel::group_faces(const QString& name, std::vector<Index> faces) {
  const auto scale = file_scale();
  if (!mesh_ || !scale) return;
  const std::filesystem::path file = mesh_->file;
  // Never over the file that the case names now: an edit that is undone needs it.
  static const QRegularExpression made("-groups[0-9]*$");
  const QString stem = by_sizes() ? QStringLiteral("body") : QString::fromStdString(file.stem().string()).remove(made);
  std::string out;
  std::error_code ignored;
  for (int i = 1; out.empty() || std::filesystem::exists(folder_of_meshes() / out, ignored); ++i)
    out = (stem + "-groups" + (i > 1 ? QString::number(i) : QString()) + ".msh").toStdString();
  make_mesh(out, tr("making of the group %1").arg(name),
            [file, factor = *scale, faces = std::move(faces), group = name.toStdString()](
                const std::filesystem::path& to, std::stop_token stop) {
              return group_faces_of_file(file, factor, faces, group, to, std::move(stop));
            });
}

void MeshModel::refine() {
  const auto scale = file_scale();
  if (!mesh_ || !scale) return;
  if (by_sizes() && !mesh_->longest_edges.empty()) return mesh_again(mesh_->longest_edges.back() / 2);
  const std::filesystem::path file = mesh_->file;
  make_mesh(file.stem().string() + "-fine.msh", tr("refining the mesh"),
            [file, factor = *scale](const std::filesystem::path& out, std::stop_token stop) {
              return refine_mesh_file(file, factor, out, std::move(stop));
            });
}

bool MeshModel::by_sizes() const {
  return model_.value("/mesh/bodies") != nullptr;
}

std::filesystem::path MeshModel::folder_of_meshes() const {
  if (!by_sizes()) return mesh_->file.parent_path();
  const std::filesystem::path folder = model_.document().folder();
  return folder.empty() ? own_templates_folder().parent_path() / "meshes" : folder;
}

void MeshModel::make_mesh(const std::string& name, const QString& edit,
                          std::function<Status(const std::filesystem::path&, std::stop_token)> make) {
  const std::filesystem::path folder = folder_of_meshes(), out = folder / name;
  std::error_code ignored;
  std::filesystem::create_directories(folder, ignored);
  reading_ = true;
  const std::uint64_t ticket = ++ticket_;
  emit changed();
  in_background(
      this, [make = std::move(make), out, stop = stop_.get_token()] { return make(out, stop); },
      [name, out, edit, ticket](MeshModel& self, const Status& made) {
        if (self.ticket_ != ticket) return;
        self.reading_ = false;
        if (!made) {
          self.error_ = made.error();
          emit self.changed();
          return;
        }
        if (self.by_sizes()) {
          // From here on it is a mesh of its own, no longer made of sizes.
          Json section = *self.model_.value("/mesh");
          section.erase("bodies");
          section.erase("size");
          section["file"] = out.string();
          section["unit"] = "m";
          self.model_.set("/mesh", std::move(section), edit);
          return;
        }
        // Beside the file that the case names, wherever that is.
        const Json* file = self.model_.value("/mesh/file");
        std::filesystem::path place = file && file->is_string() ? file->get<std::string>() : std::string();
        self.model_.set("/mesh/file", place.replace_filename(name).string(), edit);
        // What a geometry stated, the mesh file does not: it was written in metres.
        if (const Json* unit = self.model_.value("/mesh/unit"); !unit || !unit->is_string())
          self.model_.set("/mesh/unit", "m", edit);
        emit self.changed();
      });
}

double MeshModel::frequency() const {
  return highest_frequency(model_.document().json());
}

double MeshModel::speed() const {
  return lowest_speed(model_.document().json(), model_.schema());
}

}  // namespace conoid::app

// SPDX-License-Identifier: BSD-3-Clause
// Writing of VTK XML files, PVD collections and CSV from the frames of a run.
#include "engine/io/export.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include <fmt/format.h>

#include "engine/core/atomic_file.hpp"
#include "engine/io/csv.hpp"
#include "engine/io/run_folder.hpp"
#include "engine/io/vtkhdf_layout.hpp"

namespace conoid {
namespace fs = std::filesystem;
namespace {

std::string xml_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      default: out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return out;
}

// Collects DataArray elements and the blocks that they point to: a 64-bit count of bytes, then the bytes.
class Appended {
 public:
  template <class T>
  std::string array(std::string_view name, std::string_view type, int components, std::span<const T> values) {
    const std::uint64_t bytes = values.size_bytes();
    const std::string element = fmt::format(
        "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"appended\" offset=\"{}\"/>\n", type,
        xml_text(name), components, data_.size());
    data_.append(reinterpret_cast<const char*>(&bytes), sizeof bytes);
    data_.append(reinterpret_cast<const char*>(values.data()), bytes);
    return element;
  }
  void reserve(std::size_t bytes) { data_.reserve(bytes); }
  [[nodiscard]] const std::string& data() const { return data_; }

 private:
  std::string data_;
};

// A field as one or two real arrays.
template <class Use>
void real_arrays(const Field& field, const Use& use) {
  if (!field.info.is_complex) {
    use(field.info.name, std::span<const float>(*field.values));
    return;
  }
  std::vector<float> half(field.values->size() / 2);
  for (std::size_t which = 0; which < 2; ++which) {
    for (std::size_t i = 0; i < half.size(); ++i) half[i] = (*field.values)[2 * i + which];
    use(field.info.name + (which == 0 ? "_re" : "_im"), std::span<const float>(half));
  }
}

std::string data_section(const FramePart& part, Association association, Appended& appended) {
  const char* tag = association == Association::point ? "PointData" : "CellData";
  std::string out = fmt::format("<{}>\n", tag);
  for (const auto& field : part.fields) {
    if (field.info.association != association) continue;
    real_arrays(field, [&](const std::string& name, std::span<const float> values) {
      out += appended.array(name, "Float32", field.info.components, values);
    });
  }
  return out + fmt::format("</{}>\n", tag);
}

std::size_t bytes_of(const FramePart& part) {
  std::size_t bytes = 4096;
  for (const auto& f : part.fields) bytes += f.values->size() * sizeof(float) + 64;
  if (const auto* m = std::get_if<MeshGeometry>(&part.geometry))
    bytes += m->points->size() * 8 + m->connectivity->size() * 8 + m->offsets->size() * 8 + m->types->size();
  return bytes;
}

std::string document(std::string_view type, const std::string& body, double value, Appended& appended) {
  const std::array<double, 1> time = {value};
  const std::string field = "<FieldData>\n" +
                            fmt::format(
                                "<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" "
                                "format=\"ascii\">{}</DataArray>\n",
                                time[0]) +
                            "</FieldData>\n";
  std::string out = fmt::format(
      "<?xml version=\"1.0\"?>\n"
      "<VTKFile type=\"{}\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n",
      type);
  // FieldData is the first child of the grid's element.
  const std::size_t open_end = body.find(">\n") + 2;
  out.reserve(out.size() + body.size() + field.size() + appended.data().size() + 128);
  out += body.substr(0, open_end);
  out += field;
  out.append(body, open_end);
  out += "<AppendedData encoding=\"raw\">\n_";
  out += appended.data();
  out += "\n</AppendedData>\n</VTKFile>\n";
  return out;
}

std::string vti(const FramePart& part, const ImageGeometry& g, double value) {
  Appended appended;
  appended.reserve(bytes_of(part));
  const std::string extent = fmt::format("0 {} 0 {} 0 {}", g.points[0] - 1, g.points[1] - 1, g.points[2] - 1);
  std::string body = fmt::format("<ImageData WholeExtent=\"{}\" Origin=\"{} {} {}\" Spacing=\"{} {} {}\">\n", extent,
                                 g.origin[0], g.origin[1], g.origin[2], g.spacing[0] > 0 ? g.spacing[0] : 1.0,
                                 g.spacing[1] > 0 ? g.spacing[1] : 1.0, g.spacing[2] > 0 ? g.spacing[2] : 1.0);
  body += fmt::format("<Piece Extent=\"{}\">\n", extent);
  body += data_section(part, Association::point, appended);
  body += data_section(part, Association::cell, appended);
  body += "</Piece>\n</ImageData>\n";
  return document("ImageData", body, value, appended);
}

std::string vtu(const FramePart& part, const MeshGeometry& g, double value) {
  Appended appended;
  appended.reserve(bytes_of(part));
  std::string body = "<UnstructuredGrid>\n";
  body += fmt::format("<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n", g.points->size() / 3, g.types->size());
  body += data_section(part, Association::point, appended);
  body += data_section(part, Association::cell, appended);
  body += "<Points>\n" + appended.array("Points", "Float64", 3, std::span<const double>(*g.points)) + "</Points>\n";
  body += "<Cells>\n" + appended.array("connectivity", "Int64", 1, std::span<const Index>(*g.connectivity));
  // The XML format leaves out the leading 0 of the offsets.
  body += appended.array("offsets", "Int64", 1, std::span<const Index>(*g.offsets).subspan(1));
  body += appended.array("types", "UInt8", 1, std::span<const std::uint8_t>(*g.types)) + "</Cells>\n";
  body += "</Piece>\n</UnstructuredGrid>\n";
  return document("UnstructuredGrid", body, value, appended);
}

// Positions of the points or the centres of the cells of a part.
std::vector<double> places(const FramePart& part, Association association) {
  std::vector<double> out;
  if (const auto* g = std::get_if<ImageGeometry>(&part.geometry)) {
    std::array<Index, 3> n{};
    double half = 0;
    for (std::size_t a = 0; a < 3; ++a)
      n[a] = association == Association::point ? g->points[a] : std::max<Index>(g->points[a] - 1, 1);
    if (association == Association::cell) half = 0.5;
    for (Index k = 0; k < n[2]; ++k)
      for (Index j = 0; j < n[1]; ++j)
        for (Index i = 0; i < n[0]; ++i) {
          const std::array<Index, 3> ijk = {i, j, k};
          for (std::size_t a = 0; a < 3; ++a)
            out.push_back(g->origin[a] +
                          g->spacing[a] * (static_cast<double>(ijk[a]) + (g->points[a] > 1 ? half : 0.0)));
        }
    return out;
  }
  const auto& m = std::get<MeshGeometry>(part.geometry);
  if (association == Association::point) return *m.points;
  for (std::size_t c = 0; c + 1 < m.offsets->size(); ++c) {
    const Index begin = (*m.offsets)[c];
    const Index end = (*m.offsets)[c + 1];
    Vec3 sum{};
    for (Index k = begin; k < end; ++k)
      for (std::size_t a = 0; a < 3; ++a)
        sum[a] += (*m.points)[3 * static_cast<std::size_t>((*m.connectivity)[static_cast<std::size_t>(k)]) + a];
    for (std::size_t a = 0; a < 3; ++a) out.push_back(end > begin ? sum[a] / static_cast<double>(end - begin) : 0.0);
  }
  return out;
}

std::string slug(std::string_view part) {
  // "results-plane-xz.vtkhdf" → "plane-xz"
  const std::string file = vtkhdf::file_name(part);
  return file.substr(8, file.size() - 8 - 7);
}

template <class List, class Name>
std::string listed(const List& list, const Name& name) {
  std::string out;
  for (const auto& entry : list) out += (out.empty() ? "" : ", ") + name(entry);
  return out;
}

Status check_request(const VtkhdfReader& reader, const FrameRequest& request) {
  for (const auto& wanted : request.parts)
    if (std::none_of(reader.parts().begin(), reader.parts().end(), [&](const auto& p) { return p.name == wanted; }))
      return make_error(ErrorCode::command_line, fmt::format("there is no part '{}'", wanted),
                        "The run has: " + listed(reader.parts(), [](const auto& p) { return p.name; }));
  std::map<std::string, int> fields;
  for (const auto& part : reader.parts())
    for (const auto& field : part.fields) ++fields[field.name];
  for (const auto& wanted : request.fields)
    if (!fields.contains(wanted))
      return make_error(ErrorCode::command_line, fmt::format("there is no field '{}'", wanted),
                        "The run has: " + listed(fields, [](const auto& f) { return f.first; }));
  return {};
}

// Keeps what export_run writes together.
class Exporter {
 public:
  Exporter(const ExportOptions& options, std::string run) : options_(options), run_(std::move(run)) {}

  Status write(const std::string& name, const std::string& content) {
    const fs::path path = options_.out / name;
    const Status written = write_file_atomically(path, content);
    if (!written) return written;
    report_.files.push_back(path);
    report_.bytes += content.size();
    return {};
  }

  Status frame(const Frame& frame) {
    for (const auto& part : frame.parts) {
      const std::string base = fmt::format("{}-{:06}", slug(part.name), frame.number);
      if (options_.format == ExportFormat::csv) {
        for (const Association a : {Association::point, Association::cell}) {
          const std::string text = frame_csv(part, frame, a, run_);
          if (text.empty()) continue;
          if (Status s = write(base + (a == Association::point ? "-points.csv" : "-cells.csv"), text); !s) return s;
        }
        continue;
      }
      const std::string name = base + (std::holds_alternative<ImageGeometry>(part.geometry) ? ".vti" : ".vtu");
      if (Status s = write(name, vtk_xml(part, frame.value)); !s) return s;
      collections_[part.name] +=
          fmt::format("<DataSet timestep=\"{}\" part=\"0\" file=\"{}\"/>\n", frame.value, xml_text(name));
    }
    ++report_.frames;
    return {};
  }

  Status collections() {
    for (const auto& [part, entries] : collections_) {
      const std::string text = fmt::format(
          "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n"
          "<Collection>\n{}</Collection>\n</VTKFile>\n",
          entries);
      if (Status s = write(slug(part) + ".pvd", text); !s) return s;
    }
    return {};
  }

  // Whole rows only: a table of a killed run may end in the middle of one.
  Status tables(const fs::path& charts) {
    std::error_code code;
    std::vector<fs::path> files;
    for (fs::directory_iterator it(charts, code), end; !code && it != end; it.increment(code))
      if (it->path().extension() == ".csv") files.push_back(it->path());
    std::sort(files.begin(), files.end());
    for (const auto& file : files) {
      auto text = read_file(file, Bytes{8} << 30);
      if (!text) return text.error();
      text->resize(text->rfind('\n') == std::string::npos ? 0 : text->rfind('\n') + 1);
      if (Status s = write(file.filename().string(), *text); !s) return s;
    }
    return {};
  }

  [[nodiscard]] ExportReport take() { return std::move(report_); }

 private:
  const ExportOptions& options_;
  std::string run_;
  ExportReport report_;
  std::map<std::string, std::string> collections_;
};

}  // namespace

Result<ExportFormat> parse_export_format(std::string_view text) {
  if (text == "vtu" || text == "vti" || text == "vtk") return ExportFormat::vtk;
  if (text == "csv") return ExportFormat::csv;
  return make_error(ErrorCode::command_line, fmt::format("expected vtu or csv, found '{}'", text),
                    "Write `--to vtu` for ParaView, `--to csv` for tables.");
}

std::string vtk_xml(const FramePart& part, double value) {
  if (const auto* g = std::get_if<ImageGeometry>(&part.geometry)) return vti(part, *g, value);
  return vtu(part, std::get<MeshGeometry>(part.geometry), value);
}

std::string frame_csv(const FramePart& part, const Frame& frame, Association association, std::string_view run) {
  TableInfo info;
  info.title =
      fmt::format("{}, {}, frame {}", part.name, association == Association::point ? "points" : "cells", frame.number);
  info.form = ChartForm::none;
  static constexpr std::string_view axes[] = {"time [s]", "frequency [Hz]", "iteration"};
  info.definition = fmt::format("{}: {}", axes[static_cast<int>(frame.axis)], frame.value);
  info.columns = {{"x", "m", {}}, {"y", "m", {}}, {"z", "m", {}}};
  std::vector<std::pair<std::vector<float>, int>> columns;
  for (const auto& field : part.fields) {
    if (field.info.association != association) continue;
    real_arrays(field, [&](const std::string& name, std::span<const float> values) {
      for (int c = 0; c < field.info.components; ++c)
        info.columns.push_back({field.info.components == 1 ? name
                                                           : fmt::format("{}_{}", name,
                                                                         c == 0   ? "x"
                                                                         : c == 1 ? "y"
                                                                                  : "z"),
                                field.info.unit,
                                {}});
      columns.emplace_back(std::vector<float>(values.begin(), values.end()), field.info.components);
    });
  }
  if (columns.empty()) return {};
  const std::vector<double> at = places(part, association);
  std::string out = csv_head(info, run);
  for (std::size_t r = 0; 3 * r < at.size(); ++r) {
    fmt::format_to(std::back_inserter(out), "{},{},{}", at[3 * r], at[3 * r + 1], at[3 * r + 2]);
    for (const auto& [values, components] : columns)
      for (int c = 0; c < components; ++c)
        fmt::format_to(std::back_inserter(out), ",{}",
                       values[r * static_cast<std::size_t>(components) + static_cast<std::size_t>(c)]);
    out += "\r\n";
  }
  return out;
}

Result<ExportReport> export_run(const fs::path& run, const ExportOptions& options) try {
  auto folder = RunFolder::open(run);
  if (!folder) return folder.error();
  auto reader = VtkhdfReader::open(run);
  // A run without fields still has tables.
  if (!reader && options.format != ExportFormat::csv) return reader.error();
  if (!reader && !vtkhdf::results_files(run).empty()) return reader.error();
  std::vector<std::size_t> frames = options.frames;
  if (reader) {
    if (Status s = check_request(**reader, options.request); !s) return s.error();
    const std::size_t count = (*reader)->frames().size();
    if (frames.empty())
      for (std::size_t f = 0; f < count; f += std::max<std::size_t>(options.every, 1)) frames.push_back(f);
    for (const std::size_t f : frames)
      if (f >= count)
        return make_error(ErrorCode::command_line, fmt::format("there is no frame {}: the run has {} frames", f, count),
                          "Frames count from 0.");
  } else {
    frames.clear();
  }
  std::error_code code;
  fs::create_directories(options.out, code);
  if (code) return system_error("make folder", options.out.string(), code.value());
  Exporter exporter(options, folder->id());
  std::size_t done = 0;
  for (const std::size_t f : frames) {
    const auto frame = (*reader)->read(f, options.request);
    if (!frame) return frame.error();
    if (Status s = exporter.frame(**frame); !s) return s.error();
    if (options.progress && !options.progress(++done, frames.size())) break;
  }
  if (Status s = exporter.collections(); !s) return s.error();
  if (options.format == ExportFormat::csv)
    if (Status s = exporter.tables(folder->charts()); !s) return s.error();
  return exporter.take();
} catch (...) {
  return current_exception_as_error();
}

}  // namespace conoid

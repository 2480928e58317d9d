// SPDX-License-Identifier: BSD-3-Clause
// Cases leaf by leaf, tables column by column, fields entry by entry or by probing.
#include "engine/session/run_comparison.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "engine/case/document.hpp"
#include "engine/case/former_names.hpp"
#include "engine/core/atomic_file.hpp"
#include "engine/core/json.hpp"
#include "engine/io/csv.hpp"
#include "engine/io/frame_choice.hpp"
#include "engine/io/vtkhdf.hpp"
#include "engine/run/frame_places.hpp"
#include "engine/run/frame_probe.hpp"
#include "engine/session/prolong.hpp"

namespace conoid {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_leaves = 5000;
constexpr std::size_t most_probed = 100000;
constexpr Bytes most_summary = Bytes{16} << 20;

void collect(const Json& value, const std::string& pointer, std::vector<std::pair<std::string, std::string>>& out) {
  if (out.size() >= most_leaves) return;
  if (value.is_object() && !value.empty()) {
    for (const auto& [key, member] : value.items()) collect(member, pointer_join(pointer, key), out);
  } else if (value.is_array() &&
             std::any_of(value.begin(), value.end(), [](const Json& one) { return one.is_structured(); })) {
    for (std::size_t i = 0; i < value.size(); ++i) collect(value[i], pointer_join(pointer, std::to_string(i)), out);
  } else {
    out.emplace_back(pointer, value.is_string() ? value.get<std::string>() : compact_json(value));
  }
}

class Meter {
 public:
  void add(double first, double second) {
    if (!std::isfinite(first) || !std::isfinite(second)) return;
    ++out_.values;
    const double apart = second - first;
    out_.scale = std::max(out_.scale, std::abs(first));
    out_.largest = std::max(out_.largest, std::abs(apart));
    squares_ += apart * apart;
    own_ += first * first;
  }
  [[nodiscard]] Distance result() const {
    Distance out = out_;
    if (out.values > 0) {
      out.rms = std::sqrt(squares_ / static_cast<double>(out.values));
      out.rms_scale = std::sqrt(own_ / static_cast<double>(out.values));
    }
    return out;
  }

 private:
  Distance out_;
  double squares_ = 0, own_ = 0;
};

std::map<std::string, NumberPair> numbers_of(const fs::path& folder, std::vector<std::string>& order,
                                             std::vector<std::string>& notes) {
  std::map<std::string, NumberPair> out;
  const auto text = read_file(folder / "summary.json", most_summary);
  if (!text) {
    notes.push_back(fmt::format("{} has no summary: its run has not ended", folder.filename().string()));
    return out;
  }
  const Json summary = read_json(*text);
  const auto numbers = summary.is_object() ? summary.find("numbers") : summary.end();
  if (!summary.is_object() || numbers == summary.end() || !numbers->is_object()) return out;
  for (const auto& [name, entry] : numbers->items()) {
    if (name.starts_with("seconds") || !entry.is_object()) continue;
    const auto value = entry.find("value"), unit = entry.find("unit");
    if (value == entry.end() || !value->is_number()) continue;
    out[name] = {
        name, unit != entry.end() && unit->is_string() ? unit->get<std::string>() : "1", value->get<double>(), {}};
    order.push_back(name);
  }
  return out;
}

void compare_numbers(const fs::path& first, const fs::path& second, RunComparison& out) {
  std::vector<std::string> order;
  auto a = numbers_of(first, order, out.notes);
  const auto b = numbers_of(second, order, out.notes);
  for (const auto& [name, pair] : b) {
    const auto [at, fresh] = a.try_emplace(name, NumberPair{name, pair.unit, {}, {}});
    at->second.second = pair.first;
  }
  std::set<std::string> told;
  for (const std::string& name : order)
    if (told.insert(name).second) out.numbers.push_back(a.at(name));
}

bool ascending(const std::vector<double>& x) {
  return std::adjacent_find(x.begin(), x.end(), [](double a, double b) { return !(a < b); }) == x.end();
}

void compare_table(const std::string& name, const CsvTable& a, const CsvTable& b, RunComparison& out) {
  if (a.rows() == 0 || b.rows() == 0 || a.columns.size() < 2) return;
  const std::vector<double> x = a.column(0), other = b.column(0);
  const bool same = x == other;
  if (!same && (a.columns[0].name != b.columns[0].name || !ascending(x) || !ascending(other)))
    return out.notes.push_back(
        fmt::format("{}: the rows stand for other values of {} and cannot be interpolated", name, a.columns[0].name));
  for (std::size_t c = 1; c < a.columns.size(); ++c) {
    const std::size_t there = b.find(a.columns[c].name);
    if (there == CsvTable::npos) continue;
    const std::vector<double> y = a.column(c), z = b.column(there);
    Meter meter;
    for (std::size_t r = 0; r < x.size(); ++r) {
      if (same) {
        meter.add(y[r], z[r]);
        continue;
      }
      if (x[r] < other.front() || x[r] > other.back()) continue;
      const auto after = static_cast<std::size_t>(std::upper_bound(other.begin(), other.end(), x[r]) - other.begin());
      if (after == other.size()) {
        meter.add(y[r], z.back());
        continue;
      }
      const double t = (x[r] - other[after - 1]) / (other[after] - other[after - 1]);
      meter.add(y[r], (1 - t) * z[after - 1] + t * z[after]);
    }
    out.curves.push_back({name, a.columns[c].name, a.columns[c].unit, !same, meter.result()});
  }
}

void compare_tables(const fs::path& first, const fs::path& second, RunComparison& out) {
  const auto names = [](const fs::path& folder) {
    std::set<std::string> found;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder / "charts", ignored))
      if (entry.path().extension() == ".csv") found.insert(entry.path().stem().string());
    return found;
  };
  const std::set<std::string> a = names(first), b = names(second);
  for (const std::string& name : a) {
    if (!b.contains(name)) {
      out.notes.push_back(fmt::format("chart {} is in {} only", name, first.filename().string()));
      continue;
    }
    const auto one = read_table(first / "charts" / (name + ".csv")),
               two = read_table(second / "charts" / (name + ".csv"));
    if (!one || !two)
      out.notes.push_back(fmt::format("chart {}: {}", name, one ? two.error().text : one.error().text));
    else
      compare_table(name, one->table, two->table, out);
  }
  for (const std::string& name : b)
    if (!a.contains(name)) out.notes.push_back(fmt::format("chart {} is in {} only", name, second.filename().string()));
}

Result<Distance> probe_apart(const FramePart& a, const Field& of_a, const FramePart& b, const Field& of_b) {
  const auto probe = PartProbe::make(b);
  if (!probe) return probe.error();
  const std::vector<Vec3> places = places_of(a, of_a.info.association);
  const std::size_t width = static_cast<std::size_t>(of_a.info.components) * (of_a.info.is_complex ? 2 : 1);
  const std::size_t stride = places.size() / most_probed + 1;
  Meter meter;
  std::vector<double> there;
  for (std::size_t i = 0; i < places.size(); i += stride) {
    const auto spot = probe->find(places[i], probe->usual_reach(), of_b.info.association);
    if (!spot) continue;
    blend(*spot, of_b, there);
    for (std::size_t k = 0; k < width; ++k) meter.add(static_cast<double>((*of_a.values)[i * width + k]), there[k]);
  }
  const Distance out = meter.result();
  if (out.values == 0) return make_error(ErrorCode::invalid_input, "the two meet at no point");
  return out;
}

void compare_part(const FramePart& a, const Frame& second, FieldDistance base, RunComparison& out) {
  const auto there = std::find_if(second.parts.begin(), second.parts.end(),
                                  [&](const FramePart& part) { return part.name == a.name; });
  if (there == second.parts.end()) return out.notes.push_back(fmt::format("part {} is in the first run only", a.name));
  const bool same = same_geometry(a.geometry, there->geometry);
  for (const Field& field : a.fields) {
    const auto other = std::find_if(there->fields.begin(), there->fields.end(),
                                    [&](const Field& f) { return f.info.name == field.info.name; });
    const std::string what = a.name + "/" + field.info.name;
    if (other == there->fields.end()) {
      out.notes.push_back(fmt::format("field {} is in the first run only", what));
      continue;
    }
    const bool alike =
        other->info.components == field.info.components && other->info.is_complex == field.info.is_complex;
    if (!alike || !check_field(a, field) || !check_field(*there, *other)) {
      out.notes.push_back(fmt::format("field {}: its values are of another kind, or damaged", what));
      continue;
    }
    base.part = a.name;
    base.field = field.info.name;
    base.unit = field.info.unit;
    base.interpolated = !(same && other->info.association == field.info.association);
    if (!base.interpolated) {
      Meter meter;
      for (std::size_t i = 0; i < field.values->size(); ++i)
        meter.add(static_cast<double>((*field.values)[i]), static_cast<double>((*other->values)[i]));
      base.distance = meter.result();
    } else {
      const auto apart = probe_apart(a, field, *there, *other);
      if (!apart) {
        out.notes.push_back(fmt::format("field {}: {}", what, apart.error().text));
        continue;
      }
      base.distance = *apart;
    }
    out.fields.push_back(base);
  }
}

Status compare_fields(const fs::path& first, const fs::path& second, const std::string& frames, RunComparison& out) {
  const auto a = VtkhdfReader::open(first), b = VtkhdfReader::open(second);
  if (!a || !b) {
    out.notes.push_back(fmt::format("no fields: {}", a ? b.error().text : a.error().text));
    return {};
  }
  const auto chosen = choose_frames((*a)->frames(), frames, "--frames");
  if (!chosen) return chosen.error();
  const std::vector<StoredFrame>& there = (*b)->frames();
  if (there.empty()) out.notes.push_back("no fields: the second run has no frame");
  for (const std::size_t position : *chosen) {
    if (there.empty()) break;
    const StoredFrame& moment = (*a)->frames()[position];
    const auto nearest = std::min_element(there.begin(), there.end(), [&](const StoredFrame& p, const StoredFrame& q) {
      return std::abs(p.value - moment.value) < std::abs(q.value - moment.value);
    });
    const auto one = (*a)->read(position);
    const auto two = (*b)->read(static_cast<std::size_t>(nearest - there.begin()));
    if (!one || !two) {
      out.notes.push_back(fmt::format("frame {}: {}", moment.number, one ? two.error().text : one.error().text));
      continue;
    }
    FieldDistance base;
    base.moment_first = moment.value;
    base.moment_second = nearest->value;
    for (const FramePart& part : (*one)->parts) compare_part(part, **two, base, out);
  }
  return {};
}

}  // namespace

std::vector<std::pair<std::string, std::string>> case_leaves(const Json& document) {
  std::vector<std::pair<std::string, std::string>> out;
  collect(with_present_names(document, schema_of(document)), "", out);
  return out;
}

std::vector<KeyDifference> case_differences(const fs::path& first_case, const fs::path& second_case) {
  const auto leaves_of = [](const fs::path& file) {
    const auto document = CaseDocument::read(file);
    return document ? case_leaves(document->json()) : std::vector<std::pair<std::string, std::string>>();
  };
  const auto a = leaves_of(first_case), b = leaves_of(second_case);
  const std::map<std::string, std::string> in_a(a.begin(), a.end()), in_b(b.begin(), b.end());
  std::vector<KeyDifference> out;
  for (const auto& [pointer, text] : a) {
    const auto there = in_b.find(pointer);
    if (there == in_b.end())
      out.push_back({pointer, text, {}});
    else if (there->second != text)
      out.push_back({pointer, text, there->second});
  }
  for (const auto& [pointer, text] : b)
    if (!in_a.contains(pointer)) out.push_back({pointer, {}, text});
  return out;
}

Result<RunComparison> compare_runs(const fs::path& first, const fs::path& second, const CompareOptions& options) {
  for (const fs::path& folder : {first, second})
    if (std::error_code ignored; !fs::is_regular_file(folder / "case.json", ignored))
      return make_error(ErrorCode::file, fmt::format("'{}' is no run folder: it holds no case.json", folder.string()),
                        "Give the folder that a run has made, its name below runs/, or 'latest'.");
  RunComparison out;
  out.keys = case_differences(first / "case.json", second / "case.json");
  compare_numbers(first, second, out);
  compare_tables(first, second, out);
  if (options.fields)
    if (Status done = compare_fields(first, second, options.frames, out); !done) return done.error();
  return out;
}

}  // namespace conoid

// SPDX-License-Identifier: BSD-3-Clause
// Selection of a field's numbers and percentile ranges.
#include "render/scene/field_values.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <limits>

#include "render/scene/ticks.hpp"

namespace conoid {

Result<std::vector<float>> select_values(const Field& field, Index entries, const ValueSelection& selection) {
  const FieldInfo& info = field.info;
  const auto parts = static_cast<std::size_t>(info.is_complex ? 2 : 1);
  const auto components = static_cast<std::size_t>(std::max(info.components, 1));
  const auto n = static_cast<std::size_t>(std::max<Index>(entries, 0));
  if (!field.values || field.values->size() != n * components * parts)
    return make_error(ErrorCode::file, "field \"" + info.name + "\" should have " +
                                           std::to_string(n * components * parts) + " numbers and has " +
                                           std::to_string(field.values ? field.values->size() : 0));
  if (selection.component >= static_cast<int>(components))
    return make_error(ErrorCode::command_line, "field \"" + info.name + "\" has " + std::to_string(components) +
                                                   " components, number " + std::to_string(selection.component) +
                                                   " was asked for");
  const std::vector<float>& in = *field.values;
  if (components == 1 && parts == 1) return in;
  const bool one = components == 1 || selection.component >= 0;
  const auto first = static_cast<std::size_t>(std::max(selection.component, 0));
  const float c = static_cast<float>(std::cos(selection.angle));
  const float s = static_cast<float>(std::sin(selection.angle));
  std::vector<float> out(n);
  for (std::size_t i = 0; i < n; ++i) {
    const float* v = in.data() + i * components * parts;
    if (info.is_complex && selection.part == ComplexPart::phase) {
      out[i] = std::atan2(v[2 * first + 1], v[2 * first]);
      continue;
    }
    const auto value = [&](std::size_t k) {
      if (parts == 1) return v[k];
      if (selection.part == ComplexPart::magnitude) return std::hypot(v[2 * k], v[2 * k + 1]);
      return v[2 * k] * c - v[2 * k + 1] * s;
    };
    if (one) {
      out[i] = value(first);
    } else {
      float sum = 0;
      for (std::size_t k = 0; k < components; ++k) sum += value(k) * value(k);
      out[i] = std::sqrt(sum);
    }
  }
  return out;
}

Result<std::shared_ptr<const std::vector<float>>> shared_values(const Field& field, Index entries,
                                                                const ValueSelection& selection) {
  const bool plain = field.info.components <= 1 && !field.info.is_complex && selection.component <= 0;
  if (plain && field.values && field.values->size() == static_cast<std::size_t>(std::max<Index>(entries, 0)))
    return field.values;
  auto chosen = select_values(field, entries, selection);
  if (!chosen) return chosen.error();
  return std::make_shared<const std::vector<float>>(std::move(chosen).value());
}

FieldKind kind_of(const FieldInfo& info, const ValueSelection& selection) {
  if (info.is_complex && selection.part == ComplexPart::phase) return FieldKind::phase;
  if (info.is_complex && selection.part == ComplexPart::magnitude) return FieldKind::magnitude;
  if (info.components > 1) return selection.component < 0 ? FieldKind::magnitude : FieldKind::signed_value;
  return info.kind;
}

std::string label_of(const FieldInfo& info, const ValueSelection& selection) {
  std::string label = info.label.empty() ? info.name : info.label;
  if (info.label.empty()) {
    std::replace(label.begin(), label.end(), '_', ' ');
    if (!label.empty()) label.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(label.front())));
  }
  if (info.components > 1 && selection.component >= 0)
    label += std::string(" ") + "xyz"[std::min(selection.component, 2)];
  else if (info.components > 1 || (info.is_complex && selection.part == ComplexPart::magnitude))
    label = "|" + label + "|";
  if (info.is_complex && selection.part == ComplexPart::phase) label = "Phase of " + label;
  return label;
}

std::string unit_of(const FieldInfo& info, const ValueSelection& selection) {
  return info.is_complex && selection.part == ComplexPart::phase ? "rad" : info.unit;
}

namespace {

/// The least and the greatest of the finite values; many side by side, as one would wait for each comparison.
std::pair<float, float> finite_ends(const std::vector<float>& values) {
  constexpr std::size_t side = 16;
  constexpr float most = std::numeric_limits<float>::max();
  float lows[side], highs[side];
  std::fill_n(lows, side, INFINITY);
  std::fill_n(highs, side, -INFINITY);
  const auto take = [&](float v, std::size_t l) {
    const bool finite = std::abs(v) <= most;
    const float up = finite ? v : INFINITY, down = finite ? v : -INFINITY;
    lows[l] = up < lows[l] ? up : lows[l];
    highs[l] = down > highs[l] ? down : highs[l];
  };
  const std::size_t whole = values.size() / side * side;
  for (std::size_t i = 0; i < whole; i += side)
    for (std::size_t l = 0; l < side; ++l) take(values[i + l], l);
  for (std::size_t i = whole; i < values.size(); ++i) take(values[i], 0);
  return {*std::min_element(lows, lows + side), *std::max_element(highs, highs + side)};
}

}  // namespace

std::pair<double, double> robust_range(const std::vector<float>& values, FieldKind kind, double percent) {
  if (kind == FieldKind::phase) return {-3.14159265358979323846, 3.14159265358979323846};
  constexpr float most = std::numeric_limits<float>::max();
  const auto [low, high] = finite_ends(values);
  const bool is_signed = kind == FieldKind::signed_value;
  if (!(low <= high) || (low == 0 && high == 0)) return is_signed ? std::pair{-1.0, 1.0} : std::pair{0.0, 1.0};
  const double largest = std::max(std::abs(low), std::abs(high));
  const auto percentile = [&](double floor, double p) {
    const double share = std::clamp(p / 100, 0.0, 1.0);
    // Of many values by counts of 1/16384 of the largest: one pass instead of a partial sort, which would hold the window up. Of
    // very many every so manyth, an odd number, which shares no rhythm with the sides of usual grids; half a million say it as well.
    constexpr std::size_t many = std::size_t{1} << 18, enough = std::size_t{1} << 19;
    constexpr int bins = 16384;
    if (values.size() > many) {
      const std::size_t stride = values.size() / enough | 1U;
      std::vector<std::uint32_t> counts(bins + 1, 0);
      const double scale = bins / largest;
      const auto least = static_cast<float>(floor);
      std::uint64_t all = 0;
      for (std::size_t i = 0; i < values.size(); i += stride) {
        const float a = std::abs(values[i]);
        if (!(a >= least && a <= most)) continue;
        ++counts[static_cast<std::size_t>(std::min(static_cast<double>(a) * scale, static_cast<double>(bins)))];
        ++all;
      }
      const auto wanted = static_cast<std::uint64_t>(share * static_cast<double>(all > 0 ? all - 1 : 0) + 0.5);
      std::uint64_t before = 0;
      for (int k = 0; k <= bins; ++k)
        if ((before += counts[static_cast<std::size_t>(k)]) > wanted)
          return std::min(largest, largest * (k + 1.0) / bins);
      return largest;
    }
    std::vector<float> kept;
    for (const float v : values)
      if (std::isfinite(v) && std::abs(v) >= floor) kept.push_back(std::abs(v));
    if (kept.empty()) return largest;
    const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(kept.size() - 1) + 0.5);
    std::nth_element(kept.begin(), kept.begin() + at, kept.end());
    return static_cast<double>(kept[static_cast<std::size_t>(at)]);
  };
  if (is_signed) {
    const double r = round_up(percentile(0.01 * largest, percent));
    return {-r, r};
  }
  if (low >= 0 && low < 0.5 * largest) return {0.0, round_up(percentile(0.01 * largest, percent))};
  // A magnitude far from zero (density, temperature): the full range, a little wider when constant.
  if (high - low < 1e-6 * largest) return {low - 0.05 * largest, high + 0.05 * largest};
  return {low, high};
}

bool is_zero(const std::vector<float>& values) {
  constexpr std::size_t piece = 4096;
  for (std::size_t i = 0; i < values.size(); i += piece) {
    const std::size_t end = std::min(values.size(), i + piece);
    int others = 0;
    for (std::size_t k = i; k < end; ++k) others += values[k] != 0 ? 1 : 0;
    if (others > 0) return false;
  }
  return true;
}

Result<std::pair<double, double>> selected_range(const Field& field, const ValueSelection& selection,
                                                 const std::vector<float>& values, double percent) {
  const FieldKind kind = kind_of(field.info, selection);
  if (!field.info.is_complex || selection.part != ComplexPart::instant) return robust_range(values, kind, percent);
  ValueSelection whole = selection;
  whole.part = ComplexPart::magnitude;
  const auto magnitudes = select_values(field, static_cast<Index>(values.size()), whole);
  if (!magnitudes) return magnitudes.error();
  const auto r = robust_range(*magnitudes, FieldKind::magnitude, percent);
  const double end = std::max(std::abs(r.first), std::abs(r.second));
  return kind == FieldKind::signed_value ? std::pair{-end, end} : std::pair{0.0, end};
}

std::optional<std::pair<double, double>> range_in_frame(const Frame& frame, const std::string& part,
                                                        const std::string& field, const ValueSelection& selection,
                                                        double percent) {
  std::optional<std::pair<double, double>> out;
  for (const FramePart& one : frame.parts) {
    if (!part.empty() && one.name != part) continue;
    for (const Field& f : one.fields) {
      if (f.info.name != field || !f.values) continue;
      const auto entries = static_cast<Index>(f.values->size()) / (f.info.components * (f.info.is_complex ? 2 : 1));
      const auto values = shared_values(f, entries, selection);
      if (!values || is_zero(**values)) continue;
      const auto r = selected_range(f, selection, **values, percent);
      if (!r) continue;
      out = out ? std::pair{std::min(out->first, r->first), std::max(out->second, r->second)} : *r;
    }
  }
  return out;
}

std::optional<std::pair<double, double>> range_over_frames(std::vector<std::pair<double, double>> ranges) {
  if (ranges.empty()) return std::nullopt;
  if (std::all_of(ranges.begin(), ranges.end(), [](const auto& r) { return r.first < 0 && r.first == -r.second; })) {
    const auto chosen = ranges.begin() + static_cast<std::ptrdiff_t>(ranges.size() - 1 - (ranges.size() - 1) / 4);
    std::nth_element(ranges.begin(), chosen, ranges.end(),
                     [](const auto& a, const auto& b) { return a.second < b.second; });
    return *chosen;
  }
  std::pair<double, double> out = ranges.front();
  for (const auto& r : ranges) out = {std::min(out.first, r.first), std::max(out.second, r.second)};
  return out;
}

}  // namespace conoid

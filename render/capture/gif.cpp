// SPDX-License-Identifier: BSD-3-Clause
// Palette and packing (T. Welch, "A technique for high-performance data compression", Computer 17 (1984) 8).
#include "render/capture/gif.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

namespace conoid {

namespace {

constexpr int kept_colors = 16;   // most frequent ones that stay as they are: paper, text, frames
constexpr int most_colors = 255;  // and one that says: as before
constexpr int most_code = 4095;

void put16(std::string& out, int value) {
  out += static_cast<char>(value & 0xff);
  out += static_cast<char>((value >> 8) & 0xff);
}

/// 6 bits of each channel.
std::size_t bin_of(const std::uint8_t* p) {
  return (static_cast<std::size_t>(p[0] >> 2) << 12) | (static_cast<std::size_t>(p[1] >> 2) << 6) |
         static_cast<std::size_t>(p[2] >> 2);
}

struct Bin {
  std::uint32_t count = 0;
  std::array<std::uint32_t, 3> sum{};
  std::size_t at = 0;
  [[nodiscard]] double mean(std::size_t k) const { return static_cast<double>(sum[k]) / count; }
};

struct Palette {
  std::vector<std::array<std::uint8_t, 3>> colors;
  std::vector<std::uint8_t> of_bin;  // 2^18
};

/// Rectangle [x0, x1) × [y0, y1).
struct Area {
  int x0 = 0, y0 = 0, x1 = 0, y1 = 0;
};

Palette palette_of(const Image& image, const Area& area) {
  std::vector<Bin> bins(std::size_t{1} << 18);
  for (int y = area.y0; y < area.y1; ++y) {
    const std::uint8_t* p = image.at(area.x0, y);
    for (int x = area.x0; x < area.x1; ++x, p += 4) {
      Bin& bin = bins[bin_of(p)];
      ++bin.count;
      for (std::size_t k = 0; k < 3; ++k) bin.sum[k] += p[k];
    }
  }
  std::vector<Bin> used;
  for (std::size_t i = 0; i < bins.size(); ++i)
    if (bins[i].count > 0) {
      used.push_back(bins[i]);
      used.back().at = i;
    }
  Palette out;
  out.of_bin.assign(bins.size(), 0);
  const auto take = [&](std::size_t begin, std::size_t end) {
    std::array<double, 3> sum{};
    double count = 0;
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t k = 0; k < 3; ++k) sum[k] += used[i].sum[k];
      count += used[i].count;
      out.of_bin[used[i].at] = static_cast<std::uint8_t>(out.colors.size());
    }
    std::array<std::uint8_t, 3> color{};
    for (std::size_t k = 0; k < 3; ++k) color[k] = static_cast<std::uint8_t>(std::lround(sum[k] / count));
    out.colors.push_back(color);
  };
  // The most frequent ones first.
  const std::size_t kept = used.size() <= most_colors ? used.size() : std::min<std::size_t>(kept_colors, used.size());
  std::partial_sort(used.begin(), used.begin() + static_cast<std::ptrdiff_t>(kept), used.end(),
                    [](const Bin& a, const Bin& b) { return a.count != b.count ? a.count > b.count : a.at < b.at; });
  for (std::size_t i = 0; i < kept; ++i) take(i, i + 1);
  if (kept == used.size()) return out;
  struct Box {
    std::size_t begin, end;
    std::size_t axis = 0;
    double spread = 0;
  };
  const auto measured = [&](Box box) {
    for (std::size_t k = 0; k < 3; ++k) {
      double low = 256, high = -1, count = 0;
      for (std::size_t i = box.begin; i < box.end; ++i) {
        low = std::min(low, used[i].mean(k));
        high = std::max(high, used[i].mean(k));
        count += used[i].count;
      }
      // Wide boxes first, crowded ones before empty ones.
      const double spread = box.end - box.begin < 2 ? 0 : (high - low) * std::pow(count, 0.25);
      if (k == 0 || spread > box.spread) {
        box.spread = spread;
        box.axis = k;
      }
    }
    return box;
  };
  std::vector<Box> boxes{measured({kept, used.size()})};
  while (boxes.size() + kept < most_colors) {
    const auto widest =
        std::max_element(boxes.begin(), boxes.end(), [](const Box& a, const Box& b) { return a.spread < b.spread; });
    if (!(widest->spread > 0)) break;
    const Box box = *widest;
    const auto first = used.begin() + static_cast<std::ptrdiff_t>(box.begin),
               last = used.begin() + static_cast<std::ptrdiff_t>(box.end);
    std::sort(first, last, [&](const Bin& a, const Bin& b) {
      return a.mean(box.axis) != b.mean(box.axis) ? a.mean(box.axis) < b.mean(box.axis) : a.at < b.at;
    });
    double all = 0, before = 0;
    for (auto it = first; it != last; ++it) all += it->count;
    std::size_t middle = box.begin;
    while (middle + 1 < box.end && (middle == box.begin || before + used[middle].count <= all / 2))
      before += used[middle++].count;
    *widest = measured({box.begin, middle});
    boxes.push_back(measured({middle, box.end}));
  }
  for (const Box& box : boxes) take(box.begin, box.end);
  return out;
}

/// Codes of growing length, in blocks of 255 bytes.
class Packer {
 public:
  explicit Packer(int bits) : bits_(bits), next_(static_cast<std::size_t>(most_code + 1) << 8, 0) {
    out_ += static_cast<char>(bits);
    start();
  }
  void add(std::uint8_t index) {
    if (prefix_ < 0) {
      prefix_ = index;
      return;
    }
    std::uint16_t& known = next_[(static_cast<std::size_t>(prefix_) << 8) | index];
    if (known != 0) {
      prefix_ = known;
      return;
    }
    code(prefix_);
    if (free_ > most_code) {
      code(1 << bits_);
      std::fill(next_.begin(), next_.end(), std::uint16_t{0});
      reset();
    } else {
      known = static_cast<std::uint16_t>(free_);
      // The reader learns a code one step later.
      if (free_ == (1 << length_) && length_ < 12) ++length_;
      ++free_;
    }
    prefix_ = index;
  }
  std::string finish() {
    if (prefix_ >= 0) code(prefix_);
    if (free_ == (1 << length_) && length_ < 12) ++length_;  // so does the reader
    code((1 << bits_) + 1);
    if (held_ > 0) byte(static_cast<std::uint8_t>(bits_held_));
    block();
    out_ += '\0';
    return std::move(out_);
  }

 private:
  void start() {
    reset();
    code(1 << bits_);
  }
  void reset() {
    length_ = bits_ + 1;
    free_ = (1 << bits_) + 2;
  }
  void code(int value) {
    bits_held_ |= static_cast<std::uint32_t>(value) << held_;
    held_ += length_;
    while (held_ >= 8) {
      byte(static_cast<std::uint8_t>(bits_held_ & 0xffU));
      bits_held_ >>= 8;
      held_ -= 8;
    }
  }
  void byte(std::uint8_t value) {
    block_ += static_cast<char>(value);
    if (block_.size() == 255) block();
  }
  void block() {
    if (block_.empty()) return;
    out_ += static_cast<char>(block_.size());
    out_ += block_;
    block_.clear();
  }

  int bits_;
  int length_ = 0, free_ = 0, prefix_ = -1, held_ = 0;
  std::uint32_t bits_held_ = 0;
  std::vector<std::uint16_t> next_;  // code of what follows a code; 0: not known
  std::string out_, block_;
};

bool same_color(const std::uint8_t* a, const std::uint8_t* b) {
  return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

Area changed_area(const Image& image, const Image* before) {
  if (before == nullptr || before->width != image.width || before->height != image.height)
    return {0, 0, image.width, image.height};
  Area out{image.width, image.height, 0, 0};
  for (int y = 0; y < image.height; ++y) {
    const std::uint8_t *a = image.at(0, y), *b = before->at(0, y);
    for (int x = 0; x < image.width; ++x, a += 4, b += 4) {
      if (same_color(a, b)) continue;
      out.x0 = std::min(out.x0, x);
      out.x1 = std::max(out.x1, x + 1);
      out.y0 = std::min(out.y0, y);
      out.y1 = y + 1;
    }
  }
  if (out.x1 == 0) return {0, 0, 1, 1};  // a picture must have a pixel
  return out;
}

}  // namespace

Result<std::string> gif_head(int width, int height) {
  if (width < 1 || height < 1 || width > 65535 || height > 65535)
    return make_error(ErrorCode::command_line, "a GIF has sides of 1 to 65535 pixels");
  std::string out = "GIF89a";
  put16(out, width);
  put16(out, height);
  out += std::string("\x70\0\0", 3);  // no palette for all
  out += std::string("\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0", 19);
  return out;
}

std::string gif_picture(const Image& image, const Image* before, double seconds) {
  const Area area = changed_area(image, before);
  const bool differs = area.x1 - area.x0 < image.width || area.y1 - area.y0 < image.height ||
                       (before != nullptr && before->width == image.width && before->height == image.height);
  const Palette palette = palette_of(image, area);
  // The index behind the colours means: as before.
  const auto clear = static_cast<int>(palette.colors.size());
  int bits = 2;
  while ((1 << bits) < clear + 1) ++bits;
  std::string out("\x21\xf9\x04", 3);
  out += static_cast<char>((1 << 2) | (differs ? 1 : 0));  // stays; has a transparent index
  put16(out, std::clamp(static_cast<int>(std::lround(100 * seconds)), 2, 65535));
  out += static_cast<char>(clear);
  out += '\0';
  out += '\x2c';
  put16(out, area.x0);
  put16(out, area.y0);
  put16(out, area.x1 - area.x0);
  put16(out, area.y1 - area.y0);
  out += static_cast<char>(0x80 | (bits - 1));
  for (int i = 0; i < (1 << bits); ++i)
    for (std::size_t k = 0; k < 3; ++k)
      out += static_cast<char>(i < clear ? palette.colors[static_cast<std::size_t>(i)][k] : 0);
  Packer packer(bits);
  for (int y = area.y0; y < area.y1; ++y) {
    const std::uint8_t* p = image.at(area.x0, y);
    const std::uint8_t* b = differs && before != nullptr ? before->at(area.x0, y) : nullptr;
    for (int x = area.x0; x < area.x1; ++x, p += 4) {
      packer.add(b != nullptr && same_color(p, b) ? static_cast<std::uint8_t>(clear) : palette.of_bin[bin_of(p)]);
      if (b != nullptr) b += 4;
    }
  }
  return out + packer.finish();
}

std::string gif_tail() {
  return ";";
}

}  // namespace conoid

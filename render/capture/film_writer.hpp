// SPDX-License-Identifier: BSD-3-Clause
// Pictures one after the other into numbered files, a GIF, or a film by the program ffmpeg.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "engine/run/run_reader.hpp"
#include "render/capture/png.hpp"
#include "render/window/image.hpp"

namespace conoid {

/// Path of the program ffmpeg on PATH; empty where there is none.
[[nodiscard]] std::string ffmpeg_program();
/// "film-00007.png" of "film.png" and 7.
[[nodiscard]] std::filesystem::path numbered_picture(const std::filesystem::path& path, int number);

struct FilmFormat {
  int width = 0;  ///< pixels of every picture
  int height = 0;
  double pictures_per_second = 15;
  PngText text{};  ///< of numbered pictures
};

/// Packing goes on in threads of its own while the next picture is drawn. A film or GIF takes its name when it is whole; numbered pictures are
/// written one by one. One thread at a time may call.
class FilmWriter {
 public:
  /// By the ending: .png (path-00001.png, …), .gif, .mp4, .webm, .mkv or .mov. The error of a missing ffmpeg says what can be written without it.
  [[nodiscard]] static Result<std::unique_ptr<FilmWriter>> open(const std::filesystem::path& path,
                                                                const FilmFormat& format);
  virtual ~FilmWriter() = default;  ///< without finish(): what is not whole goes away
  [[nodiscard]] virtual Status add(Image image) = 0;
  [[nodiscard]] virtual Status finish() = 0;
};

}  // namespace conoid

// SPDX-License-Identifier: BSD-3-Clause
// A row of pictures that are packed side by side and written in order.
#include "render/capture/film_writer.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <future>
#include <thread>

#include <fmt/format.h>
#include <unistd.h>

#include "engine/core/child_process.hpp"
#include "engine/core/file_ending.hpp"
#include "render/capture/gif.hpp"

namespace conoid {

namespace fs = std::filesystem;

namespace {

using Shared = std::shared_ptr<const Image>;

/// What all kinds share: pack() in threads, put() in order.
class PackedFilm : public FilmWriter {
 public:
  explicit PackedFilm(const FilmFormat& format)
      : format_(format), most_(std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, 8)) {}

  Status add(Image image) override {
    if (image.width != format_.width || image.height != format_.height)
      return make_error(ErrorCode::internal, "a picture of a film has another size than the film");
    auto now = std::make_shared<const Image>(std::move(image));
    if (waiting_.size() >= most_)
      if (auto status = put_one(); !status) return status;
    waiting_.push_back(
        std::async(std::launch::async, [this, now, before = before_] { return pack(*now, before.get()); }));
    before_ = std::move(now);
    return {};
  }

 protected:
  /// Called from several threads at once.
  [[nodiscard]] virtual Result<std::string> pack(const Image& image, const Image* before) const = 0;
  [[nodiscard]] virtual Status put(const std::string& bytes) = 0;
  [[nodiscard]] Status put_all() {
    while (!waiting_.empty())
      if (auto status = put_one(); !status) return status;
    return {};
  }
  /// For destructors: pack() must not run any more when its object goes.
  void forget_all() { waiting_.clear(); }

  FilmFormat format_;

 private:
  Status put_one() {
    const auto bytes = waiting_.front().get();
    waiting_.pop_front();
    return bytes ? put(*bytes) : Status(bytes.error());
  }
  std::size_t most_;
  std::deque<std::future<Result<std::string>>> waiting_;  // their destructors wait
  Shared before_;
};

class NumberedPictures final : public PackedFilm {
 public:
  NumberedPictures(fs::path path, const FilmFormat& format) : PackedFilm(format), path_(std::move(path)) {}
  ~NumberedPictures() override { forget_all(); }
  Status finish() override { return put_all(); }

 private:
  Result<std::string> pack(const Image& image, const Image* /*before*/) const override {
    return encode_png(image, format_.text);
  }
  Status put(const std::string& bytes) override {
    return write_file_atomically(numbered_picture(path_, ++number_), bytes);
  }
  fs::path path_;
  int number_ = 0;
};

/// The name a film has until it is whole: of the same kind, for ffmpeg looks at the ending.
fs::path unfinished(const fs::path& path) {
  fs::path out = path;
  out.replace_filename("." + path.stem().string() + fmt::format("-{}", ::getpid()) + path.extension().string());
  return out;
}

Status take_name(const fs::path& from, const fs::path& to) {
  std::error_code code;
  fs::rename(from, to, code);
  if (code) return system_error("write", to.string(), code.value());
  return {};
}

class Gif final : public PackedFilm {
 public:
  Gif(fs::path path, const FilmFormat& format)
      : PackedFilm(format), path_(std::move(path)), now_(unfinished(path_)), file_(now_, std::ios::binary) {}
  ~Gif() override {
    forget_all();
    std::error_code ignored;
    if (!done_) fs::remove(now_, ignored);
  }
  Status begin() {
    const auto head = gif_head(format_.width, format_.height);
    return head ? put(*head) : Status(head.error());
  }
  Status finish() override {
    if (auto status = put_all(); !status) return status;
    if (auto status = put(gif_tail()); !status) return status;
    file_.close();
    if (!file_) return failed();
    if (auto status = take_name(now_, path_); !status) return status;
    done_ = true;
    return {};
  }

 private:
  Result<std::string> pack(const Image& image, const Image* before) const override {
    return gif_picture(image, before, 1 / format_.pictures_per_second);
  }
  Status put(const std::string& bytes) override {
    errno = 0;
    file_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return file_ ? Status() : failed();
  }
  [[nodiscard]] Status failed() const { return system_error("write", path_.string(), errno == 0 ? EIO : errno); }
  fs::path path_, now_;
  std::ofstream file_;
  bool done_ = false;
};

class Film final : public PackedFilm {
 public:
  Film(fs::path path, const FilmFormat& format) : PackedFilm(format), path_(std::move(path)), now_(unfinished(path_)) {}
  ~Film() override {
    forget_all();
    child_.reset();
    if (listener_.joinable()) listener_.join();
    std::error_code ignored;
    if (!done_) fs::remove(now_, ignored);
  }
  Status begin(const std::string& program) {
    std::vector<std::string> words = {program, "-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24",
                                      "-video_size", fmt::format("{}x{}", format_.width, format_.height), "-framerate",
                                      fmt::format("{}", format_.pictures_per_second), "-i", "-",
                                      // Codecs want even sides.
                                      "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p"};
    const std::string ending = lower_case_ending(path_);
    if (ending == ".webm") {
      for (const char* word :
           {"-c:v", "libvpx-vp9", "-b:v", "0", "-crf", "30", "-deadline", "good", "-cpu-used", "4", "-row-mt", "1"})
        words.emplace_back(word);
    } else if (ending != ".mkv") {
      words.insert(words.end(), {"-movflags", "+faststart"});
    }
    words.push_back((now_.is_absolute() ? now_ : fs::path(".") / now_).string());
    auto child = ChildProcess::start(words, {ChildProcess::Stream::pipe, true, nullptr});
    if (!child) return child.error();
    child_.emplace(std::move(child).value());
    listener_ = std::thread([this, fd = child_->output()] {
      char buffer[4096];
      for (;;) {
        const ssize_t n = ::read(fd, buffer, sizeof buffer);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return;
        if (said_.size() < 4096) said_.append(buffer, static_cast<std::size_t>(n));
      }
    });
    return {};
  }
  Status finish() override {
    if (auto status = put_all(); !status) return status;
    child_->close_input();
    return end();
  }

 private:
  Result<std::string> pack(const Image& image, const Image* /*before*/) const override {
    std::string out(3 * static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height), '\0');
    for (std::size_t i = 0, k = 0; i < image.pixels.size(); i += 4)
      for (std::size_t c = 0; c < 3; ++c) out[k++] = static_cast<char>(image.pixels[i + c]);
    return out;
  }
  Status put(const std::string& bytes) override {
    // An ffmpeg that has ended is told by what it said, not by a signal.
    sigset_t pipe, old;
    ::sigemptyset(&pipe);
    ::sigaddset(&pipe, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe, &old);
    bool whole = true;
    for (std::size_t done = 0; done < bytes.size() && whole;) {
      const ssize_t n = ::write(child_->input(), bytes.data() + done, bytes.size() - done);
      if (n < 0 && errno == EINTR) continue;
      whole = n > 0;
      if (whole) done += static_cast<std::size_t>(n);
    }
    if (!whole) {
      const timespec at_once{0, 0};
      (void)::sigtimedwait(&pipe, nullptr, &at_once);
    }
    ::pthread_sigmask(SIG_SETMASK, &old, nullptr);
    if (whole) return {};
    child_->close_input();
    if (auto status = end(); !status) return status;
    return make_error(ErrorCode::file, "ffmpeg ended before the last picture");
  }
  Status end() {
    const auto status = child_->wait(600);
    if (!status) child_->signal(SIGKILL);
    if (listener_.joinable()) listener_.join();
    if (status && *status == 0) {
      done_ = true;
      return take_name(now_, path_);
    }
    std::string why = said_.substr(0, said_.find('\n'));
    if (why.empty()) why = status ? describe_end(*status) : "it did not come to an end";
    return make_error(ErrorCode::file, fmt::format("ffmpeg could not make '{}': {}", path_.string(), why),
                      "Write a .gif or numbered pictures (.png), which need no other program.");
  }
  fs::path path_, now_;
  std::optional<ChildProcess> child_;
  std::thread listener_;
  std::string said_;
  bool done_ = false;
};

Status folder_is_there(const fs::path& path) {
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::error_code ignored;
  if (fs::is_directory(folder, ignored)) return {};
  return make_error(ErrorCode::file,
                    fmt::format("cannot write '{}': there is no folder '{}'", path.string(), folder.string()),
                    "Make the folder first.");
}

}  // namespace

std::string ffmpeg_program() {
  const char* path = std::getenv("PATH");
  const std::string_view all = path == nullptr ? "" : path;
  for (std::size_t begin = 0; begin <= all.size();) {
    const std::size_t end = std::min(all.find(':', begin), all.size());
    const fs::path program = fs::path(all.substr(begin, end - begin)) / "ffmpeg";
    std::error_code ignored;
    if (end > begin && fs::is_regular_file(program, ignored) && ::access(program.c_str(), X_OK) == 0)
      return program.string();
    begin = end + 1;
  }
  return {};
}

fs::path numbered_picture(const fs::path& path, int number) {
  fs::path out = path;
  out.replace_filename(fmt::format("{}-{:05}{}", path.stem().string(), number, path.extension().string()));
  return out;
}

Result<std::unique_ptr<FilmWriter>> FilmWriter::open(const fs::path& path, const FilmFormat& format) {
  const std::string ending = lower_case_ending(path);
  if (!(format.pictures_per_second >= 0.1 && format.pictures_per_second <= 120))
    return make_error(ErrorCode::command_line,
                      fmt::format("a film has 0.1 to 120 pictures a second, found {}", format.pictures_per_second));
  if (auto status = folder_is_there(path); !status) return status.error();
  if (ending == ".png") return std::unique_ptr<FilmWriter>(std::make_unique<NumberedPictures>(path, format));
  if (ending == ".gif") {
    auto out = std::make_unique<Gif>(path, format);
    if (auto status = out->begin(); !status) return status.error();
    return std::unique_ptr<FilmWriter>(std::move(out));
  }
  if (ending != ".mp4" && ending != ".webm" && ending != ".mkv" && ending != ".mov")
    return make_error(
        ErrorCode::command_line, fmt::format("a film cannot be written as \"{}\"", ending),
        "Films are written as .mp4, .webm, .mkv, .mov (by ffmpeg) or .gif, or as numbered pictures: .png.");
  const std::string program = ffmpeg_program();
  if (program.empty())
    return make_error(ErrorCode::resources,
                      fmt::format("a film as {} needs the program ffmpeg, which is not on PATH", ending),
                      "Install it (Debian: apt install ffmpeg), or write a .gif or numbered pictures (.png), which "
                      "need no other program.");
  auto out = std::make_unique<Film>(path, format);
  if (auto status = out->begin(program); !status) return status.error();
  return std::unique_ptr<FilmWriter>(std::move(out));
}

}  // namespace conoid

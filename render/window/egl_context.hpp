// SPDX-License-Identifier: BSD-3-Clause
// An OpenGL context without a window and without a display.
#pragma once

#include <functional>
#include <memory>

#include "engine/run/run_reader.hpp"

namespace conoid {

/// OpenGL 3.2 core by EGL: Mesa's surfaceless platform, else the first device that works. CONOID_EGL=device turns the
/// order round (a GPU whose driver is not Mesa's).
class EglContext {
 public:
  [[nodiscard]] static Result<std::unique_ptr<EglContext>> make();
  EglContext(const EglContext&) = delete;
  EglContext& operator=(const EglContext&) = delete;
  ~EglContext();

  bool make_current();
  [[nodiscard]] bool is_current() const;

  /// Called when another system's context (Qt's, by GLX) holds the thread: it must let go. EGL and GLX contexts exclude
  /// each other on a thread. Set by the Qt hosts.
  static void on_conflict(std::function<void()> release);

  /// Makes the context current and puts back what was current before.
  class Guard {
   public:
    explicit Guard(EglContext& context);
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;
    ~Guard();
    [[nodiscard]] bool ok() const { return ok_; }

   private:
    void* display_;
    void* context_;
    void* draw_;
    void* read_;
    EglContext& own_;
    bool ok_;
  };

 private:
  EglContext(void* display, void* context) : display_(display), context_(context) {}
  void* display_;
  void* context_;
};

}  // namespace conoid

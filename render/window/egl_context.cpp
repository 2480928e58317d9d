// SPDX-License-Identifier: BSD-3-Clause
// Displays are tried in order; the first that gives a 3.2 core context wins.
#include "render/window/egl_context.hpp"

#include <array>
#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

#include <EGL/egl.h>
#include <EGL/eglext.h>

namespace conoid {

namespace {

using PlatformDisplay = EGLDisplay (*)(EGLenum, void*, const EGLint*);
using QueryDevices = EGLBoolean (*)(EGLint, EGLDeviceEXT*, EGLint*);

std::function<void()>& release_other() {
  static std::function<void()> release;
  return release;
}

bool has_extension(const char* list, std::string_view name) {
  return list != nullptr && std::string_view(list).find(name) != std::string_view::npos;
}

EGLContext context_on(EGLDisplay display) {
  if (display == EGL_NO_DISPLAY || eglInitialize(display, nullptr, nullptr) != EGL_TRUE) return EGL_NO_CONTEXT;
  if (!has_extension(eglQueryString(display, EGL_EXTENSIONS), "EGL_KHR_surfaceless_context")) return EGL_NO_CONTEXT;
  const std::array<EGLint, 13> wanted = {EGL_SURFACE_TYPE,
                                         EGL_PBUFFER_BIT,
                                         EGL_RENDERABLE_TYPE,
                                         EGL_OPENGL_BIT,
                                         EGL_RED_SIZE,
                                         8,
                                         EGL_GREEN_SIZE,
                                         8,
                                         EGL_BLUE_SIZE,
                                         8,
                                         EGL_ALPHA_SIZE,
                                         8,
                                         EGL_NONE};
  EGLConfig config = nullptr;
  EGLint count = 0;
  if (eglChooseConfig(display, wanted.data(), &config, 1, &count) != EGL_TRUE || count < 1) return EGL_NO_CONTEXT;
  if (eglBindAPI(EGL_OPENGL_API) != EGL_TRUE) return EGL_NO_CONTEXT;
  const std::array<EGLint, 7> version = {
      EGL_CONTEXT_MAJOR_VERSION,           3,       EGL_CONTEXT_MINOR_VERSION, 2, EGL_CONTEXT_OPENGL_PROFILE_MASK,
      EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE};
  return eglCreateContext(display, config, EGL_NO_CONTEXT, version.data());
}

std::vector<EGLDisplay> displays(PlatformDisplay platform_display) {
  const char* client = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
  std::vector<EGLDisplay> surfaceless;
  std::vector<EGLDisplay> devices;
  if (has_extension(client, "EGL_MESA_platform_surfaceless"))
    surfaceless.push_back(platform_display(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr));
  const auto query = reinterpret_cast<QueryDevices>(eglGetProcAddress("eglQueryDevicesEXT"));
  if (has_extension(client, "EGL_EXT_platform_device") && query != nullptr) {
    std::array<EGLDeviceEXT, 16> found{};
    EGLint count = 0;
    if (query(static_cast<EGLint>(found.size()), found.data(), &count) == EGL_TRUE)
      for (EGLint i = 0; i < count; ++i)
        devices.push_back(platform_display(EGL_PLATFORM_DEVICE_EXT, found[static_cast<std::size_t>(i)], nullptr));
  }
  const char* wish = std::getenv("CONOID_EGL");
  const bool device_first = wish != nullptr && std::string_view(wish) == "device";
  auto& first = device_first ? devices : surfaceless;
  const auto& second = device_first ? surfaceless : devices;
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

}  // namespace

Result<std::unique_ptr<EglContext>> EglContext::make() {
  const auto platform_display = reinterpret_cast<PlatformDisplay>(eglGetProcAddress("eglGetPlatformDisplayEXT"));
  if (platform_display != nullptr)
    for (EGLDisplay display : displays(platform_display)) {
      EGLContext context = context_on(display);
      if (context != EGL_NO_CONTEXT) return std::unique_ptr<EglContext>(new EglContext(display, context));
    }
  return make_error(ErrorCode::resources, "no OpenGL 3.2 context can be made without a display",
                    "Install a driver with EGL (Debian: libegl1 libgl1-mesa-dri), or set CONOID_EGL=device for a GPU.");
}

EglContext::~EglContext() {
  if (is_current()) eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
  eglDestroyContext(display_, context_);
  // The display stays initialised: other contexts of this process may share it.
}

void EglContext::on_conflict(std::function<void()> release) {
  release_other() = std::move(release);
}

bool EglContext::make_current() {
  eglBindAPI(EGL_OPENGL_API);
  if (eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, context_) == EGL_TRUE) return true;
  if (!release_other()) return false;
  release_other()();
  return eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, context_) == EGL_TRUE;
}

bool EglContext::is_current() const {
  return eglGetCurrentContext() == context_;
}

EglContext::Guard::Guard(EglContext& context)
    : display_(eglGetCurrentDisplay()), context_(eglGetCurrentContext()), draw_(eglGetCurrentSurface(EGL_DRAW)),
      read_(eglGetCurrentSurface(EGL_READ)), own_(context), ok_(context.make_current()) {}

EglContext::Guard::~Guard() {
  if (context_ == own_.context_) return;
  if (context_ != EGL_NO_CONTEXT)
    eglMakeCurrent(display_, draw_, read_, context_);
  else
    eglMakeCurrent(own_.display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
}

}  // namespace conoid

// SPDX-License-Identifier: BSD-3-Clause
// Rendering into VTK's own framebuffer under EGL, and reading it back.
#include "render/window/raster_viewport.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include <vtkOpenGLState.h>
#include <vtkRenderer.h>
#include <vtkRendererCollection.h>
#include <vtkUnsignedCharArray.h>

#include "render/window/egl_context.hpp"
#include "render/window/host_render_window.hpp"
#include "render/window/software_renderer.hpp"

namespace conoid {

namespace {

/// On an opaque background: quotients by a number that the compiler knows, as this is done for every picture on the screen.
template <int factor>
void average_opaque(const unsigned char* raw, Image& image) {
  constexpr int samples = factor * factor;
  const auto width = static_cast<std::size_t>(image.width), stride = width * factor * 4;
  for (int y = 0; y < image.height; ++y) {
    std::uint8_t* out = image.pixels.data() + static_cast<std::size_t>(y) * width * 4;
    const unsigned char* rows = raw + static_cast<std::size_t>(image.height - 1 - y) * factor * stride;
    for (std::size_t x = 0; x < width; ++x, out += 4) {
      int sum[3] = {samples / 2, samples / 2, samples / 2};
      for (std::size_t sy = 0; sy < factor; ++sy)
        for (std::size_t sx = 0; sx < factor; ++sx)
          for (std::size_t c = 0; c < 3; ++c) sum[c] += rows[sy * stride + (x * factor + sx) * 4 + c];
      for (std::size_t c = 0; c < 3; ++c) out[c] = static_cast<std::uint8_t>(sum[c] / samples);
      out[3] = 255;
    }
  }
}

// VTK leaves colours multiplied by alpha and rows from bottom to top; both are undone while averaging. On an opaque background all is
// opaque, whatever alpha says: what is drawn translucent lowers it there, and would come out too bright.
Image average(const unsigned char* raw, int width, int height, int factor, bool opaque) {
  Image image{width, height, {}};
  image.pixels.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 4);
  if (opaque && factor <= 2) {
    factor == 1 ? average_opaque<1>(raw, image) : average_opaque<2>(raw, image);
    return image;
  }
  const auto stride = static_cast<std::size_t>(width) * static_cast<std::size_t>(factor) * 4;
  const int samples = factor * factor;
  for (int y = 0; y < height; ++y) {
    std::uint8_t* out = image.pixels.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(width) * 4;
    const unsigned char* rows =
        raw + static_cast<std::size_t>(height - 1 - y) * static_cast<std::size_t>(factor) * stride;
    for (int x = 0; x < width; ++x, out += 4) {
      int sum[4] = {0, 0, 0, 0};
      for (int sy = 0; sy < factor; ++sy) {
        const unsigned char* in =
            rows + static_cast<std::size_t>(sy) * stride + static_cast<std::size_t>(x * factor) * 4;
        for (int sx = 0; sx < factor * 4; sx += 4)
          for (int c = 0; c < 4; ++c) sum[c] += in[sx + c];
      }
      if (opaque) sum[3] = 255 * samples;
      const int alpha = (sum[3] + samples / 2) / samples;
      for (int c = 0; c < 3; ++c) {
        const int value = sum[3] > 0 ? (sum[c] * 255 + sum[3] / 2) / sum[3] : 0;
        out[c] = static_cast<std::uint8_t>(std::min(value, 255));
      }
      out[3] = static_cast<std::uint8_t>(alpha);
    }
  }
  return image;
}

}  // namespace

/// What viewports of one thread have in common.
struct RasterViewport::Canvas {
  std::unique_ptr<EglContext> context;
  vtkSmartPointer<HostRenderWindow> window;
  std::string renderer;

  Canvas() = default;
  Canvas(const Canvas&) = delete;
  Canvas& operator=(const Canvas&) = delete;
  ~Canvas() {
    if (window == nullptr) return;
    EglContext::Guard guard(*context);
    window->Finalize();
    window->make_context_current = nullptr;
    window->context_is_current = nullptr;
    window = nullptr;
  }
  static Result<std::shared_ptr<Canvas>> of_this_thread() {
    thread_local std::weak_ptr<Canvas> common;
    if (auto canvas = common.lock()) return canvas;
    auto context = EglContext::make();
    if (!context) return context.error();
    auto canvas = std::make_shared<Canvas>();
    canvas->context = std::move(context).value();
    EglContext::Guard guard(*canvas->context);
    if (!guard.ok())
      return make_error(ErrorCode::resources, "the OpenGL context cannot be used: another one holds this thread");
    canvas->window = vtkSmartPointer<HostRenderWindow>::New();
    EglContext* egl = canvas->context.get();
    canvas->window->make_context_current = [egl] { egl->make_current(); };
    canvas->window->context_is_current = [egl] { return egl->is_current(); };
    canvas->window->SetAlphaBitPlanes(1);
    canvas->window->SetMultiSamples(0);
    if (!canvas->window->init_context())
      return make_error(ErrorCode::resources, "the graphics driver has no OpenGL 3.2", "Update the driver or Mesa.");
    canvas->renderer = canvas->window->query_renderer();
    common = canvas;
    return canvas;
  }
};

Result<std::unique_ptr<RasterViewport>> RasterViewport::make(int width, int height, double pixel_ratio) {
  auto canvas = Canvas::of_this_thread();
  if (!canvas) return canvas.error();
  std::unique_ptr<RasterViewport> view(new RasterViewport(std::move(canvas).value()));
  if (auto status = view->resize(width, height, pixel_ratio); !status) return status.error();
  return view;
}

bool RasterViewport::load_driver() {
  return EglContext::make().ok();  // its display stays
}

RasterViewport::~RasterViewport() {
  EglContext::Guard guard(*canvas_->context);
  take_scene_out();
}

std::string RasterViewport::renderer_name() const {
  return canvas_->renderer;
}

void RasterViewport::take_scene_out() {
  if (!scene_) return;
  for (const auto& renderer : renderers_) renderer->DrawOn();
  renderers_.clear();
  scene_->detach(*canvas_->window);
  scene_->wants_render = nullptr;
  scene_ = nullptr;
}

void RasterViewport::set_scene(std::shared_ptr<Scene> scene) {
  EglContext::Guard guard(*canvas_->context);
  take_scene_out();
  scene_ = std::move(scene);
  if (scene_) {
    HostRenderWindow& window = *canvas_->window;
    vtkRendererCollection* all = window.GetRenderers();
    const int before = all->GetNumberOfItems(), layers = window.GetNumberOfLayers();
    scene_->attach(window);
    window.SetNumberOfLayers(std::max(layers, window.GetNumberOfLayers()));
    for (int i = before; i < all->GetNumberOfItems(); ++i) {
      renderers_.emplace_back(vtkRenderer::SafeDownCast(all->GetItemAsObject(i)));
      renderers_.back()->DrawOff();
    }
    scene_->wants_render = [this] { request_render(); };
  }
  dirty_ = true;
}

Status RasterViewport::resize(int width, int height, double pixel_ratio) {
  const double w = std::round(width * pixel_ratio);
  const double h = std::round(height * pixel_ratio);
  if (!(w >= 1 && h >= 1 && w <= largest_picture_side && h <= largest_picture_side))
    return make_error(ErrorCode::command_line, "a picture side must be 1 to " + std::to_string(largest_picture_side) +
                                                   " pixels, found " + std::to_string(width) + " x " +
                                                   std::to_string(height));
  // A widget that is painted again in the same size shows the picture that it has.
  dirty_ = dirty_ || width_ != static_cast<int>(w) || height_ != static_cast<int>(h) || pixel_ratio_ != pixel_ratio;
  width_ = static_cast<int>(w);
  height_ = static_cast<int>(h);
  pixel_ratio_ = pixel_ratio;
  return {};
}

void RasterViewport::set_supersampling(int factor) {
  supersampling_ = std::clamp(factor, 1, 4);
  dirty_ = true;
}

const Image& RasterViewport::picture() {
  if (dirty_) render();
  return image_;
}

Image RasterViewport::grab() {
  return picture();
}

bool RasterViewport::handle(const InputEvent& event) {
  if (on_input && on_input(event)) return true;
  if (!scene_ || !scene_->handle(event)) return false;
  dirty_ = true;
  return true;
}

void RasterViewport::render() {
  dirty_ = false;
  EglContext::Guard guard(*canvas_->context);
  if (!guard.ok()) {
    problem_ = "the OpenGL context cannot be made current";
    image_ = {};
    return;
  }
  problem_.clear();
  // A side above the driver's limit is drawn at one sample a pixel.
  const int factor = std::max(width_, height_) * supersampling_ > largest_picture_side ? 1 : supersampling_;
  const int w = width_ * factor;
  const int h = height_ * factor;
  const auto begin = std::chrono::steady_clock::now();
  HostRenderWindow& window = *canvas_->window;
  window.SetSize(w, h);
  if (scene_) scene_->layout(w, h, pixel_ratio_ * factor);
  vtkOpenGLState* state = window.GetState();
  state->Reset();
  state->Push();
  for (const auto& renderer : renderers_) renderer->DrawOn();
  window.Render();
  for (const auto& renderer : renderers_) renderer->DrawOff();
  vtkNew<vtkUnsignedCharArray> raw;
  window.GetRGBACharPixelData(0, 0, w - 1, h - 1, 0, raw);
  if (scene_) scene_->drawn(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  state->Pop();
  if (raw->GetNumberOfValues() < static_cast<vtkIdType>(w) * h * 4) {
    problem_ = "the picture cannot be read back from the graphics driver";
    image_ = {};
    return;
  }
  const bool opaque = std::any_of(renderers_.begin(), renderers_.end(), [](const auto& renderer) {
    return renderer->GetLayer() == 0 && renderer->GetBackgroundAlpha() >= 1;
  });
  image_ = average(raw->GetPointer(0), width_, height_, factor, opaque);
  if (on_rendered) on_rendered();
}

void refine_where_a_card_draws(RasterViewport& viewport) {
  if (!draws_in_software(viewport.renderer_name())) viewport.set_supersampling(2);
}

}  // namespace conoid

// SPDX-License-Identifier: BSD-3-Clause
// VTK's exporters walk the window's context scenes; they write files themselves, so a file beside is renamed at the end.
#include "render/chart/chart_export.hpp"

#include <filesystem>
#include <string>

#include <vtkNew.h>
#include <vtkRenderWindow.h>
#include <vtkSVGExporter.h>

#if CONOID_RENDER_PDF
#include <vtkPDFExporter.h>
#endif

#include "engine/core/atomic_file.hpp"
#include "engine/core/base64.hpp"
#include "engine/core/file_ending.hpp"
#include "render/capture/png.hpp"
#include "render/chart/chart_scene.hpp"
#include "render/chart/special_charts.hpp"
#include "render/window/egl_context.hpp"
#include "render/window/host_render_window.hpp"

namespace conoid {
namespace {

/// Puts pictures in the places where VTK's writer names them: "vtkEmbeddedImage1" is the first.
Status embed_pictures(const std::filesystem::path& file, const std::vector<Image>& images) {
  if (images.empty()) return {};
  constexpr Bytes most = Bytes{1} << 30;
  auto text = read_file(file, most);
  if (!text) return text.error();
  for (std::size_t i = 0; i < images.size(); ++i) {
    const std::string reference = "xlink:href=\"#vtkEmbeddedImage" + std::to_string(i + 1) + "\"";
    const std::size_t at = text->find(reference), begin = at == std::string::npos ? at : text->rfind("<use", at);
    if (begin == std::string::npos) continue;
    const auto png = encode_png(images[i], {});
    if (!png) return png.error();
    text->replace(at, reference.size(),
                  "preserveAspectRatio=\"none\" xlink:href=\"data:image/png;base64," + base64_text(*png) + "\"");
    text->replace(begin, 4, "<image");
  }
  return write_file_atomically(file, *text);
}

}  // namespace

Status export_chart(const std::shared_ptr<ChartScene>& scene, const std::filesystem::path& file, int width,
                    int height) {
  const std::string ending = lower_case_ending(file);
  const bool svg = ending == ".svg";
  const bool pdf = ending == ".pdf" && CONOID_RENDER_PDF != 0;
  if (!svg && !pdf)
    return make_error(ErrorCode::command_line, "a chart cannot be written as \"" + ending + "\"",
                      CONOID_RENDER_PDF != 0 ? "Endings: .png, .svg, .pdf." : "Endings: .png, .svg.");
  if (pdf) {
    // LibHaru embeds TrueType outlines only.
    Theme theme = scene->theme();
    const std::filesystem::path folder = "/usr/share/fonts/truetype/dejavu";
    std::error_code ignored;
    const bool found = std::filesystem::exists(folder / "DejaVuSans.ttf", ignored) &&
                       std::filesystem::exists(folder / "DejaVuSans-Bold.ttf", ignored);
    theme.font_file = found ? (folder / "DejaVuSans.ttf").string() : std::string();
    theme.font_bold_file = found ? (folder / "DejaVuSans-Bold.ttf").string() : std::string();
    scene->set_theme(theme);
  }
  auto egl = EglContext::make();
  if (!egl) return egl.error();
  EglContext& context = **egl;
  EglContext::Guard guard(context);
  if (!guard.ok()) return make_error(ErrorCode::resources, "the OpenGL context cannot be used");
  vtkNew<HostRenderWindow> window;
  window->make_context_current = [&context] { context.make_current(); };
  window->context_is_current = [&context] { return context.is_current(); };
  window->SetMultiSamples(0);
  if (!window->init_context()) return make_error(ErrorCode::resources, "the graphics driver has no OpenGL 3.2");
  window->SetSize(width, height);
  scene->attach(*window);
  scene->layout(width, height, 1);
  window->Render();  // contexts measure text in a window that has drawn
  const std::filesystem::path beside = file.string() + ".part";
  if (svg) {
    DrawnPictures pictures;
    vtkNew<vtkSVGExporter> exporter;
    exporter->SetRenderWindow(window);
    exporter->SetActiveRenderer(scene->renderer());
    exporter->SetFileName(beside.c_str());
    exporter->SetTitle(scene->chart().title.c_str());
    exporter->SetTextAsPath(true);
    exporter->Write();
    if (auto status = embed_pictures(beside, pictures.images); !status) return status;
  }
#if CONOID_RENDER_PDF
  if (pdf) {
    vtkNew<vtkPDFExporter> exporter;
    exporter->SetRenderWindow(window);
    exporter->SetActiveRenderer(scene->renderer());
    exporter->SetFileName(beside.c_str());
    exporter->SetTitle(scene->chart().title.c_str());
    exporter->Write();
  }
#endif
  scene->detach(*window);
  window->Finalize();
  window->make_context_current = nullptr;
  window->context_is_current = nullptr;
  std::error_code trouble;
  if (!std::filesystem::exists(beside, trouble) || std::filesystem::file_size(beside, trouble) == 0)
    return make_error(ErrorCode::file, "cannot write '" + file.string() + "'", "Check the folder and the free space.");
  std::filesystem::rename(beside, file, trouble);
  if (trouble) return system_error("rename", beside.string(), trouble.value());
  return {};
}

}  // namespace conoid

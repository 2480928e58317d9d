// SPDX-License-Identifier: BSD-3-Clause
// Tutorials that point at the controls of the window, from resources/tutorials: a file each.
//
//   {"title": …, "summary": …, "case": folder of a sample, "steps": [
//     {"title": …, "text": …, "at": CONTROL, "until": "edited" | "running" | "finished"}]}
//
// CONTROL is "case:/POINTER" (the field of a key), "run" (the button), "picture", "head" (what stands above the picture),
// "tool:probe", "tool:profile", "tool:measure", "tool:place", "time" (the time line), "display" (how a field is shown), "mesh",
// "results" or "results:TABLE" (the chart of a table). With "until" a step ends by itself when the field has another value, a run has
// begun, or has ended. Texts are English; the catalogue of the language has their translation.
#pragma once

#include <vector>

#include <QByteArray>
#include <QString>

#include "engine/core/error.hpp"

namespace conoid::app {

struct TutorialStep {
  QString title, text;
  QString at;
  QString until;
};

struct Tutorial {
  QString title, summary;
  QString sample;  ///< folder below the samples
  std::vector<TutorialStep> steps;
};

/// A file's text in the language of the window. Errors name what is missing.
[[nodiscard]] Result<Tutorial> tutorial_from(const QByteArray& json);
/// All of this program, in the order of their files; what cannot be read is left out.
[[nodiscard]] std::vector<Tutorial> load_tutorials();

}  // namespace conoid::app

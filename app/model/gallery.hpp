// SPDX-License-Identifier: BSD-3-Clause
// The sample cases that come with the program, as cards.
#pragma once

#include <filesystem>
#include <vector>

#include <QString>

#include "engine/case/document.hpp"
#include "engine/core/error.hpp"

namespace conoid::app {

struct SampleCard {
  QString name;  ///< the folder's name
  QString title;
  QString summary;        ///< one line
  QString solver;         ///< its title
  QString group;          ///< the same untranslated: in every language the samples stand in the same order
  double seconds = 0;     ///< expected time on two cores; 0 = not said
  bool measured = false;  ///< seconds are those of the last run on this machine
  std::filesystem::path case_file;
  std::filesystem::path thumbnail;  ///< empty when there is none
  bool available = true;            ///< false when this build lacks the solver
  bool on_devices = false;          ///< its solver computes on devices
  bool own = false;                 ///< a template of the user's
};

/// Reads <folder>/*/case.json with card.json {"summary","seconds"} and thumbnail.png beside it. A folder whose case
/// cannot be read is left out and named in the log. Sorted by solver and title.
[[nodiscard]] std::vector<SampleCard> load_gallery(const std::filesystem::path& folder);
/// The same of the user's own templates (engine/core/resources.hpp), which are cases that were kept as such.
[[nodiscard]] std::vector<SampleCard> load_templates();

/// Keeps a case, with the files that it names, as a template of this title; one of the same name is replaced. Errors: a file that
/// cannot be copied, no home (file).
[[nodiscard]] Status keep_template(const CaseDocument& document, const QString& title);

/// What a gallery shows: of all cards those that a person looks for.
struct GalleryFilter {
  QString words;         ///< each must be in title, summary, name or physics
  QString group;         ///< of one solver, as SampleCard::group; empty: of all
  double seconds = 0;    ///< takes no longer, as its card says; 0: any time
  bool devices = false;  ///< its solver computes on devices
};
[[nodiscard]] bool passes(const SampleCard& card, const GalleryFilter& filter);

}  // namespace conoid::app

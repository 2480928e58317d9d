// SPDX-License-Identifier: BSD-3-Clause
// The sample cases that come with the program, as cards.
#pragma once

#include <filesystem>
#include <vector>

#include <QString>

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
};

/// Reads <folder>/*/case.json with card.json {"summary","seconds"} and thumbnail.png beside it. A folder whose case
/// cannot be read is left out and named in the log. Sorted by solver and title.
[[nodiscard]] std::vector<SampleCard> load_gallery(const std::filesystem::path& folder);

}  // namespace conoid::app

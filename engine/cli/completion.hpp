// SPDX-License-Identifier: BSD-3-Clause
// What may stand at the end of a command line that is being typed. The scripts of the shells ask `conoid completion words …`.
#pragma once

#include <string>
#include <vector>

namespace conoid::cli {

struct Candidate {
  std::string word;
  std::string help;  ///< may be empty
};

struct Candidates {
  std::vector<Candidate> words;
  bool files = false;                ///< the shell offers files besides: those with these endings, or all
  bool folders = false;              ///< and folders
  std::vector<std::string> endings;  ///< ".json"; empty: all files
  bool goes_on = false;              ///< no blank behind the word: more belongs to it (--set KEY=)
};

/// `words` are those behind `conoid`; the last is the one being typed, perhaps empty. Only words that begin with it are returned.
/// Looks at the case that the line names, at run folders below runs/ and at the sample cases. Never fails.
[[nodiscard]] Candidates complete(const std::vector<std::string>& words);

}  // namespace conoid::cli

// SPDX-License-Identifier: BSD-3-Clause
#include "engine/core/private_folder.hpp"

#include <cstdlib>

namespace conoid {

PrivateFolder::PrivateFolder(const std::filesystem::path& parent, const std::string& name) {
  std::string form = (parent / (name + "-XXXXXX")).string();
  if (::mkdtemp(form.data()) != nullptr) path_ = form;
}

PrivateFolder::~PrivateFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace conoid

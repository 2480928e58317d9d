// SPDX-License-Identifier: BSD-3-Clause
// A context item that paints by a function.
#pragma once

#include <functional>

#include <vtkContextItem.h>

namespace conoid {

class PaintItem : public vtkContextItem {
 public:
  static PaintItem* New();
  vtkTypeMacro(PaintItem, vtkContextItem)

      std::function<void(vtkContext2D&)> paint;
  bool Paint(vtkContext2D* painter) override;

 protected:
  PaintItem() = default;
  ~PaintItem() override = default;
};

}  // namespace conoid

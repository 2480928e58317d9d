// SPDX-License-Identifier: BSD-3-Clause
// Nothing but the call.
#include "render/chart/paint_item.hpp"

#include <vtkContext2D.h>
#include <vtkObjectFactory.h>

namespace conoid {

vtkStandardNewMacro(PaintItem)

    bool PaintItem::Paint(vtkContext2D* painter) {
  if (paint) paint(*painter);
  return true;
}

}  // namespace conoid

// What a device needs at least for each node, and what bounds it: the roofline model.
#pragma once

#include "onnxpress/tasks/profile/device.h"
#include "onnxpress/tasks/profile/profile_report.h"

namespace onnxpress::tasks {

// Fills in report.roof and that of nodes; where times were measured, their shares, too. May be called again.
void add_roof(const Device& device, ProfileReport& report);

}  // namespace onnxpress::tasks

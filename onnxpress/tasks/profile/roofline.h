// The roofline model: the least time of each node on a device, and what limits it.
#pragma once

#include "onnxpress/tasks/profile/device.h"
#include "onnxpress/tasks/profile/profile_report.h"

namespace onnxpress::tasks {

// Fills in report.roof and that of nodes; where times were measured, their shares, too. May be called again.
void add_roof(const Device& device, ProfileReport& report);
// A device that was measured, with the rates that kernels of the report reached where these are higher: on a machine
// with other work, a measurement may be slow by accident, and a roof is not below what it covers.
Device at_least_as_reached(Device device, const ProfileReport& report);

}  // namespace onnxpress::tasks

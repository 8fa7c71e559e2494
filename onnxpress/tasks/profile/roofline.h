// The roofline model: the least time of each node on a device, and what limits it.
#pragma once

#include "onnxpress/tasks/profile/device.h"
#include "onnxpress/tasks/report/field_lists/profile.h"

namespace onnxpress {

// Fills in report.roof and the roof of each node and, if times were measured, their shares. May be called again.
void add_roof(const Device& device, ProfileReport& report);
// Raises the measured rates of a device to those that kernels of the report reached, if these are higher: on a busy
// machine, a measurement may come out too low, and no kernel can be faster than the device.
Device at_least_as_reached(Device device, const ProfileReport& report);

}  // namespace onnxpress

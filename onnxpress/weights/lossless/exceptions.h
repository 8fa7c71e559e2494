// Elements that a chain does not compute, which are put in place afterwards.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "onnxpress/weights/chain/chain.h"

namespace onnxpress::weights {

// `flat` has one dimension and all elements of the chain's candidate except those at these places, which are in
// ascending order. nullopt if the opset has no op for it.
std::optional<Chain::Ref> with_exceptions(ChainBuilder& chain, Chain::Ref flat, std::span<const std::uint32_t> places);

}  // namespace onnxpress::weights

// ScatterElements at positions that are stored directly, or as the gaps between them.
#include "onnxpress/weights/lossless/exceptions.h"

#include <string>
#include <vector>

#include "onnxpress/weights/chain/chain_parts.h"

namespace onnxpress::weights {

namespace {

// Adds stops so that no gap is longer than a byte can hold. At these stops, elements that are right already are stored
// again.
std::vector<std::uint32_t> with_stops(std::span<const std::uint32_t> places) {
  constexpr std::uint32_t kLongestGap = 255;
  std::vector<std::uint32_t> stops;
  std::uint32_t before = 0;
  for (const std::uint32_t place : places) {
    while (place - before > kLongestGap) stops.push_back(before += kLongestGap);
    stops.push_back(before = place);
  }
  return stops;
}

std::string gaps_of(std::span<const std::uint32_t> stops) {
  std::string gaps;
  std::uint32_t before = 0;
  for (const std::uint32_t stop : stops) {
    gaps.push_back(static_cast<char>(stop - before));
    before = stop;
  }
  return gaps;
}

}  // namespace

std::optional<Chain::Ref> with_exceptions(ChainBuilder& chain, Chain::Ref flat, std::span<const std::uint32_t> places) {
  if (places.empty()) return flat;
  const Candidate& tensor = chain.candidate();
  if (!tensor.has_op("ScatterElements", tensor.type())) return std::nullopt;
  constexpr std::size_t kNodes = 60;  // bytes of the two nodes that add up gaps
  const auto width = static_cast<std::size_t>(bits_of(tensor.type())) / 8;
  const std::vector<std::uint32_t> stops = with_stops(places);
  const bool by_gaps =
      tensor.has_op("CumSum", ElementType::kInt32) && stops.size() * (1 + width) + kNodes < places.size() * (4 + width);
  const std::span<const std::uint32_t> used = by_gaps ? std::span<const std::uint32_t>(stops) : places;
  const std::int64_t count[] = {static_cast<std::int64_t>(used.size())};
  std::string values;
  for (const std::uint32_t place : used) values.append(tensor.bytes().view().substr(place * width, width));
  Chain::Ref at = 0;
  if (by_gaps) {
    const auto gaps = chain.constant(ElementType::kUint8, count, Bytes::owned(gaps_of(used)));
    at = chain.op("CumSum", {cast(chain, gaps, ElementType::kInt32), scalar(chain, 0)});
  } else {
    at = indices(chain, used, count);
  }
  const auto others = chain.constant(tensor.type(), count, Bytes::owned(std::move(values)));
  return chain.op("ScatterElements", {flat, at, others});
}

}  // namespace onnxpress::weights

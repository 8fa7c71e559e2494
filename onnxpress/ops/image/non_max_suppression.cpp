// NonMaxSuppression.
#include "onnxpress/ops/image/non_max_suppression.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "onnxpress/ops/core/budget.h"

namespace onnxpress::ops {

void infer_non_max_suppression(Inference& in) {
  if (in.result_count() == 0) return;
  in.set_shape({in.fresh(0, 0), Dim::size(3)});
  in.result().range = {.low = 0, .finite = true};
  const Shape *boxes = in.shape(0), *scores = in.shape(1);
  if (!boxes || !scores || boxes->size() != 3 || scores->size() != 3) return;
  in.unify((*boxes)[0], (*scores)[0]);
  in.unify((*boxes)[1], (*scores)[2]);
}

namespace {

struct Box {
  float top, left, bottom, right;

  float area() const { return (bottom - top) * (right - left); }
};

Box box_from(const float* numbers, bool has_center) {
  if (has_center) {
    const float half_width = numbers[2] / 2, half_height = numbers[3] / 2;
    return {numbers[1] - half_height, numbers[0] - half_width, numbers[1] + half_height, numbers[0] + half_width};
  }
  // Any two opposite corners are allowed.
  return {std::min(numbers[0], numbers[2]), std::min(numbers[1], numbers[3]), std::max(numbers[0], numbers[2]),
          std::max(numbers[1], numbers[3])};
}

bool overlaps(const Box& a, const Box& b, float threshold) {
  const float height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  const float width = std::min(a.right, b.right) - std::max(a.left, b.left);
  if (!(height > 0) || !(width > 0)) return false;
  const float shared = height * width, a_area = a.area(), b_area = b.area();
  if (a_area <= 0 || b_area <= 0) return false;
  return shared / (a_area + b_area - shared) > threshold;
}

struct Limits {
  std::int64_t most = 0;
  float overlap = 0;
  std::optional<float> score;
};

// The boxes of one class that are kept, best first; for equal scores, the earlier box first.
std::vector<std::int64_t> chosen(std::span<const Box> boxes, const float* scores, const Limits& limits) {
  std::vector<std::int64_t> order;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    if (!limits.score || scores[i] > *limits.score) order.push_back(static_cast<std::int64_t>(i));
  }
  // NaN counts as the lowest score, so that the order is total.
  const auto rank = [&](std::int64_t i) {
    return scores[i] == scores[i] ? scores[i] : -std::numeric_limits<float>::infinity();
  };
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) { return rank(a) > rank(b); });
  std::vector<std::int64_t> kept;
  for (const std::int64_t candidate : order) {
    if (static_cast<std::int64_t>(kept.size()) >= limits.most) break;
    spend_steps(kept.size());
    const Box& box = boxes[static_cast<std::size_t>(candidate)];
    const bool free = std::none_of(kept.begin(), kept.end(), [&](std::int64_t each) {
      return overlaps(box, boxes[static_cast<std::size_t>(each)], limits.overlap);
    });
    if (free) kept.push_back(candidate);
  }
  return kept;
}

}  // namespace

bool evaluate_non_max_suppression(Call& call) {
  const Array &boxes = call.array(0), &scores = call.array(1);
  if (boxes.type() != ElementType::kFloat || scores.type() != ElementType::kFloat) return call.fail_type();
  if (boxes.rank() != 3 || scores.rank() != 3 || boxes.size(2) != 4 || boxes.size(0) != scores.size(0) ||
      boxes.size(1) != scores.size(2))
    return call.fail("the shapes of boxes and scores do not match");
  Limits limits;
  const auto number = [&](std::size_t i) { return call.has(i) ? call.array(i).number() : std::optional(0.0); };
  const auto overlap = number(3), score = number(4);
  const auto most = call.has(2) ? call.params.integer("max_output_boxes_per_class") : 0;
  if (!overlap || !score || !most) return call.fail("a limit is not a single number");
  limits = {*most, static_cast<float>(*overlap), {}};
  if (call.has(4)) limits.score = static_cast<float>(*score);

  std::vector<std::int64_t> rows;
  const std::int64_t count = boxes.size(1), classes = scores.size(1);
  for (std::int64_t n = 0; n < boxes.size(0); ++n) {
    std::vector<Box> here;
    for (std::int64_t i = 0; i < count; ++i)
      here.push_back(box_from(boxes.data<float>().data() + (n * count + i) * 4, call.params.flag("center_point_box")));
    for (std::int64_t c = 0; c < classes; ++c) {
      for (const std::int64_t box : chosen(here, scores.data<float>().data() + (n * classes + c) * count, limits))
        rows.insert(rows.end(), {n, c, box});
    }
  }
  return call.done(Array::of<std::int64_t>(rows).reshaped({static_cast<std::int64_t>(rows.size() / 3), 3}));
}

}  // namespace onnxpress::ops

// One function for each kind of change in ops/schema/opset_changes.h.
#include "onnxpress/passes/opset/opset_draft.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "onnxpress/ops/kernels/convert.h"
#include "onnxpress/ops/kernels/pool_window.h"
#include "onnxpress/passes/opset/value_changes.h"

namespace onnxpress::passes {

Parameter* find_parameter(Draft& draft, std::string_view name) {
  const auto found = std::ranges::find(draft.parameters, name, &Parameter::name);
  return found == draft.parameters.end() ? nullptr : &*found;
}

void write_default(Draft& draft, std::string_view name, const ops::Schema& before) {
  const ops::ParameterSchema* declared = before.attribute(name);
  if (find_parameter(draft, name) || !declared || !declared->default_text.data()) return;
  const std::string text(declared->default_text);
  if (declared->type == AttributeType::kInt)
    draft.parameters.emplace_back(name, std::int64_t{std::strtoll(text.c_str(), nullptr, 10)});
  else if (declared->type == AttributeType::kFloat)
    draft.parameters.emplace_back(name, std::strtod(text.c_str(), nullptr));
  else if (declared->type == AttributeType::kString)
    draft.parameters.emplace_back(name, declared->default_text.substr(1, declared->default_text.size() - 2));  // quoted
  else
    throw Obstacle{fmt::format("the default of {} was different", name)};
}

namespace {

using Kind = ops::OpsetChange::Kind;

std::int64_t integer_in(Draft& draft, std::string_view name, std::int64_t otherwise) {
  const Parameter* parameter = find_parameter(draft, name);
  const auto* number = parameter ? std::get_if<std::int64_t>(&parameter->content) : nullptr;
  return number ? *number : otherwise;
}

std::int64_t number_in(std::string_view text) { return std::strtoll(std::string(text).c_str(), nullptr, 10); }

std::optional<double> real_in(Draft& draft, std::string_view name) {
  const Parameter* parameter = find_parameter(draft, name);
  const auto* real = parameter ? std::get_if<double>(&parameter->content) : nullptr;
  return real ? std::optional(*real) : std::nullopt;
}

class DraftChanger {
 public:
  DraftChanger(const analysis::Facts& facts, std::int64_t to, const MakeNode& make)
      : facts_(facts), to_(to), make_(make) {}

  // Converts to a newer opset.
  void apply(const ops::OpsetChange& change, Node& node, const ops::Schema& before, Draft& draft) {
    switch (change.kind) {
      case Kind::kRename:
        return rename(draft, change.name, change.with);
      case Kind::kDrop:
        return drop(draft, change.name);
      case Kind::kSet:
        if (!find_parameter(draft, change.name)) draft.parameters.emplace_back(change.name, change.with);
        return;
      case Kind::kWords:
        write_default(draft, change.name, before);
        return replace_word(draft, change.name, change.with, false);
      case Kind::kWriteDefault:
        return write_default(draft, change.name, before);
      case Kind::kAbsent:
        if (!find_parameter(draft, change.name)) draft.parameters.emplace_back(change.name, number_in(change.with));
        return;
      case Kind::kScales:
        return list_scales(draft);
      case Kind::kBatches:
        return take_batches(change, draft);
      case Kind::kShifts:
        return shift_by_rounding(change, draft);
      case Kind::kCountResults:
        if (draft.operands.size() < 2 && !find_parameter(draft, change.with))
          draft.parameters.emplace_back(change.name, node.output_count());
        return;
      case Kind::kSkipOperand:
        draft.operands.insert(draft.operands.begin() + 1, nullptr);
        return;
      case Kind::kReplaced:
        draft.op_type = change.name;
        return;
      case Kind::kFlattens:
        return flatten(node, draft);
      case Kind::kAligns:
        return align(node, draft);
      case Kind::kSlope:
        return align_slope(node, draft);
      case Kind::kRounds:
        return set_rounding(change, node, draft);
      case Kind::kLeavesOut:  // as runtimes always did
      case Kind::kCombines:
      case Kind::kCenters:
      case Kind::kFloors:
        return;
      case Kind::kBlocked:
        break;
    }
    throw Obstacle{std::string(change.name)};
  }

  // Converts to an older opset, where the older version can express the same.
  void undo(const ops::OpsetChange& change, Node& node, const ops::Op& before, Draft& draft) const {
    switch (change.kind) {
      case Kind::kFlattens:
        return work_on_last(node, draft);
      case Kind::kWriteDefault:
        return write_new_default(change, node, before, draft);
      case Kind::kCombines:
        return combine_before(change, node, facts_, make_, draft);
      case Kind::kCenters:
        return center_plainly(change, node, facts_, draft);
      case Kind::kFloors:
        return require_integers(change, node, facts_, draft);
      case Kind::kShifts:
        return;
      case Kind::kLeavesOut:
        return require_all_windows(node, before);
      case Kind::kWords:
        write_default(draft, change.name, *before.schema);
        return replace_word(draft, change.name, change.with, true);
      case Kind::kCountResults:
        if (find_parameter(draft, change.name)) throw Obstacle{"its parts may differ in size"};
        return;
      case Kind::kSet: {
        const Parameter* given = find_parameter(draft, change.name);
        const auto* text = given ? std::get_if<std::string_view>(&given->content) : nullptr;
        if (!text || *text != change.with)
          throw Obstacle{fmt::format("older opsets have only {} = {}", change.name, change.with)};
        std::erase_if(draft.parameters, [&](const Parameter& each) { return each.name == change.name; });
        return;
      }
      default:
        throw Obstacle{fmt::format("{} means something else below opset {}", node.op_type(), change.since)};
    }
  }

 private:
  // An operand that is left out has another meaning in the older version, where it is an attribute.
  void write_new_default(const ops::OpsetChange& change, const Node& node, const ops::Op& before, Draft& draft) const {
    const int place = before.schema->operand(change.name);
    if (place < 0) return write_default(draft, change.name, *before.schema);
    const auto i = static_cast<std::size_t>(place);
    if (i < draft.operands.size() && draft.operands[i]) return;
    std::int64_t number = number_in(change.with);
    const auto shape = node.input(0) ? facts_.shape_of(*node.input(0)) : std::nullopt;
    if (number < 0 && shape) number += static_cast<std::int64_t>(shape->size());
    draft.parameters.emplace_back(change.name, number);
  }

  // Before version 7, the operand was an image with two scales.
  static void list_scales(Draft& draft) {
    const auto height = real_in(draft, "height_scale"), width = real_in(draft, "width_scale");
    if (!height || !width) throw Obstacle{"height_scale or width_scale is missing"};
    std::erase_if(draft.parameters,
                  [](const Parameter& each) { return each.name == "height_scale" || each.name == "width_scale"; });
    draft.parameters.emplace_back("scales",
                                  std::vector<float>{1, 1, static_cast<float>(*height), static_cast<float>(*width)});
    replace_word(draft, "mode", "bilinear=linear", false);
  }

  // The node scans one element of the batch; another one around it, for the elements, is made at the end.
  static void take_batches(const ops::OpsetChange& change, Draft& draft) {
    if (draft.operands.empty()) return;
    if (draft.operands[0])
      throw Obstacle{fmt::format("{} gives each element of the batch its own length", change.name)};
    draft.operands.erase(draft.operands.begin());
    draft.batched = true;
  }

  // The older version works on a matrix of the axes before `axis` and all others. It does the same with the last axis,
  // or with one that has only axes of size 1 behind it.
  void work_on_last(const Node& node, Draft& draft) const {
    constexpr std::int64_t kNegativeAxes = 11;  // the first opset with negative axes
    const auto shape = node.input(0) ? facts_.shape_of(*node.input(0)) : std::nullopt;
    std::int64_t axis = integer_in(draft, "axis", -1);
    std::erase_if(draft.parameters, [](const Parameter& each) { return each.name == "axis"; });
    if (!shape) {
      if (axis != -1 || to_ < kNegativeAxes)
        throw Obstacle{"its operand has an unknown rank, and older opsets compute over all axes from `axis` on"};
      draft.parameters.emplace_back("axis", axis);
      return;
    }
    const auto rank = static_cast<std::int64_t>(shape->size());
    if (axis < 0) axis += rank;
    if (axis < 0 || axis >= rank) throw Obstacle{"its axis does not exist"};
    bool others_are_one = true;
    for (std::int64_t i = axis + 1; i < rank; ++i) others_are_one &= (*shape)[static_cast<std::size_t>(i)].size() == 1;
    if (!others_are_one) {
      for (std::int64_t i = 0; i < rank; ++i) draft.swap.push_back(i);
      std::swap(draft.swap[static_cast<std::size_t>(axis)], draft.swap.back());
      axis = rank - 1;
    }
    draft.parameters.emplace_back("axis", axis);
  }

  // The older version has another number of windows where one of them is left out now.
  void require_all_windows(const Node& node, const ops::Op& op) const {
    const struct : ops::ConstantOperands {
      const ops::Array* constant(std::size_t) const override { return nullptr; }
    } no_operands;
    const auto window = ops::PoolWindow::from(ops::Params(node, op, no_operands));
    const auto shape = node.input(0) ? facts_.shape_of(*node.input(0)) : std::nullopt;
    for (std::size_t i = 0; window && i < window->axes.size(); ++i) {
      const Dim size = shape && i + 2 < shape->size() ? (*shape)[i + 2] : Dim();
      if (window->may_leave_out(i, size))
        throw Obstacle{fmt::format("ceil_mode counts a window in the padding there, along axis {}", i + 2)};
    }
  }

  static void rename(Draft& draft, std::string_view name, std::string_view with) {
    Parameter* parameter = find_parameter(draft, name);
    if (!parameter) return;
    parameter->name = with;
    // K of TopK is a list with one number.
    if (const auto* number = std::get_if<std::int64_t>(&parameter->content); number && with == "K")
      parameter->content = std::vector<std::int64_t>{*number};
  }

  static void drop(Draft& draft, std::string_view name) {
    if (integer_in(draft, name, 1) == 0)
      throw Obstacle{fmt::format("{} is 0, which newer opsets do not support", name)};
    std::erase_if(draft.parameters, [&](const Parameter& each) { return each.name == name; });
  }

  static void replace_word(Draft& draft, std::string_view name, std::string_view words, bool back) {
    Parameter* parameter = find_parameter(draft, name);
    auto* text = parameter ? std::get_if<std::string_view>(&parameter->content) : nullptr;
    while (text && !words.empty()) {
      const std::size_t end = std::min(words.find(' '), words.size()), middle = words.find('=');
      std::string_view old = words.substr(0, middle), now = words.substr(middle + 1, end - middle - 1);
      if (back) std::swap(old, now);
      if (*text == old) {
        *text = now;
        return;
      }
      words.remove_prefix(std::min(end + 1, words.size()));
    }
  }

  // The standard did not say how to round; this is what ONNX Runtime does.
  void set_rounding(const ops::OpsetChange& change, const Node& node, Draft& draft) const {
    const Parameter* mode = find_parameter(draft, "mode");
    const auto* text = mode ? std::get_if<std::string_view>(&mode->content) : nullptr;
    bool up = false, down = node.is("Upsample");
    const ops::Op* op = ops::find_op("", draft.op_type, to_);
    const int place = op && !down ? op->schema->operand(change.with) : -1;
    if ((!text || *text == "nearest") && place >= 0) {
      const auto i = static_cast<std::size_t>(place);
      const Value* operand = i < draft.operands.size() ? draft.operands[i] : nullptr;
      const auto scales = operand ? facts_.constant(*operand, 1 << 16) : std::nullopt;
      const auto numbers = scales ? ops::converted(*scales, ElementType::kDouble) : std::nullopt;
      if (!numbers)
        throw Obstacle{fmt::format("{} must be constant, because they determine how it rounds", change.with)};
      for (const double each : numbers->data<double>()) (each < 1 ? up : down) |= each != 1;
      if (up && down)
        throw Obstacle{"one axis gets smaller and another one larger, and they are rounded in different ways"};
    }
    draft.parameters.emplace_back(change.name, std::string_view(up ? "ceil" : "floor"));
  }

  // Older versions flattened the operand to a matrix (axes before `axis`, all others). That is the same as working on
  // one axis only if all axes after it have size 1.
  void flatten(const Node& node, Draft& draft) const {
    const auto shape = node.input(0) ? facts_.shape_of(*node.input(0)) : std::nullopt;
    if (!shape) throw Obstacle{"its operand has an unknown rank"};
    const auto rank = static_cast<std::int64_t>(shape->size());
    std::int64_t axis = integer_in(draft, "axis", 1);
    if (axis < 0) axis += rank;
    std::erase_if(draft.parameters, [](const Parameter& each) { return each.name == "axis"; });
    bool others_are_one = true;
    for (std::int64_t i = axis + 1; i < rank; ++i) others_are_one &= (*shape)[static_cast<std::size_t>(i)].size() == 1;
    if (axis < rank && others_are_one) {
      draft.parameters.emplace_back("axis", axis);
      return;
    }
    draft.takes_matrix = true;
    draft.matrix_axis = axis;
    draft.parameters.emplace_back("axis", std::int64_t{1});
  }

  std::size_t rank_of(const Value* value) const {
    const auto shape = value ? facts_.shape_of(*value) : std::nullopt;
    if (!shape) throw Obstacle{"an operand has an unknown rank"};
    return shape->size();
  }

  // Adds axes of size 1 at the end of the second operand.
  void align(Node& node, Draft& draft) {
    const bool broadcasts = integer_in(draft, "broadcast", 0) != 0;
    const Parameter* axis = find_parameter(draft, "axis");
    if (broadcasts && axis) {
      const std::size_t left = rank_of(node.input(0)), right = rank_of(node.input(1));
      std::int64_t at = integer_in(draft, "axis", 0);
      if (at < 0) at += static_cast<std::int64_t>(left);
      const auto behind = static_cast<std::int64_t>(left) - at - static_cast<std::int64_t>(right);
      if (behind < 0) throw Obstacle{"the axis is out of range for the first operand"};
      draft.operands[1] = with_axes_behind(node, draft.operands[1], right, behind);
    }
    std::erase_if(draft.parameters,
                  [](const Parameter& each) { return each.name == "axis" || each.name == "broadcast"; });
  }

  void align_slope(Node& node, Draft& draft) {
    const std::size_t rank = rank_of(node.input(0)), slope = rank_of(node.input(1));
    const auto shape = facts_.shape_of(*node.input(1));
    if (slope != 1 || rank < 3 || shape->front().size() == 1) return;
    draft.operands[1] = with_axes_behind(node, draft.operands[1], 1, static_cast<std::int64_t>(rank) - 2);
  }

  Value* with_axes_behind(Node& node, Value* value, std::size_t rank, std::int64_t count) {
    if (count == 0) return value;
    std::vector<std::int64_t> axes;
    for (std::int64_t i = 0; i < count; ++i) axes.push_back(static_cast<std::int64_t>(rank) + i);
    Value* operands[] = {value};
    const Parameter parameters[] = {{"axes", axes}};
    return make_(node, "Unsqueeze", operands, parameters);
  }

  const analysis::Facts& facts_;
  std::int64_t to_;
  const MakeNode& make_;
};

}  // namespace

void apply_change(const ops::OpsetChange& change, Node& node, const ops::Schema& before, std::int64_t to,
                  const analysis::Facts& facts, const MakeNode& make, Draft& draft) {
  DraftChanger(facts, to, make).apply(change, node, before, draft);
}

void undo_change(const ops::OpsetChange& change, Node& node, const ops::Op& before, std::int64_t to,
                 const analysis::Facts& facts, const MakeNode& make, Draft& draft) {
  DraftChanger(facts, to, make).undo(change, node, before, draft);
}

}  // namespace onnxpress::passes

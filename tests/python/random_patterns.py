"""Random graphs made of the patterns that the rewrites of `optimize` look for: layers with nodes that can be folded into them, chains of views,
casts and bounds, computed shapes, activations in many nodes, bodies. Each pattern occurs complete and with something wrong: another axis,
a second user, a constant that widens the shape. Patterns are in pattern_*.py, by kind.
"""
from pattern_activations import Activations
from pattern_bodies import Bodies
from pattern_gathers import Gathers
from pattern_layers import Layers
from pattern_removals import Removals
from pattern_views import Views

OPSETS = [18, 18, 20, 21, 23]


class PatternBuilder(Layers, Activations, Removals, Views, Gathers, Bodies):
    def build(self):
        self.final = []
        for dtype in ("float32", "float32", self.rng.choice(["float32", "int64", "bool"])):
            self.add_input(dtype)
        patterns = [self.conv_chain, self.conv_chain, self.conv_chain, self.pad_pool, self.matmul_chain, self.matmul_chain, self.gemm_chain, self.attention,
                    self.activation, self.activation, self.norm, self.norm, self.unit, self.unit, self.twice, self.casts, self.bounds, self.negations,
                    self.dropout, self.views, self.views, self.views, self.transposed_sum, self.slices, self.concats, self.concats, self.focus, self.pads,
                    self.reduced_view, self.quantized, self.scaffold, self.scaffold, self.loop, self.known_branch, self.same_again, self.zero_states, self.scan, self.quantized_move, self.matrix_sum, self.rotation,
                    self.gather_nd, self.gather_elements, self.gather_concat, self.padded_piece, self.repeated_piece, self.scatter_all, self.product_views,
                    self.views_around, self.pools_in_a_row]
        others = [self.unary, self.binary, self.where, self.compare, self.gather, self.reduce, self.softmax, self.pool, self.branch]
        for _ in range(self.rng.randint(2, 7)):
            self.rng.choice(patterns if self.maybe(0.8) else others)()
        used = {name for node in self.nodes for name in node.input}
        helper = self.onnx.helper
        leaves = [v for v in self.values if v.name not in self.feeds and (v.name not in used or self.maybe(0.05))]
        outputs = [helper.make_tensor_value_info(v.name, helper.np_dtype_to_tensor_dtype(v.array.dtype), None) for v in leaves]
        outputs += [helper.make_tensor_value_info(name, 1, None) for name in self.final]
        if not outputs:
            return None
        graph = helper.make_graph(self.nodes, "patterns", self.inputs, outputs, self.initializers)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.rng.choice(OPSETS))], ir_version=10)

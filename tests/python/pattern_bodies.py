"""Bodies, duplicate nodes, and states."""
from pattern_parts import PatternParts


class Bodies(PatternParts):
    def loop(self):
        x = self.pick("float32")
        if not x or x.array.size == 0:
            return
        helper, name = self.onnx.helper, self.name()
        info = helper.make_tensor_value_info
        trips = self.rng.choice([0, 1, 2, 3])
        # A body that never runs may read a value that does not fit; then any size of an open dim is valid.
        w = self.floats(*([x.array.shape[-1]] if x.array.ndim and trips else []))
        dims = list(x.array.shape)
        nodes = [helper.make_node("Mul", [x.name, w.name], [f"{name}_inv"]),
                 helper.make_node("Add", [f"{name}_s", f"{name}_inv" if self.maybe() else w.name], [f"{name}_t"]),
                 helper.make_node("Identity", [f"{name}_c"], [f"{name}_go"]),
                 helper.make_node("Relu", [f"{name}_t"], [f"{name}_r"]), helper.make_node("Identity", [f"{name}_r"], [f"{name}_scan"])]
        body = helper.make_graph(nodes, "body", [info(f"{name}_i", 7, []), info(f"{name}_c", 9, []), info(f"{name}_s", 1, dims)],
                                 [info(f"{name}_go", 9, []), info(f"{name}_r", 1, dims), info(f"{name}_scan", 1, dims)])
        names = [self.name(), self.name()]
        limit = self.constant(self.np.int64(trips))
        condition = self.constant(self.np.array(self.maybe(0.9)))
        self.nodes.append(helper.make_node("Loop", [limit.name, condition.name, x.name], names, body=body))
        self.values.append(type(x)(names[0], x.array, False))
        self.final.append(names[1])

    def known_branch(self):
        x = self.pick("float32", least_rank=1)
        if not x:
            return
        helper, name = self.onnx.helper, self.name()
        shape = self.node("Shape", [x], self.np.array(x.array.shape, "int64"), True)
        size = self.node("Gather", [shape, self.constant(self.np.int64(0))], self.np.int64(1), True, axis=0)
        condition = self.node("Equal", [size, self.constant(self.np.int64(self.rng.choice([1, x.array.shape[0]])))], self.np.array(True), True)
        info = helper.make_empty_tensor_value_info
        w = self.floats()
        then = helper.make_graph([helper.make_node("Add", [x.name, w.name], [f"{name}_a"]), helper.make_node("Relu", [f"{name}_a"], [f"{name}_t"])], "then", [], [info(f"{name}_t")])
        other = helper.make_graph([helper.make_node("Mul", [x.name, w.name], [f"{name}_b"]), helper.make_node("Neg", [f"{name}_b"], [f"{name}_e"])], "else", [], [info(f"{name}_e")])
        self.nodes.append(helper.make_node("If", [condition.name], [name], then_branch=then, else_branch=other))
        self.values.append(type(x)(name, x.array, False))

    def same_again(self):
        """The same node twice, the second time with its defaults written out or under another name."""
        fitting = [n for n in self.nodes if len(n.output) == 1 and n.op_type not in ("If", "Loop")]
        known = {v.name: v for v in self.values}
        fitting = [n for n in fitting if n.output[0] in known]
        if not fitting:
            return
        node = self.onnx.NodeProto()
        node.CopyFrom(self.rng.choice(fitting))
        before = known[node.output[0]]
        node.name, node.output[0] = f"{node.name}_again", self.name()
        self.nodes.append(node)
        self.values.append(type(before)(node.output[0], before.array, before.exact))

    def zero_states(self):
        """LSTM or GRU with initial states that are zero, or not."""
        x = self.pick("float32", rank=3)
        if not x or x.array.size == 0 or x.array.shape[2] > 6:
            return
        op = self.rng.choice(["LSTM", "GRU"])
        gates, hidden = (4, 2) if op == "LSTM" else (3, 2)
        length, batch, size = x.array.shape
        states = [self.constant(self.np.zeros([1, batch, hidden], "float32")) for _ in range(2 if op == "LSTM" else 1)]
        if self.maybe(0.3):
            states[0] = self.floats(1, batch, hidden)
        operands = [x, self.floats(1, gates * hidden, size), self.floats(1, gates * hidden, hidden), self.floats(1, 2 * gates * hidden), None, *states]
        y = self.node(op, operands, self.np.zeros([length, 1, batch, hidden], "float32"), False, hidden_size=hidden)
        self.node("Squeeze", [y, self.ints(1)], self.np.squeeze(y.array, 1), False)

    def scan(self):
        """A Scan along any axis, forwards or backwards, with states that never change and results that nothing reads."""
        x = self.pick("float32", least_rank=1)
        if not x or x.array.size == 0:
            return
        helper, name, axis = self.onnx.helper, self.name(), self.rng.randrange(x.array.ndim)
        info, dims = helper.make_tensor_value_info, [size for i, size in enumerate(x.array.shape) if i != axis]
        start, factor = self.floats(*dims), self.floats(*dims)
        nodes = [helper.make_node("Mul", [f"{name}_e", f"{name}_k"], [f"{name}_m"]), helper.make_node("Add", [f"{name}_s", f"{name}_m"], [f"{name}_t"]),
                 helper.make_node("Identity", [f"{name}_k"], [f"{name}_l"]), helper.make_node("Tanh", [f"{name}_t"], [f"{name}_u"]),
                 helper.make_node("Neg", [f"{name}_u"], [f"{name}_v"])]
        body = helper.make_graph(nodes, "body", [info(f"{name}_{each}", 1, dims) for each in "ske"], [info(f"{name}_{each}", 1, dims) for each in "tluv"])
        names = [self.name() for _ in range(4)]
        back = [self.rng.randint(0, 1) for _ in range(3)]
        self.nodes.append(helper.make_node("Scan", [start.name, factor.name, x.name], names, body=body, num_scan_inputs=1, scan_input_axes=[axis],
                                           scan_input_directions=back[:1], scan_output_directions=back[1:], scan_output_axes=[0, self.rng.randint(0, len(dims))]))
        self.values.append(type(x)(names[0], start.array, False))
        self.final += [each for each in names[1:] if self.maybe()]

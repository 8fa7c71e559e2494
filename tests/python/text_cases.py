"""Models that together contain everything a model may contain: the hand-made cases of test_text.py."""
import random
import struct

import onnx
from onnx import AttributeProto, TensorProto, helper

ELEMENT_TYPES = [number for name, number in TensorProto.DataType.items() if name != "UNDEFINED"]
SUB_BYTE = {TensorProto.INT4: 4, TensorProto.UINT4: 4, TensorProto.FLOAT4E2M1: 4, TensorProto.INT2: 2, TensorProto.UINT2: 2,
            TensorProto.FLOAT6E2M3: 6, TensorProto.FLOAT6E3M2: 6}
WIDTH = {TensorProto.FLOAT: 4, TensorProto.INT32: 4, TensorProto.UINT32: 4, TensorProto.DOUBLE: 8, TensorProto.INT64: 8,
         TensorProto.UINT64: 8, TensorProto.COMPLEX64: 8, TensorProto.COMPLEX128: 16, TensorProto.INT16: 2,
         TensorProto.UINT16: 2, TensorProto.FLOAT16: 2, TensorProto.BFLOAT16: 2}
ODD_TEXTS = ["", "plain", "two words", 'quote " and \\ backslash', "line\nbreak\ttab\r\n", "ünïcödé 名前", "a.b/c:0", "float",
             "nan", "#@ no annotation", "# no comment", "\\n"]


def model_of(graph, **fields):
    model = helper.make_model(graph, producer_name="cases")
    for name, value in fields.items():
        setattr(model, name, value)
    return model


def graph_of(nodes=(), name="g", inputs=(), outputs=(), **lists):
    graph = onnx.GraphProto(name=name, node=nodes, input=inputs, output=outputs, **lists)
    return graph


def tensor(data_type, dims, name="", **fields):
    return TensorProto(data_type=data_type, dims=dims, name=name, **fields)


def raw_size(data_type, count):
    return (count * SUB_BYTE[data_type] + 7) // 8 if data_type in SUB_BYTE else count * WIDTH.get(data_type, 1)


def without_nans(data_type, raw):
    """NaNs with a payload are an extension, so they have a separate case."""
    form, size = {TensorProto.FLOAT: ("<f", 4), TensorProto.COMPLEX64: ("<f", 4), TensorProto.DOUBLE: ("<d", 8),
                  TensorProto.COMPLEX128: ("<d", 8)}.get(data_type, (None, 0))
    if not form:
        return raw
    parts = [raw[at:at + size] for at in range(0, len(raw), size)]
    return b"".join(struct.pack(form, 0) if (value := struct.unpack(form, part)[0]) != value else part for part in parts)


def tensors_raw():
    """Every element type with random bits; odd counts, so that packed types have padding."""
    rng = random.Random(1)
    for data_type in ELEMENT_TYPES:
        if data_type == TensorProto.STRING:
            continue
        for dims in ([], [1], [7], [2, 3], [3, 0]):
            count = 1
            for dim in dims:
                count *= dim
            raw = bytearray(without_nans(data_type, rng.randbytes(raw_size(data_type, count))))
            used = count * SUB_BYTE.get(data_type, 8)
            if used % 8 and data_type in SUB_BYTE:
                raw[-1] &= (1 << used % 8) - 1
            if data_type == TensorProto.BOOL:
                raw = bytearray(byte & 1 for byte in raw)
            yield tensor(data_type, dims, f"t{data_type}_{'x'.join(map(str, dims))}", raw_data=bytes(raw))


def tensors_typed():
    """Every element type in its typed field."""
    yield tensor(TensorProto.FLOAT, [6], "f", float_data=[0.1, -0.0, 1e-45, 3.4e38, float("inf"), 16777217])
    yield tensor(TensorProto.DOUBLE, [4], "d", double_data=[0.1, -0.0, 5e-324, 1.7976931348623157e308])
    yield tensor(TensorProto.COMPLEX64, [2], "c", float_data=[1, -2, 0.5, float("-inf")])
    yield tensor(TensorProto.COMPLEX128, [1], "z", double_data=[1 / 3, -1e300])
    yield tensor(TensorProto.INT64, [3], "l", int64_data=[-2**63, 2**63 - 1, 0])
    yield tensor(TensorProto.UINT64, [2], "ul", uint64_data=[2**64 - 1, 0])
    yield tensor(TensorProto.UINT32, [2], "ui", uint64_data=[2**32 - 1, 0])
    yield tensor(TensorProto.INT32, [2], "i", int32_data=[-2**31, 2**31 - 1])
    yield tensor(TensorProto.INT16, [2], "s", int32_data=[-2**15, 2**15 - 1])
    yield tensor(TensorProto.INT8, [2], "b", int32_data=[-128, 127])
    yield tensor(TensorProto.UINT16, [1], "us", int32_data=[65535])
    yield tensor(TensorProto.UINT8, [1], "ub", int32_data=[255])
    yield tensor(TensorProto.BOOL, [2], "o", int32_data=[1, 0])
    for data_type in (TensorProto.FLOAT16, TensorProto.BFLOAT16):
        yield tensor(data_type, [2], f"h{data_type}", int32_data=[15360, 65535])
    for data_type in ELEMENT_TYPES:
        if data_type in SUB_BYTE:
            numbers = [33, 1] if SUB_BYTE[data_type] == 6 else [0x21, 0x03][:raw_size(data_type, 3)]
            yield tensor(data_type, [len(numbers) if SUB_BYTE[data_type] == 6 else 3], f"p{data_type}", int32_data=numbers)
        elif "FLOAT8" in TensorProto.DataType.Name(data_type):
            yield tensor(data_type, [2], f"e{data_type}", int32_data=[1, 255])
    yield tensor(TensorProto.STRING, [len(ODD_TEXTS)], "strings", string_data=[text.encode() for text in ODD_TEXTS])
    yield tensor(TensorProto.STRING, [0], "no_strings")
    yield tensor(TensorProto.FLOAT, [0], "nothing")


def attributes():
    yield helper.make_attribute("i", -5)
    yield helper.make_attribute("big", 2**63 - 1)
    yield helper.make_attribute("f", 1.0)
    yield helper.make_attribute("tenth", 0.1)
    yield helper.make_attribute("minus_zero", -0.0)
    yield helper.make_attribute("huge", 1e30)
    yield helper.make_attribute("inf", float("-inf"))
    yield helper.make_attribute("nan", float("nan"))
    for i, text in enumerate(ODD_TEXTS):
        yield helper.make_attribute(f"s{i}", text)
    yield helper.make_attribute("ints", [1, -2, 3])
    yield helper.make_attribute("floats", [1.0, 2.5, float("inf"), float("nan")])
    yield helper.make_attribute("strings", ODD_TEXTS)
    for kind in ("INTS", "FLOATS", "STRINGS", "TENSORS", "GRAPHS", "TYPE_PROTOS"):
        yield AttributeProto(name=f"empty_{kind.lower()}", type=getattr(AttributeProto, kind))
    yield helper.make_attribute("t", tensor(TensorProto.FLOAT, [2], "named", float_data=[1, 2]))
    yield helper.make_attribute("scalar", tensor(TensorProto.INT64, [], int64_data=[7]))
    yield helper.make_attribute("odd_name", tensor(TensorProto.INT64, [], "a.b/c", int64_data=[7]))
    yield helper.make_attribute("external", external_tensor("inside"))
    for i, type_proto in enumerate(types()):
        yield helper.make_attribute(f"tp{i}", type_proto)


def external_tensor(name):
    made = tensor(TensorProto.FLOAT, [3, 2], name, data_location=TensorProto.EXTERNAL)
    for key, value in {"location": "weights.bin", "offset": "4096", "length": "24", "checksum": "abc"}.items():
        made.external_data.add(key=key, value=value)
    return made


def list_attributes():
    """The official parser accepts these lists but drops their content."""
    yield helper.make_attribute("tensors", [tensor(TensorProto.FLOAT, [1], "x", float_data=[1]),
                                            tensor(TensorProto.INT8, [], raw_data=b"\x05")])
    yield helper.make_attribute("types", list(types()))
    yield helper.make_attribute("graphs", [graph_of(name="a"), graph_of(name="b c")])


def types():
    yield helper.make_tensor_type_proto(TensorProto.FLOAT, ["N", 3, None, "a+b", -1])
    yield helper.make_tensor_type_proto(TensorProto.INT4, None)
    yield helper.make_tensor_type_proto(TensorProto.BFLOAT16, [])
    yield helper.make_sequence_type_proto(helper.make_tensor_type_proto(TensorProto.STRING, [0]))
    yield helper.make_optional_type_proto(helper.make_sequence_type_proto(helper.make_tensor_type_proto(1, None)))
    yield helper.make_map_type_proto(TensorProto.INT64, helper.make_tensor_type_proto(TensorProto.FLOAT, []))
    yield helper.make_sparse_tensor_type_proto(TensorProto.FLOAT, [2, "M"])
    for domain, name in (("", ""), ("", "a.b"), ("my.domain", "name")):
        opaque = onnx.TypeProto()
        opaque.opaque_type.SetInParent()
        if domain:
            opaque.opaque_type.domain = domain
        if name:
            opaque.opaque_type.name = name
        yield opaque


def values(prefix):
    return [onnx.ValueInfoProto(name=f"{prefix}{i}", type=type_proto) for i, type_proto in enumerate(types())]


def named(texts):
    """A graph whose names are these texts."""
    plain = [text for text in texts if text]
    nodes = [helper.make_node("Op", [text, "", "undefined"], [f"{text}!", ""], name=text) for text in plain]
    nodes += [helper.make_node("Sink", ["x"], []), helper.make_node("Source", [], ["z"]), helper.make_node("Gap", ["x", ""], ["", "w"])]
    inputs = [helper.make_tensor_value_info(text, TensorProto.FLOAT, [text]) for text in plain]
    outputs = [onnx.ValueInfoProto(name=f"{text}!") for text in plain]
    return graph_of(nodes, 'the "graph"', inputs, outputs, doc_string="")


def bodies():
    inner = graph_of([helper.make_node("Add", ["x", "i"], ["y"])], "inner", outputs=values("y")[:1])
    inner.initializer.append(tensor(TensorProto.FLOAT, [1], "i", float_data=[1]))
    odd = graph_of([helper.make_node("If", ["c"], ["z"], then_branch=inner, else_branch=inner)], "odd name", outputs=values("z")[:1])
    empty = graph_of([helper.make_node("Loop", ["", "c"], ["w"], body=odd, level=1)], "")
    word = graph_of(name="float", inputs=values("in")[:2])
    nodes = [helper.make_node("If", ["c"], ["r"], then_branch=empty, else_branch=word)]
    return graph_of(nodes, inputs=[helper.make_tensor_value_info("c", TensorProto.BOOL, [])], value_info=values("v"))


def functions(reference):
    model = model_of(graph_of([helper.make_node("F", ["x"], ["y"], domain="my.domain", overload="two", alpha=1.0)]))
    for overload in ("", "two"):
        function = model.functions.add(name="F", domain="my.domain", overload=overload, input=["x"], output=["y"],
                                       attribute=["alpha", "beta"], doc_string='says "what"\nit does')
        function.opset_import.add(domain="", version=18)
        function.opset_import.add(domain="my.domain", version=1)
        node = function.node.add(op_type="Elu", input=["x"], output=["y"])
        node.attribute.add(name="alpha", type=AttributeProto.FLOAT, ref_attr_name="alpha")
        node.attribute.add(name="beta", type=AttributeProto.INTS, ref_attr_name=reference)
        function.attribute_proto.extend([helper.make_attribute("gamma", 2), helper.make_attribute("delta", [1.0, 2.0]),
                                         AttributeProto(name="none", type=AttributeProto.INTS)])
        function.value_info.extend(values("v"))
        function.value_info.add(name="x").type.CopyFrom(next(types()))
    model.functions.add(name="bare", input=[], output=[])
    return model


def entries(where):
    return [onnx.StringStringEntryProto(key=f"{where} {i}", value=text) for i, text in enumerate(ODD_TEXTS)]


def annotated():
    """Everything that our text keeps in annotations."""
    described = [onnx.ValueInfoProto(name=name, type=next(types()), doc_string=f"the {name}\n\\n", metadata_props=entries(name))
                 for name in ("x", "y", "v")]
    for info in described:
        info.type.denotation = "IMAGE"
        info.type.tensor_type.shape.dim[0].denotation = "DATA_BATCH"
    node = helper.make_node("Op", ["x"], ["y"], doc_string="a\nb", body=graph_of(doc_string="body", metadata_props=entries("b")))
    node.metadata_props.extend(entries("node"))
    node.device_configurations.add(configuration_id="c", pipeline_stage=3)
    graph = graph_of([node], inputs=described[:1], outputs=described[1:2], value_info=described[2:], doc_string="d\n",
                     metadata_props=entries("graph"))
    graph.initializer.append(tensor(TensorProto.FLOAT, [1], "w", float_data=[1], doc_string="w", metadata_props=entries("w")))
    annotation = graph.quantization_annotation.add(tensor_name="x y")
    annotation.quant_parameter_tensor_names.extend(entries("q"))
    model = model_of(graph, domain="d", model_version=-1, doc_string="model\n", producer_version="")
    model.metadata_props.extend(entries("model"))
    model.configuration.add(name="c", num_devices=2, device=["a", "b"])
    function = model.functions.add(name="f", domain="d", metadata_props=entries("f"))
    function.node.add(op_type="Op", doc_string="inside")
    return model


def sparse():
    def made(name):
        return onnx.SparseTensorProto(values=tensor(TensorProto.FLOAT, [2], name, float_data=[1, 2]),
                                      indices=tensor(TensorProto.INT64, [2], "", int64_data=[0, 5]), dims=[3, 4])
    node = helper.make_node("Op", [], ["y"], one=made("n"), many=[made(""), made("odd name")])
    return graph_of([node], sparse_initializer=[made("w"), made("odd w")])


def odd_operators():
    nodes = [helper.make_node("Op", [], ["a"], domain="com.my-company"), helper.make_node("aten::add", [], ["b"]),
             helper.make_node("Op", [], ["c"], overload="a b")]
    nodes[0].attribute.append(helper.make_attribute("odd.name", 1))
    return graph_of(nodes)


def odd_nans():
    raw = struct.pack("<4I", 0x7fc00001, 0xffffffff, 0x7f800001, 0x7fc00000)
    doubles = struct.pack("<2Q", 0x7ff8000000000001, 0xfff0000000000001)
    graph = graph_of(initializer=[tensor(TensorProto.FLOAT, [4], "f", raw_data=raw), tensor(TensorProto.DOUBLE, [2], "d", raw_data=doubles)])
    return graph


def all_cases():
    """Yields name, model, the expected result of the official parser for our text, and whether the official text is worth reading."""
    yield "tensors_raw", model_of(graph_of(initializer=tensors_raw())), "same", True
    yield "tensors_typed", model_of(graph_of(initializer=tensors_typed())), "same", True
    for made in [*tensors_raw(), *tensors_typed()]:  # each alone, so that one which the official printer cannot print does not hide the others
        yield f"tensor_{made.name}_{made.data_type}", model_of(graph_of(initializer=[made])), "same", True
    yield "tensor_external", model_of(graph_of(initializer=[external_tensor("w")])), "same", True
    for attribute in attributes():
        node = onnx.NodeProto(op_type="Op", attribute=[attribute])
        yield f"attribute_{attribute.name}", model_of(graph_of([node])), "same", True
    yield "attributes", model_of(graph_of([onnx.NodeProto(op_type="Op", attribute=attributes())])), "same", True
    yield "attribute_lists", model_of(graph_of([onnx.NodeProto(op_type="Op", attribute=list_attributes())])), "other", False
    yield "types", model_of(graph_of(inputs=values("i"), outputs=values("o"), value_info=values("v"))), "same", True
    yield "names", model_of(named(ODD_TEXTS)), "same", True
    yield "bodies", model_of(bodies()), "same", True
    yield "functions", functions("gamma"), "same", True
    yield "odd_reference", functions("gamma 1"), "same", False
    yield "annotated", annotated(), "same", True
    yield "empty", onnx.ModelProto(ir_version=8, graph=onnx.GraphProto()), "same", True
    yield "binary_string", model_of(graph_of([helper.make_node("Op", [], [], context=bytes(range(256)))])), "refuses", False
    yield "sparse", model_of(sparse()), "refuses", False
    yield "odd_operators", model_of(odd_operators()), "refuses", False
    yield "odd_nans", model_of(odd_nans()), "refuses", False

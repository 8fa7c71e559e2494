"""Compares real models on our evaluator (`onnxpress run`) with ONNX Runtime with its optimizations off.

Outputs agree within 1e-4 of the output's largest number. Models that round inside (quantized ones) amplify any difference, so
there we may be as far from ONNX Runtime as it is from itself when the input moves by 1e-6.

ONNX Runtime adds up in float32 without pairing, which drifts over millions of elements: on htdemucs the InstanceNormalization over
8,255,520 elements alone moves its result by 2e-4 of the largest number, where ours stays within 4e-7 of a run in double. So a model that
is too far by the first two rules is run by ONNX Runtime once more, with only these sums (ReduceMean, InstanceNormalization) in double,
and then has to agree within 1e-4; the table says "long sums in double".

LARGEST=bytes takes larger models too (default: those that run quickly under the sanitizers; `make bench` takes all).
"""
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

try:
    import numpy
    import onnx
    import onnxruntime
except ImportError as missing:
    print(f"SKIPPED: {missing} (scripts/setup test)")
    sys.exit(77)

ONNXPRESS = os.environ.get("ONNXPRESS", "build/onnxpress")
MODELS = Path(os.environ.get("MODELS", "models"))
LARGEST = int(os.environ.get("LARGEST", "3000000"))
RELATIVE = 1e-4
ONLY = sys.argv[1:]

SIZES = {  # for dims that models leave open
    "ddddocr": {"image_width": 96},
    "ddddocr_old": {"image_width": 96},
    "moonshine_base_encoder": {"batch_size": 1, "num_samples": 8000},
    "moonshine_tiny_encoder": {"batch_size": 1, "num_samples": 8000},
    "moonshine_base_decoder_merged": {"batch_size": 1, "decoder_sequence_length": 3, "encoder_sequence_length": 7,
                                      "past_decoder_sequence_length": 4, "encoder_sequence_length_out": 7},
    "moonshine_tiny_decoder_merged": {"batch_size": 1, "decoder_sequence_length": 3, "encoder_sequence_length": 7,
                                      "past_decoder_sequence_length": 4, "encoder_sequence_length_out": 7},
    "ppocr_v2_cls": {"p2o.DynamicDimension.0": 1, "p2o.DynamicDimension.1": 48, "p2o.DynamicDimension.2": 192},
    "ppocr_v4_det": {"p2o.DynamicDimension.0": 1, "p2o.DynamicDimension.1": 64, "p2o.DynamicDimension.2": 96},
    "ppocr_v4_rec": {"p2o.DynamicDimension.0": 1, "p2o.DynamicDimension.1": 96},
    "silero_vad_legacy": {"batch": 1, "sequence": 512},
}
SHAPES = {("silero_vad_v5", "input"): [1, 512], ("silero_vad_v5", "state"): [2, 1, 128], ("yolov8_nms", "detection"): [1, 84, 100]}
VALUES = {("silero_vad_v5", "sr"): 16000, ("silero_vad_legacy", "sr"): 16000}
MERGED = [False, True]  # for merged decoders: without and with past key values


def session_of(path):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def inputs_of(name, session, use_cache, random):
    made = {}
    for each in session.get_inputs():
        shape = SHAPES.get((name, each.name)) or [d if isinstance(d, int) else SIZES[name][d] for d in each.shape]
        if (name, each.name) in VALUES:
            made[each.name] = numpy.array(VALUES[name, each.name], dtype=numpy.int64)
        elif each.type == "tensor(bool)":
            made[each.name] = numpy.full(shape, use_cache)
        elif each.type == "tensor(int64)":
            made[each.name] = random.integers(0, 100, shape)
        elif (name, each.name) == ("yolov8_nms", "config"):
            made[each.name] = numpy.array([10, 0.45, 0.1], dtype=numpy.float32)
        elif name == "yolov8_nms":
            made[each.name] = random.random(shape, dtype=numpy.float32)
        else:
            made[each.name] = random.standard_normal(shape).astype(numpy.float32) * numpy.float32(0.3)
    return made


def run_ours(path, inputs):
    with tempfile.TemporaryDirectory() as folder:
        command = [ONNXPRESS, "run", path, "--output-dir", folder]
        for i, (name, value) in enumerate(inputs.items()):
            file = Path(folder) / f"in{i}" / "value.npy"
            file.parent.mkdir()
            numpy.save(file, value)
            command += ["--input", f"{name}={file}"]
        done = subprocess.run([*command, "--json"], capture_output=True, text=True)
        if done.returncode != 0:
            return None, done.stderr.strip()
        import json
        return [numpy.load(output["file"]) for output in json.loads(done.stdout)["outputs"]], None


def distance(found, expected):
    """The largest difference of any output, relative to that output's largest number; infinite when shapes differ."""
    worst = 0.0
    for a, b in zip(found, expected):
        if a.shape != b.shape or a.dtype != b.dtype:
            return float("inf")
        if a.size == 0:
            continue
        scale = numpy.abs(b[numpy.isfinite(b)].astype(numpy.float64)).max(initial=1e-6) if b.dtype.kind == "f" else 1.0
        difference = numpy.abs(a.astype(numpy.float64) - b.astype(numpy.float64))
        difference[numpy.isnan(a) & numpy.isnan(b)] = 0 if a.dtype.kind == "f" else difference[numpy.isnan(a)]
        worst = max(worst, float(difference.max()) / scale)
    return worst


def own_distance(session, inputs, expected, random):
    """How much ONNX Runtime's outputs change when its inputs change by 1e-6."""
    worst = 0.0
    for _ in range(5):
        moved = {k: v if v.dtype != numpy.float32 else (v + random.standard_normal(v.shape).astype(numpy.float32) * numpy.float32(1e-6))
                 for k, v in inputs.items()}
        worst = max(worst, distance(session.run(None, moved), expected))
    return worst


def normalization_in_double(node, x, scale, bias, make):
    """InstanceNormalization as ReduceMean and arithmetic, for any rank, because the spatial axes become one."""
    epsilon = next((a.f for a in node.attribute if a.name == "epsilon"), 1e-5)
    one = make("Constant", [], value=onnx.helper.make_tensor("axes", onnx.TensorProto.INT64, [1], [1]))
    rows = make("Constant", [], value=onnx.helper.make_tensor("rows", onnx.TensorProto.INT64, [3], [0, 0, -1]))
    small = make("Constant", [], value=onnx.helper.make_tensor("epsilon", onnx.TensorProto.DOUBLE, [], [epsilon]))
    flat = make("Reshape", [x, rows])
    centred = make("Sub", [flat, make("ReduceMean", [flat], axes=[2])])
    variance = make("ReduceMean", [make("Mul", [centred, centred])], axes=[2])
    unit = make("Div", [centred, make("Sqrt", [make("Add", [variance, small])])])
    scaled = make("Add", [make("Mul", [unit, make("Unsqueeze", [scale, one])]), make("Unsqueeze", [bias, one])])
    return make("Reshape", [scaled, make("Shape", [x])])


def with_sums_in_double(path, folder):
    """The model with ReduceMean and InstanceNormalization of the main graph in double; None when it has none (opsets 13 to 17)."""
    model = onnx.load(path)
    opset = next(o.version for o in model.opset_import if o.domain in ("", "ai.onnx"))
    if not 13 <= opset <= 17 or not any(n.op_type in ("ReduceMean", "InstanceNormalization") for n in model.graph.node):
        return None
    nodes = []

    def make(op, inputs, name=None, **attributes):
        name = name or f"in_double.{len(nodes)}"
        nodes.append(onnx.helper.make_node(op, inputs, [name], **attributes))
        return name

    for node in model.graph.node:
        if node.op_type not in ("ReduceMean", "InstanceNormalization"):
            nodes.append(node)
            continue
        operands = [make("Cast", [x], to=onnx.TensorProto.DOUBLE) for x in node.input]
        if node.op_type == "ReduceMean":
            attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
            result = make("ReduceMean", operands, **attributes)
        else:
            result = normalization_in_double(node, *operands, make)
        make("Cast", [result], node.output[0], to=onnx.TensorProto.FLOAT)
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    target = Path(folder) / "in_double.onnx"
    onnx.save(model, target)
    return target


def distance_of_long_sums(path, inputs, found):
    with tempfile.TemporaryDirectory() as folder:
        target = with_sums_in_double(path, folder)
        return distance(found, session_of(target).run(None, inputs)) if target else float("inf")


def check(path):
    name = path.stem
    session = session_of(path)
    good = True
    for use_cache in MERGED if "decoder_merged" in name else [False]:
        random = numpy.random.default_rng(7)
        inputs = inputs_of(name, session, use_cache, random)
        expected = session.run(None, inputs)
        begin = time.time()
        found, problem = run_ours(path, inputs)
        seconds = time.time() - begin
        label = f"{name}{' with cache' if use_cache else ''}"
        if problem:
            print(f"FAILED {label}: {problem}")
            good = False
            continue
        far = distance(found, expected)
        allowed = RELATIVE if far <= RELATIVE else max(RELATIVE, own_distance(session, inputs, expected, random))
        remark = ""
        if far > allowed:
            remark = f" (long sums in double; {far:.2e} without)"
            far, allowed = distance_of_long_sums(path, inputs, found), RELATIVE
        verdict = "ok" if far <= allowed else "FAILED"
        print(f"{verdict:<6} {label:<40} differs by {far:.2e} of {allowed:.2e} allowed, {seconds:.1f} s{remark}")
        good &= far <= allowed
    return good


def main():
    paths = sorted(p for p in MODELS.glob("*.onnx") if p.stat().st_size <= LARGEST and (not ONLY or p.stem in ONLY))
    if not paths:
        print("SKIPPED: no models (scripts/fetch_models)")
        return 77
    results = [check(path) for path in paths]
    print(f"test_models_run: {sum(results)} of {len(results)} models agree with ONNX Runtime {onnxruntime.__version__}")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())

"""Inputs of several kinds that the program has never seen, and the worst output of a model on them, to judge `--quality`."""
import numpy
import onnx
import onnxruntime

KINDS = ("normal", "uniform", "image", "speech", "saturated", "zeros", "normalized image", "writing", "normalized writing")
MEAN, DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)  # of the color channels of ImageNet


def image_of(shape, random):
    """Gradients, a few discs and boxes, from 0 to 1; unlike the images that the program generates."""
    height, width = (shape[-3], shape[-2]) if len(shape) >= 3 and shape[-1] <= 4 else (shape[-2] if len(shape) > 1 else 1, shape[-1])
    y, x = numpy.mgrid[0:height, 0:width] / max(height, width)
    plane = 0.5 + 0.3 * numpy.sin(7 * x * random.random() + 5 * y + 6 * random.random())
    for _ in range(6):
        cy, cx, r = random.random(), random.random(), 0.05 + 0.2 * random.random()
        plane[(y - cy) ** 2 + (x - cx) ** 2 < r * r] += random.normal() * 0.3
    plane = numpy.clip(plane + 0.01 * random.standard_normal(plane.shape), 0, 1)
    if len(shape) >= 3 and shape[-1] <= 4:
        return numpy.broadcast_to(plane[..., None], shape) * random.uniform(0.7, 1, shape[-1])
    return numpy.broadcast_to(plane.reshape(shape[-2:] if len(shape) > 1 else shape), shape) * random.uniform(0.8, 1)


def strokes_of(height, width, random):
    """Ink from 0 to 1: rows of signs of three or four strokes each; none of them is a letter that the program uses."""
    size = min(height, max(10, height * random.uniform(0.2, 0.8)))
    thick, ink = max(0.7, size * random.uniform(0.05, 0.11)), numpy.zeros((height, width))
    y, x = numpy.mgrid[0:height, 0:width]
    for top in numpy.arange(random.uniform(0, 0.2) * size, max(1, height - 0.7 * size), 1.5 * size):
        for left in numpy.arange(random.uniform(0, 0.5) * size, max(1, width - 0.5 * size), 0.75 * size):
            if random.random() < 0.15:
                continue
            for _ in range(random.integers(3, 5)):
                a, b = random.random((2, 2)) * (0.9 * size, 0.55 * size) + (top, left)
                along = numpy.clip(((y - a[0]) * (b - a)[0] + (x - a[1]) * (b - a)[1]) / max(1e-9, ((b - a) ** 2).sum()), 0, 1)
                off = numpy.hypot(y - a[0] - along * (b - a)[0], x - a[1] - along * (b - a)[1])
                ink = numpy.maximum(ink, numpy.clip(thick + 0.5 - off, 0, 1))
    return ink


def is_picture(shape):
    """Has one, three or four channels, and is large enough to write on."""
    last = len(shape) >= 3 and shape[-1] in (3, 4)
    height, width = (shape[-3], shape[-2]) if last else (shape[-2], shape[-1]) if len(shape) > 1 else (1, 1)
    return min(height, width) >= 16 and (last or len(shape) >= 3 and shape[-3] in (3, 4) or len(shape) == 4 and shape[1] == 1)


def writing_of(shape, random):
    """Dark strokes on light paper; inputs that are not pictures get an image."""
    if not is_picture(shape):
        return image_of(shape, random)
    last = shape[-1] in (3, 4)
    ink = strokes_of(*(shape[-3:-1] if last else shape[-2:]), random)
    plane = numpy.clip(random.uniform(0.75, 1) - random.uniform(0.5, 0.9) * ink + 0.01 * random.standard_normal(ink.shape), 0, 1)
    return numpy.broadcast_to(plane[..., None] if last else plane, shape)


def speech_of(shape, random):
    t = numpy.arange(shape[-1]) / 16000
    wave = sum(numpy.sin(2 * numpy.pi * f * k * t + 6 * random.random()) / k for f in (110 + 80 * random.random(),) for k in range(1, 9))
    return numpy.broadcast_to(0.2 * wave * (0.5 + 0.5 * numpy.sin(30 * t + random.random())), shape) + 0.005 * random.standard_normal(shape)


def normalized(image, shape):
    """Normalized as most vision models expect; inputs without three channels use the mean of the channels."""
    axis = len(shape) - 1 if len(shape) >= 3 and shape[-1] <= 4 else len(shape) - 3
    if axis < 0 or shape[axis] != 3:
        return (image - numpy.mean(MEAN)) / numpy.mean(DEVIATION)
    along = [1] * len(shape)
    along[axis] = 3
    return (image - numpy.reshape(MEAN, along)) / numpy.reshape(DEVIATION, along)


def numbers(shape, kind, random):
    if kind.startswith("normalized "):
        return normalized(numbers(shape, kind.removeprefix("normalized "), random), shape)
    if kind == "writing":
        return writing_of(shape, random)
    if kind == "normal":
        return random.standard_normal(shape)
    if kind == "uniform":
        return random.random(shape)
    if kind == "image":
        return image_of(shape, random)
    if kind == "speech":
        return speech_of(shape, random)
    if kind == "saturated":
        return numpy.clip(4 * random.standard_normal(shape), -1, 1)
    return numpy.zeros(shape)


def index_limits(model):
    """The number of rows of the table, for inputs that go straight into a Gather."""
    rows = {each.name: each.dims for each in model.graph.initializer}
    return {node.input[1]: rows[node.input[0]][0] for node in model.graph.node if node.op_type == "Gather" and node.input[0] in rows and
            rows[node.input[0]]}


def input_for(port, kind, random, seed, limits, open_size, batches):
    shape = [d if isinstance(d, int) else (1 if d in batches else open_size) for d in port.shape]
    if port.type == "tensor(bool)":
        return numpy.full(shape, seed % 2 == 0)
    if port.type in ("tensor(float)", "tensor(float16)", "tensor(double)"):
        made = numbers(shape, kind, random) if shape and numpy.prod(shape) > 4 else numpy.ones(shape)
        return numpy.asarray(made, {"tensor(float)": numpy.float32, "tensor(float16)": numpy.float16}.get(port.type, numpy.float64))
    if port.type == "tensor(uint8)":
        if "mask" in port.name:
            mask = numpy.zeros(shape, numpy.uint8)
            top, left = random.integers(0, shape[-2] // 2), random.integers(0, shape[-1] // 2)
            mask[..., top:top + shape[-2] // 3, left:left + shape[-1] // 2] = 255
            return mask
        scale = {"normal": (50, 128), "saturated": (127.5, 127.5), "speech": (127, 127), "normalized image": (50, 128),
                 "normalized writing": (50, 128)}.get(kind, (255, 0))
        return numpy.clip(numbers(shape, kind, random) * scale[0] + scale[1], 0, 255).astype(numpy.uint8)
    kind_of = numpy.int32 if "32" in port.type else numpy.int64
    if port.name in limits:
        return random.integers(0, limits[port.name], shape).astype(kind_of)
    if port.name == "sr":
        return numpy.array(16000 if seed % 2 == 0 else 8000, kind_of)
    if port.name == "bytes":  # magika
        return random.integers(0, 256, shape).astype(kind_of)
    return numpy.ones(shape, kind_of)


def probabilities(model):
    """Outputs of Sigmoid or Softmax, if only their shape changes afterwards: they cannot be larger than 1."""
    makers = {output: node for node in model.graph.node for output in node.output}
    found = []
    for output in model.graph.output:
        node = makers.get(output.name)
        while node is not None and node.op_type in ("Identity", "Reshape", "Transpose", "Squeeze", "Unsqueeze", "Flatten", "Slice", "Gather"):
            node = makers.get(node.input[0])
        found.append(node is not None and node.op_type in ("Sigmoid", "Softmax", "HardSigmoid"))
    return found


def session_of(model):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def is_amount(array):
    return isinstance(array, numpy.ndarray) and (array.dtype.kind == "f" or array.dtype.itemsize <= 2 and array.dtype.kind in "iu")


def least_energies(model, runs):
    """The least energy per element that each output is taken to have: 60 dB below its usual energy. Probabilities count as at least a hundredth
    if they are at least a tenth for some input."""
    least = []
    for i, is_probability in enumerate(probabilities(model)):
        if not is_amount(runs[0][i]):
            least.append(0)
            continue
        energies = [numpy.mean(numpy.square(each[i], dtype=float)) for each in runs]
        least.append(max(1e-6 * numpy.mean(energies), 1e-4 if is_probability and max(energies) >= 1e-2 else 0))
    return least


def snr_of(reference, outputs, least):
    """Of the worst output."""
    worst = 300
    for before, after, energy in zip(reference, outputs, least, strict=True):
        if not is_amount(before):
            continue
        if before.shape != after.shape:
            worst = min(worst, 0)
            continue
        x, y = before.astype(float), after.astype(float)
        use = numpy.isfinite(x)
        noise = numpy.square(x[use] - numpy.nan_to_num(y[use])).sum()
        signal = max(numpy.square(x[use]).sum(), energy * use.sum(), 1e-300)
        worst = min(worst, -10 * numpy.log10(noise / signal) if noise > 0 else 300)
    return worst


class Fresh:
    """Inputs that a model runs on, and its outputs. Dims that it leaves open have the first of these sizes that works."""

    def __init__(self, path, seeds, first_seed=4711, open_sizes=(64, 96, 512, 1)):
        model = onnx.load(path, load_external_data=False)
        self.random_ops = any(node.op_type.startswith("Random") for node in model.graph.node)
        session, limits = session_of(str(path)), index_limits(model)
        batches = {port.shape[0] for port in session.get_inputs() if len(port.shape) > 1}  # a batch of one, because outputs of few numbers are the hardest
        self.runs = []
        for open_size in open_sizes:
            shapes = [[d if isinstance(d, int) else open_size for d in port.shape] for port in session.get_inputs()]
            for kind in KINDS if any(map(is_picture, shapes)) else KINDS[:7]:
                for seed in range(1 if kind == "zeros" else seeds):
                    random = numpy.random.default_rng(first_seed + seed * 100 + KINDS.index(kind))
                    try:
                        inputs = {port.name: input_for(port, kind, random, seed, limits, open_size, batches) for port in session.get_inputs()}
                        self.runs.append((kind, inputs, self.run(path, session, inputs)))
                    except Exception as error:
                        why = str(error)
                        continue
            if self.runs:
                break
        else:
            raise RuntimeError(f"{path}: {why[:200]}")
        self.least = least_energies(model, [outputs for _, _, outputs in self.runs])

    def run(self, path, session, inputs):
        if not self.random_ops:
            return session.run(None, inputs)
        model = onnx.load(path)
        for node in model.graph.node:
            if node.op_type.startswith("Random"):
                node.attribute.append(onnx.helper.make_attribute("seed", 5.0))
        return session_of(model.SerializeToString()).run(None, inputs)

    def snrs(self, path):
        """The SNR of the worst output of another model, for each run."""
        session = session_of(str(path))
        return [snr_of(reference, self.run(path, session, inputs), self.least) for _, inputs, reference in self.runs]

    def worst(self, path):
        found = {}
        for (kind, _, _), snr in zip(self.runs, self.snrs(path), strict=True):
            found[kind] = min(found.get(kind, 300), snr)
        self.found = found  # by kind
        return min(found.items(), key=lambda item: item[1])

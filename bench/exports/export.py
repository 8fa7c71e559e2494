"""Exports architectures of the table: FOLDER/NAME.WAY.onnx, and FOLDER/NAME.WAY.npz with several sets of inputs for it.

  PYTHON bench/exports/export.py FOLDER NAME.WAY...

A way is an exporter (ts: TorchScript, dy: torch.export, sk: skl2onnx) and an opset; d: with an open batch and, where there is one, an open
length; h: in float16. Statistics of BatchNormalization are random, too, because with those of a new model, folding it would change nothing.
"""
import logging
import os
import re
import signal
import sys
import warnings
from pathlib import Path

import numpy
import torch

from architectures import MADE, Keywords, WithCache

warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)
torch.set_num_threads(1)
torch.backends.mha.set_fastpath_enabled(False)  # its ops are torch's own
SECONDS = 600                           # for one export
TRACED = (2, 12)                        # batch and length
OTHERS = [(1, 7), (3, 20), (2, 5)]      # sizes at which an export with open dims is judged as well


def randomize_statistics(module):
    torch.manual_seed(3)
    for each in module.modules():
        if getattr(each, "running_mean", None) is None:
            continue
        each.running_mean.normal_(0, 0.2)
        each.running_var.uniform_(0.5, 1.5)
        if each.weight is not None:
            each.weight.data.uniform_(0.5, 1.5)
            each.bias.data.normal_(0, 0.2)


def randomize_scales(module):
    """Scales of layers begin with 1e-6 or 1, which would hide mistakes."""
    for name, each in module.named_parameters():
        if re.search(r"gamma|layer_scale|lambda", name):
            each.data.uniform_(0.5, 1.5)


def export_torch(name, way, path):
    torch.manual_seed(1)
    module, inputs = MADE[name]()
    module = module.eval()
    randomize_statistics(module)
    randomize_scales(module)
    opset, is_open, is_half = int(re.search(r"\d+", way)[0]), way.endswith("d"), "h" in way[2:]

    def made(size, seed):
        torch.manual_seed(seed)
        values = inputs.make(*size)
        return tuple(each.half() if is_half and each.is_floating_point() else each for each in values)

    module = module.half() if is_half else module
    example, names = made(TRACED, 5), list(inputs.named)
    with torch.no_grad():
        if way.startswith("ts"):
            torch.onnx.export(module, example, str(path), dynamo=False, opset_version=opset, input_names=names, dynamic_axes=inputs.axes() if is_open else None)
        else:
            shapes = tuple({axis: torch.export.Dim.DYNAMIC for axis in axes} for _, axes in inputs.named.values()) if is_open else None
            if is_open and isinstance(module, Keywords):  # what *values takes is one argument
                shapes = (shapes,)
            elif is_open and isinstance(module, WithCache):
                shapes = (*shapes[:2], shapes[2:])
            torch.onnx.export(module, example, str(path), dynamo=True, opset_version=opset, dynamic_shapes=shapes, input_names=names, verbose=False,
                              external_data=False, optimize=False)
    sizes = [TRACED, *(OTHERS if is_open else [TRACED, TRACED])]
    return [dict(zip(names, (each.numpy() for each in made(size, 11 + i)))) for i, size in enumerate(sizes)]


def export_sklearn(name, path):
    from classical import CLASSICAL, data
    from skl2onnx import to_onnx
    model = CLASSICAL[name]()
    x, y = data()
    model.fit(x, y)
    path.write_bytes(to_onnx(model, x[:1], options={"zipmap": False} if hasattr(model, "predict_proba") else None).SerializeToString())
    return [{"X": x[:count]} for count in (1, 7, 30)]


def export(folder, name, way):
    path, unfinished = folder / f"{name}.{way}.onnx", folder / f"{name}.{way}.part"
    sets = export_sklearn(name, unfinished) if way.startswith("sk") else export_torch(name, way, unfinished)
    numpy.savez(path.with_suffix(".npz"), **{f"{i}/{key}": value for i, each in enumerate(sets) for key, value in each.items()})
    unfinished.rename(path)


def export_in_child(folder, name, way):
    """An exporter may crash or hang, so each export runs in a copy of this process, which has imported everything already."""
    child = os.fork()
    if child == 0:
        signal.alarm(SECONDS)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # exporters print whole graphs
        try:
            export(folder, name, way)
            os._exit(0)
        except BaseException as error:  # noqa: BLE001 (an exporter fails in many ways)
            (folder / f"{name}.{way}.failed").write_text(f"{type(error).__name__}: {str(error)[:300]}\n")
            os._exit(1)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        (folder / f"{name}.{way}.failed").write_text(f"ended by signal {os.WTERMSIG(status)} (14: it took more than {SECONDS} s)\n")
    (folder / f"{name}.{way}.part").unlink(missing_ok=True)
    return status == 0


def main():
    import timm  # noqa: F401
    import torchvision  # noqa: F401
    import transformers  # noqa: F401
    folder = Path(sys.argv[1])
    for job in sys.argv[2:]:
        name, way = job.rsplit(".", 1)
        print(f"{job}: {'exported' if export_in_child(folder, name, way) else 'not exported'}", flush=True)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Optimizes and shrinks a model that is held in memory, through the C interface: what a binding for any language does.

    shrink_and_optimize.py libonnxpress_c.so model.onnx smaller.onnx

(For Python itself there is a package, docs/python.md.)
"""
import ctypes
import json
import sys
from ctypes import byref, c_char_p, c_int64, c_size_t, c_void_p


class OptimizeOptions(ctypes.Structure):
    """The first fields of onnxpress_optimize_options: `size` tells the library where ours end."""
    _fields_ = [("size", c_size_t), ("threads", c_int64), ("progress", c_void_p), ("progress_data", c_void_p),
                ("target", c_char_p), ("exact", c_int64), ("approximate", c_int64)]

    def __init__(self, **values):
        super().__init__(size=ctypes.sizeof(self), **values)


class Onnxpress:
    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        for name in ("error_text", "error_hint", "report_json"):
            function = getattr(self.library, "onnxpress_" + name)
            function.restype, function.argtypes = c_char_p, [c_void_p]
        for name in ("error_free", "report_free", "model_free", "bytes_free"):
            function = getattr(self.library, "onnxpress_" + name)
            function.restype, function.argtypes = None, [c_void_p]

    def call(self, name, *arguments):
        """The error is the last argument of every call."""
        error = c_void_p()
        if getattr(self.library, "onnxpress_" + name)(*arguments, byref(error)) == 0:
            return
        text, hint = (getattr(self.library, name)(error).decode() for name in ("onnxpress_error_text", "onnxpress_error_hint"))
        self.library.onnxpress_error_free(error)
        raise RuntimeError(f"{text}\n{hint}" if hint else text)

    def load(self, content):
        model = c_void_p()
        self.call("load_bytes", content, c_size_t(len(content)), None, byref(model))
        return model

    def change(self, name, model, options=None):
        """The report, as Python values."""
        report = c_void_p()
        try:
            self.call(name, model, byref(options) if options else None, byref(report))
            return json.loads(self.library.onnxpress_report_json(report))
        finally:
            self.library.onnxpress_report_free(report)

    def save(self, model):
        content, count = c_void_p(), c_size_t()
        self.call("save_bytes", model, None, byref(content), byref(count))
        try:
            return ctypes.string_at(content, count.value)
        finally:
            self.library.onnxpress_bytes_free(content)


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    onnxpress = Onnxpress(sys.argv[1])
    with open(sys.argv[2], "rb") as file:
        before = file.read()
    model = onnxpress.load(before)
    try:
        optimized = onnxpress.change("optimize", model, OptimizeOptions(target=b"standard"))
        onnxpress.change("shrink", model)
        after = onnxpress.save(model)
    finally:
        onnxpress.library.onnxpress_model_free(model)
    with open(sys.argv[3], "wb") as file:
        file.write(after)
    print(f"{optimized['nodes_before']} -> {optimized['nodes_after']} nodes, {len(before)} -> {len(after)} bytes")


if __name__ == "__main__":
    main()

"""Defines a hostile case: how to make its files, what to run, and what the program must say."""
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Optional

DONE, NO, BAD_INPUT = 0, 1, 3
ANY = (DONE, NO, BAD_INPUT)  # the answer does not matter, but it must come quickly and without a crash


@dataclass
class Run:
    """One command line. Words are relative to the case's folder, where `in/model.onnx` is the hostile model and `out` is empty."""
    arguments: list
    code: object = BAD_INPUT  # or a tuple of allowed codes
    message: str = ""  # must be part of what the program prints
    is_first: bool = False  # the first run of its case


@dataclass
class Case:
    name: str
    make: object  # bytes: the content of in/model.onnx; or a function(folder) that writes files
    runs: list
    after: Optional[Callable[[Path], None]] = None  # further checks; raises AssertionError
    changes: tuple = field(default=())  # files outside `out` that this case may create or change

    def write_files(self, folder):
        for each in ("in", "out", "canary"):
            (folder / each).mkdir(parents=True)
        (folder / "canary" / "secret.bin").write_bytes(SECRET)
        if callable(self.make):
            self.make(folder)
        else:
            (folder / "in" / "model.onnx").write_bytes(self.make)


MODEL = "in/model.onnx"
# Content of a file outside every model's folder; nothing may read it into a model or change it. Sixteen bytes: a 2x2 float tensor.
SECRET = b"canary secret 16"


def check(code=NO, message=""):
    return Run(["check", MODEL], code, message)


def info(code=DONE, message=""):
    return Run(["info", MODEL], code, message)


def convert(code=DONE, message="", options=()):
    return Run(["convert", MODEL, "out/converted.onnx", *options], code, message)


def refused(message):
    """A file that cannot be read: every command gives the same message."""
    return [check(BAD_INPUT, message), info(BAD_INPUT, message), convert(BAD_INPUT, message)]


def shown_and_written():
    """Even an odd graph can be shown and written again. Commands and forms that have to interpret it may refuse it."""
    return [info(DONE), convert(DONE), Run(["convert", MODEL, "out/anew.onnx", "--encode-anew"], (DONE, BAD_INPUT)),
            Run(["convert", MODEL, "out/converted.json"], (DONE, BAD_INPUT)), Run(["convert", MODEL, "out/converted.onnxtxt"], (DONE, BAD_INPUT)),
            Run(["optimize", MODEL, "-o", "out/optimized.onnx"], (DONE, BAD_INPUT)), Run(["profile", MODEL], (DONE, BAD_INPUT))]


def readable(problem=None):
    """A file that can be read; `check` names the problem, if there is one."""
    return [check(NO, problem) if problem else check(DONE), *shown_and_written()]


def tolerated(oddity):
    """Not quite what the standard says, or worth knowing; `check` mentions it, but the model is valid."""
    return [check(DONE, oddity), *shown_and_written()]

"""What the functions in _tasks.py share: models from anything, options to JSON, reports from JSON."""

from __future__ import annotations

import functools
import inspect
import json
import os
import shlex
from typing import IO, Any, Callable, Mapping, Protocol, Sequence, TypeVar, Union, cast

from . import _onnxpress
from ._onnxpress import Error, Model
from ._report import Report, report_on


class ModelProto(Protocol):
    """An interface like that of onnx.ModelProto, so that onnx need not be imported."""

    def SerializeToString(self) -> bytes: ...


ModelLike = Union[Model, str, "os.PathLike[str]", bytes, ModelProto, IO[bytes]]
Names = Union[str, Sequence[str]]
Bindings = Union[Names, Mapping[str, Any]]
# Tasks that may run the model, to compare outputs or to choose bits.
RUN_MODELS = ("optimize", "quantize", "shrink")
Progress = Union[None, bool, Callable[[int, int], None]]


def as_model(model: ModelLike) -> Model:
    return model if isinstance(model, Model) else Model.load(model)


def _text(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return ",".join("?" if each is None else str(each) for each in value)
    return str(value)


def _option(value: Any) -> Any:
    if isinstance(value, Mapping):
        return [f"{name}={_text(each)}" for name, each in value.items()]
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, (tuple, set, frozenset)):
        return [str(each) for each in value]
    return value


def to_json(options: Mapping[str, Any]) -> str:
    return json.dumps({name: _option(value) for name, value in options.items() if value is not None})


def ort_library(options: Mapping[str, Any]) -> str:
    """Path of the ONNX Runtime that this Python would import, for tasks that run models; empty: the library looks for one."""
    if os.environ.get("ONNXPRESS_ORT") or options.get("engine") == "onnxpress":
        return ""
    import importlib.util
    from pathlib import Path

    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")  # a value that the user has set is kept
    found = importlib.util.find_spec("onnxruntime")
    for folder in (found.submodule_search_locations or []) if found else []:
        for library in sorted(Path(folder, "capi").glob("libonnxruntime.so*"), reverse=True):
            return str(library)
    return ""


class _Bar:
    """A bar of tqdm if it is installed; otherwise none."""

    def __init__(self, title: str) -> None:
        try:
            from tqdm.auto import tqdm

            self._bar: Any = tqdm(desc=title, unit="B", unit_scale=True)
        except ImportError:
            self._bar = None

    def __call__(self, done: int, total: int) -> None:
        if self._bar is not None:
            self._bar.total = total
            self._bar.update(done - self._bar.n)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


def run_task(
    task: str, source: ModelLike, options: Mapping[str, Any], output: Union[None, str, "os.PathLike[str]"], progress: Progress
) -> Report:
    model = as_model(source)
    bar = _Bar(task) if progress is True else None
    try:
        library = ort_library(options) if task in RUN_MODELS else ""
        report = model._run_task(task, to_json(options), bar or (progress or None), library)
    finally:
        if bar:
            bar.close()
    saved = None
    if output is not None and not json.loads(report).get("refused"):
        saved = json.loads(model._save(os.fspath(output), "{}"))
    return report_on(report, model, path=model.path, saved=saved)


def _as_call(command_line: str) -> str:
    """"onnxpress quantize MODEL --to int8" -> "onnxpress.quantize(model, to='int8')"."""
    calls = []
    for line in command_line.split(" && "):
        _, task, *words = shlex.split(line)
        arguments = ["model" if word in ("MODEL", "A") else "other" for word in words if word in ("MODEL", "A", "B")]
        options: dict[str, list[str]] = {}
        for word in words:
            if word.startswith("-"):
                name = "output" if word == "-o" else word.lstrip("-").replace("-", "_")
                options[name] = []
            elif options:
                options[name].append(word)
        for name, values in options.items():
            value = " ".join(values)
            plain = value.replace(".", "", 1).isdigit()
            arguments.append(f"{name}={'True' if not values else value if plain else repr(value)}")
        calls.append(f"onnxpress.{task}({', '.join(arguments)})")
    return ", then ".join(calls)


def _refuse_moved(task: str, models: int, options: Mapping[str, Any]) -> None:
    """Raises Error if some of the options have moved to another task or name."""
    words = ["A", "B"] if models == 2 else ["MODEL"]
    for name, value in options.items():
        if name == "output" or value is None or value is False:
            continue
        flag = "--" + name.replace("_", "-")
        given = _option(value)
        words.append(flag if given is True else f"{flag}={','.join(given) if isinstance(given, list) else given}")
    answer = _onnxpress._moved_answer(task, words)
    if answer is None:
        return
    problem = answer[0].replace("--", "").replace("-", "_")
    hint = _as_call(answer[1])
    error = Error(f"{problem}\nhint: {hint}")
    error.file, error.where, error.message, error.hint = "", "", problem, hint
    raise error


F = TypeVar("F", bound=Callable[..., Any])


def knows_moved(function: F) -> F:
    """Lets a task answer keywords that it had once: with an Error that shows the call that is meant."""
    known = set(inspect.signature(function).parameters)

    @functools.wraps(function)
    def call(*models: Any, **options: Any) -> Any:
        if not known.issuperset(options):
            _refuse_moved(function.__name__, len(models), options)
        return function(*models, **options)

    return cast(F, call)


def save(model: Model, path: Union[str, "os.PathLike[str]"], **options: Any) -> Report:
    """Implements Model.save()."""
    return report_on(model._save(os.fspath(path), to_json(options)), model)


def restored(content: bytes, path: str) -> Model:
    """Implements pickling of models."""
    model = Model.load(content)
    model._set_path(path)
    return model

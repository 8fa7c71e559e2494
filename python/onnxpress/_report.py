"""Reports of tasks: what `--json` prints, as objects."""

from __future__ import annotations

import json
from typing import Any, Iterator, SupportsIndex, overload

from . import _table


class Rows(list["Report"]):
    """The entries of a report's list, printed as a table.

    >>> onnxpress.profile("model.onnx").ops[:3]
    """

    @overload
    def __getitem__(self, index: SupportsIndex) -> Report: ...
    @overload
    def __getitem__(self, index: slice) -> Rows: ...
    def __getitem__(self, index: Any) -> Any:
        found = super().__getitem__(index)
        return Rows(found) if isinstance(index, slice) else found

    def __repr__(self) -> str:
        return _table.text_of_rows([each._fields for each in self])

    def _repr_html_(self) -> str:
        return _table.html_of_rows([each._fields for each in self])


def _wrapped(value: Any) -> Any:
    if isinstance(value, dict):
        return Report(value)
    if isinstance(value, list):
        wrapped = [_wrapped(each) for each in value]
        return Rows(wrapped) if wrapped and all(isinstance(each, Report) for each in wrapped) else wrapped
    return value


class Report:
    """What a task found and did. Fields are attributes; docs/ lists those of each task. Its repr is a table.

    >>> report = onnxpress.profile("model.onnx")
    >>> report.macs.value, report.ops[0].op
    >>> print(report)
    """

    def __init__(self, fields: dict[str, Any], model: Any = None) -> None:
        self._fields = fields
        self._model = model

    @property
    def model(self) -> Any:
        """The model that the task worked on, or made. (In the report of info(), a field of that name takes precedence.)

        >>> onnxpress.extract(model, outputs=["hidden"]).model.save("part.onnx")
        """
        return _wrapped(self._fields["model"]) if "model" in self._fields else self._model

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return _wrapped(self._fields[name])
        except KeyError:
            raise AttributeError(f"the report has no field {name!r}; it has {', '.join(self._fields)}") from None

    def __getitem__(self, name: str) -> Any:
        return _wrapped(self._fields[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __contains__(self, name: object) -> bool:
        return name in self._fields

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._fields]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Report) and self._fields == other._fields

    def to_dict(self) -> dict[str, Any]:
        """The whole report as plain dicts, lists, strings and numbers.

        >>> onnxpress.info("model.onnx").to_dict()["nodes"]
        """
        copied: dict[str, Any] = json.loads(json.dumps(self._fields))
        return copied

    def to_json(self) -> str:
        """The same as `--json` prints.

        >>> print(onnxpress.check("model.onnx").to_json())
        """
        return json.dumps(self._fields, indent=2)

    def __repr__(self) -> str:
        return _table.text_of(self._fields)

    def _repr_html_(self) -> str:
        return _table.html_of(self._fields)


# Paths, which are empty for models in memory.
_PATHS = ("file", "output", "input", "first", "second", "before", "after")
# What only a call that writes the file itself can say.
_OF_FILES = ("dry_run", "unchanged")


def _without_files(value: Any) -> Any:
    """The entries of lists and objects without empty `file`."""
    if isinstance(value, dict):
        return {name: _without_files(each) for name, each in value.items() if name != "file" or each != ""}
    if isinstance(value, list):
        return [_without_files(each) for each in value]
    return value


def report_on(text: str, model: Any = None, *, path: str = "", saved: dict[str, Any] | None = None) -> Report:
    """The report of a task on a model in memory, without fields about files that there are none of.

    `path`: the file that the model was read from; `saved`: the report of saving it, if it was saved.
    """
    fields: dict[str, Any] = json.loads(text)
    if saved is not None:
        fields.update({name: saved[name] for name in ("output", "files") if name in fields})
    elif fields.get("output") == "":
        fields = {name: value for name, value in fields.items() if name not in _OF_FILES}
    if path and fields.get("file") == "":
        fields["file"] = path
    return Report(_without_files({name: value for name, value in fields.items() if name not in _PATHS or value != ""}), model)

"""Reports of tasks: what `--json` prints, as objects."""

from __future__ import annotations

import json
from html import escape
from typing import Any, Iterator


def _wrapped(value: Any) -> Any:
    if isinstance(value, dict):
        return Report(value)
    if isinstance(value, list):
        return [_wrapped(each) for each in value]
    return value


class Report:
    """What a task found and did. Fields are attributes; docs/ lists those of each task.

    >>> report = onnxpress.profile("model.onnx")
    >>> report.macs.value, report.ops[0].op
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
        parts = (f"{k}={v!r}" for k, v in self._fields.items() if not isinstance(v, (dict, list)))
        return f"Report({', '.join(parts)})"

    def _repr_html_(self) -> str:
        return _table(self._fields)


_MOST_ROWS = 50


def _cell(value: Any) -> str:
    if isinstance(value, dict):
        return _table(value)
    if isinstance(value, list):
        return _rows(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return escape("" if value is None else str(value))


def _table(fields: dict[str, Any]) -> str:
    rows = "".join(f"<tr><th style='text-align:left'>{escape(k)}</th><td>{_cell(v)}</td></tr>" for k, v in fields.items())
    return f"<table>{rows}</table>"


def _rows(items: list[Any]) -> str:
    if not items:
        return ""
    if not all(isinstance(each, dict) for each in items):
        shown = ", ".join(_cell(each) for each in items[:_MOST_ROWS])
        return shown + (", ..." if len(items) > _MOST_ROWS else "")
    names = list(items[0])
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    body = "".join(
        "<tr>" + "".join(f"<td>{_cell(each.get(name))}</td>" for name in names) + "</tr>" for each in items[:_MOST_ROWS]
    )
    more = f"<tr><td colspan='{len(names)}'>... {len(items) - _MOST_ROWS:,} more</td></tr>" if len(items) > _MOST_ROWS else ""
    return f"<table><tr>{head}</tr>{body}{more}</table>"

"""Reports as tables of text and HTML."""

from __future__ import annotations

from html import escape
from typing import Any, Sequence

_MOST_ROWS = 50  # in HTML
_FEW_ROWS = 8  # of a list, in text
_WIDEST = 48  # characters of a cell
_DEEPEST = 2  # objects in objects that are shown


def _is_set(value: Any) -> bool:
    return value is not None and value != "" and value != [] and value != {}


def _text(value: Any) -> str:
    """A cell: one line, not too long."""
    if value is None:
        return ""
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, dict):
        value = ", ".join(f"{name} {_text(each)}" for name, each in value.items() if _is_set(each))
    elif isinstance(value, list):
        shown = ", ".join(_text(each) for each in value[:_FEW_ROWS])
        value = shown + (f", ... {len(value):,} in all" if len(value) > _FEW_ROWS else "")
    line = str(value).encode("unicode_escape", "replace").decode("ascii") if not str(value).isprintable() else str(value)
    return line if len(line) <= _WIDEST else line[: _WIDEST - 3] + "..."


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _aligned(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[str]:
    """Lines of a table; columns of numbers are aligned on the right."""
    texts = [list(head), *([_text(cell) for cell in row] for row in rows)]
    columns = range(len(head))
    widths = [max(len(line[i]) for line in texts) for i in columns]
    right = [any(_is_number(row[i]) for row in rows) and all(row[i] is None or _is_number(row[i]) for row in rows) for i in columns]
    return ["  ".join(line[i].rjust(widths[i]) if right[i] else line[i].ljust(widths[i]) for i in columns).rstrip() for line in texts]


def _lines_of_rows(rows: Sequence[dict[str, Any]], most: int) -> list[str]:
    names = [name for name in rows[0] if any(_is_set(row.get(name)) for row in rows[:most])]
    lines = _aligned(names, [[row.get(name) for name in names] for row in rows[:most]])
    return [*lines, f"... {len(rows) - most:,} more"] if len(rows) > most else lines


def _lines(fields: dict[str, Any], depth: int) -> list[str]:
    width = max((len(name) for name, value in fields.items() if _is_set(value)), default=0)
    lines: list[str] = []
    for name, value in fields.items():
        if not _is_set(value):
            continue
        if isinstance(value, dict) and depth < _DEEPEST:
            block = _lines(value, depth + 1) or [""]
        elif isinstance(value, list) and isinstance(value[0], dict) and depth < _DEEPEST:
            block = _lines_of_rows(value, _FEW_ROWS)
        else:
            block = [_text(value)]
        lines.append(f"{name.ljust(width)}  {block[0]}".rstrip())
        lines.extend(f"{' ' * width}  {line}" for line in block[1:])
    return lines


def text_of(fields: dict[str, Any]) -> str:
    """One line for each field that has a value, with tables inside; the others are named at the end."""
    lines = _lines(fields, 0)
    empty = [name for name, value in fields.items() if not _is_set(value)]
    if empty:
        lines.append(f"(nothing: {', '.join(empty)})")
    return "\n".join(lines)


def text_of_rows(rows: Sequence[dict[str, Any]]) -> str:
    """A table with one line for each row."""
    return "\n".join(_lines_of_rows(rows, _MOST_ROWS)) if rows else "[]"


def _cell(value: Any) -> str:
    if isinstance(value, dict):
        return html_of(value)
    if isinstance(value, list):
        return html_of_rows(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return escape("" if value is None else str(value))


def html_of(fields: dict[str, Any]) -> str:
    rows = "".join(f"<tr><th style='text-align:left'>{escape(k)}</th><td>{_cell(v)}</td></tr>" for k, v in fields.items())
    return f"<table>{rows}</table>"


def html_of_rows(items: Sequence[Any]) -> str:
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

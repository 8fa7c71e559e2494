"""Many models at once: on the processes of one machine, or on a Ray cluster."""

from __future__ import annotations

import os
from typing import Any, Iterable, Iterator, Sequence, Union

PathLike = Union[str, "os.PathLike[str]"]


def _work(path: str, task: str, output: str | None, options: dict[str, Any]) -> dict[str, Any]:
    """Runs the task on one model, in a worker process; errors are returned as rows."""
    from . import _tasks
    from ._onnxpress import Error, Model

    row: dict[str, Any] = {"file": path, "task": task, "error": None, "output": None}
    try:
        model = Model.load(path)
        report = getattr(_tasks, task)(model, **options)
        if output is not None:
            report.model.save(output)
            row["output"] = output
        row.update({k: v for k, v in report.to_dict().items() if not isinstance(v, (list, dict)) and k not in row})
        row["report"] = report.to_dict()
    except (Error, OSError, MemoryError) as error:
        row["error"] = str(error) or repr(error)
    return row


class BatchResult:
    """One row for each model, in the order of the paths: the plain fields of its report, or the error.

    >>> result = onnxpress.batch("models/", "profile")
    >>> [row["file"] for row in result.errors]
    """

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows)

    def __getitem__(self, index: int) -> dict[str, Any]:
        return self.rows[index]

    @property
    def errors(self) -> list[dict[str, Any]]:
        """The rows of models that failed.

        >>> [(row["file"], row["error"]) for row in result.errors]
        """
        return [row for row in self.rows if row["error"] is not None]

    def columns(self) -> list[str]:
        """Names of the plain fields that some row has.

        >>> result.columns()
        """
        names: dict[str, None] = {}
        for row in self.rows:
            names.update({name: None for name in row if name != "report"})
        return list(names)

    def to_csv(self, path: PathLike) -> None:
        """Writes the table; nested parts of reports are left out.

        >>> result.to_csv("profiles.csv")
        """
        import csv

        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, self.columns(), extrasaction="ignore")
            writer.writeheader()
            writer.writerows(self.rows)

    def to_parquet(self, path: PathLike) -> None:
        """The same as Parquet; needs pyarrow.

        >>> result.to_parquet("profiles.parquet")
        """
        import pyarrow
        import pyarrow.parquet

        table = pyarrow.Table.from_pylist([{name: row.get(name) for name in self.columns()} for row in self.rows])
        pyarrow.parquet.write_table(table, os.fspath(path))

    def __repr__(self) -> str:
        return f"<onnxpress.BatchResult {len(self.rows)} models, {len(self.errors)} failed>"

    def _repr_html_(self) -> str:
        from ._table import html_of_rows

        return html_of_rows([{name: row.get(name) for name in self.columns()} for row in self.rows])


def _paths(paths: Union[PathLike, Iterable[PathLike]]) -> list[str]:
    """A folder stands for all models in it, a pattern for the files it matches."""
    from glob import glob
    from pathlib import Path

    named = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    found: list[str] = []
    for path in named:
        each = os.fspath(path)
        if os.path.isdir(each):
            found.extend(sorted(str(p) for p in Path(each).rglob("*.onnx")))
        elif not os.path.exists(each) and any(c in each for c in "*?["):
            found.extend(sorted(glob(each)))
        else:
            found.append(each)
    return found


def _outputs(paths: list[str], folder: PathLike | None) -> list[str | None]:
    if folder is None:
        return [None] * len(paths)
    os.makedirs(folder, exist_ok=True)
    taken: set[str] = set()
    made: list[str | None] = []
    for path in paths:
        stem, ending = os.path.splitext(os.path.basename(path))
        name, number = f"{stem}{ending}", 1
        while name in taken:
            number += 1
            name = f"{stem}-{number}{ending}"
        taken.add(name)
        made.append(os.path.join(os.fspath(folder), name))
    return made


class _Bar:
    def __init__(self, title: str, total: int, wanted: bool) -> None:
        self._bar: Any = None
        if wanted:
            try:
                from tqdm.auto import tqdm

                self._bar = tqdm(total=total, desc=title)
            except ImportError:
                pass

    def step(self) -> None:
        if self._bar is not None:
            self._bar.update()

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


Job = tuple[str, str, "str | None", dict[str, Any]]


def _on_processes(jobs: list[Job], workers: int | None, retries: int, bar: _Bar) -> list[dict[str, Any]]:
    """Processes on this machine; one that dies is replaced, and its model tried again."""
    from ._workers import Pool

    def died(job: Sequence[Any]) -> dict[str, Any]:
        return {"file": job[0], "task": job[1], "error": "the worker process died", "output": None}

    return Pool(_work, jobs, retries, bar.step).run(max(1, workers or os.cpu_count() or 1), died)


def _on_ray(jobs: list[Job], cluster: str | None, retries: int, bar: _Bar) -> list[dict[str, Any]]:
    """Runs Ray tasks: if a worker dies, it is replaced and its task runs again."""
    import ray

    if not ray.is_initialized():
        ray.init(address=cluster)
    remote = ray.remote(max_retries=retries)(_work)
    pending = {remote.remote(*job): index for index, job in enumerate(jobs)}
    rows: list[dict[str, Any] | None] = [None] * len(jobs)
    while pending:
        done, _ = ray.wait(list(pending), num_returns=1)
        for reference in done:
            index = pending.pop(reference)
            try:
                rows[index] = ray.get(reference)
            except Exception as error:  # whatever happened to the worker, the other models go on
                path, task, _, _ = jobs[index]
                rows[index] = {"file": path, "task": task, "error": f"{type(error).__name__}: {error}"[:2000], "output": None}
            bar.step()
    return [row for row in rows if row is not None]


def batch(
    paths: Union[PathLike, Iterable[PathLike]],
    task: str,
    *,
    output_dir: PathLike | None = None,
    workers: int | None = None,
    cluster: str | bool | None = None,
    retries: int = 2,
    progress: bool = False,
    **options: Any,
) -> BatchResult:
    """Runs a task on many models: a folder, a pattern, or a list of paths. One bad model never stops the others.

    A script needs no `if __name__ == "__main__":` around the call.

    >>> onnxpress.batch("models/", "quantize", output_dir="small/", to="int8").to_csv("table.csv")

    task: "shrink", "quantize", "optimize", "profile", "check", ...: a function of this package
    output_dir: write the changed models there
    workers: number of processes (default: one for each core)
    cluster: "ray://host:10001", "auto" or another address of a Ray cluster, or True for the one that is already running
    retries: how often to try a model again if its worker died
    progress: show one bar for all models, if tqdm is installed
    **options: options of the task
    """
    from . import _tasks

    if not callable(getattr(_tasks, task, None)):
        raise ValueError(f"there is no task {task!r}")
    found = _paths(paths)
    jobs: list[Job] = [(path, task, output, options) for path, output in zip(found, _outputs(found, output_dir))]
    bar = _Bar(task, len(jobs), progress)
    try:
        if cluster:
            return BatchResult(_on_ray(jobs, cluster if isinstance(cluster, str) else None, retries, bar))
        return BatchResult(_on_processes(jobs, workers, retries, bar))
    finally:
        bar.close()

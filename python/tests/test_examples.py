"""Runs each script of examples/python, unchanged, in its own folder; the scripts themselves assert what they claim about the model."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "python"


def run(name, folder, *words):
    # The sanitizer's runtime comes from the environment.
    done = subprocess.run([sys.executable, str(EXAMPLES / name), *words], cwd=folder, capture_output=True, text=True, timeout=300,
                          env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def test_edit_a_graph(tmp_path):
    out = run("edit_a_graph.py", tmp_path)
    assert "refused: node 'stem_conv' (Conv) has no attribute 'lol'" in out and "is an output" in out
    onnx = pytest.importorskip("onnx")
    onnx.checker.check_model(onnx.load(tmp_path / "edited.onnx"), full_check=True)


def test_cut_out_a_subgraph(tmp_path):
    out = run("cut_out_a_subgraph.py", tmp_path)
    assert "level 2: ['r2', 'x1'] -> ['scores']" in out
    assert (tmp_path / "residual_subgraph.onnx").exists()


def test_fuse_attention(tmp_path):
    out = run("fuse_attention.py", tmp_path)
    assert "20 nodes became one, 3 times" in out and "'Softmax0_axis': -1" in out
    ort = pytest.importorskip("onnxruntime")
    session = ort.InferenceSession(str(tmp_path / "attention.onnx"), providers=["CPUExecutionProvider"])
    assert session.run(None, {"h0": np.ones((2, 5, 8), np.float32)})[0].shape == (2, 5, 8)


def test_shapes_at_any_size(tmp_path):
    out = run("shapes_at_any_size.py", tmp_path)
    assert "(3, 2, 155, 155) 576,600 bytes" in out
    assert (tmp_path / "compute_graph.onnx").exists()


def test_shrink_a_folder(tmp_path):
    (tmp_path / "in").mkdir()
    sys.path.insert(0, str(EXAMPLES))
    try:
        from small_models import residual_network
    finally:
        sys.path.remove(str(EXAMPLES))
    for i in range(2):
        residual_network(blocks=i + 1).save(tmp_path / "in" / f"m{i}.onnx")
    out = run("shrink_a_folder.py", tmp_path, "in", "out")
    assert out.count("multiply-adds") == 2 and (tmp_path / "out" / "table.csv").exists()

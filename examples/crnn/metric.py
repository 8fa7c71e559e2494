"""Loss and accuracy of a text reader, for `onnxpress verify --metric metric.py`.

outputs: for each image a dict with the probabilities [T, N, classes]; labels: the right class of each image at each step, [images, T].
"""
import numpy as np


def metric(outputs, labels):
    given = np.stack([np.moveaxis(each["probabilities"], 1, 0)[0] for each in outputs])  # [images, T, classes]
    right = np.take_along_axis(given, labels[..., None], axis=-1)[..., 0]
    return {"cross-entropy": -np.log(np.maximum(right, 1e-12)).mean(), "accuracy": (given.argmax(-1) == labels).mean()}

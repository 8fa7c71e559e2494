#!/usr/bin/env python3
"""Makes crnn.onnx: a convolutional recurrent network as used for reading lines of text, with 1.49 million random parameters.

    python make_crnn.py crnn.onnx                  # as exporters write it; needs only the packages onnx and numpy
    python make_crnn.py crnn.onnx --from torch     # exported by PyTorch, if it is installed
    python make_crnn.py crnn.onnx --from keras     # exported by Keras and tf2onnx, if they are installed

Four convolutions with BatchNormalization and Relu, two bidirectional LSTMs, two dense layers, Softmax over 505 classes at each step. The
input is a batch of grey images, 32 pixels high and of any width.
"""
import argparse
import inspect

CHANNELS, HIDDEN, DENSE, CLASSES, HEIGHT = (32, 64, 128, 128), 128, 256, 505, 32
POOLS = ((2, 2), (2, 2), (2, 1), (1, 1))  # height and width


def with_onnx(path):
    """Node by node, with what exporters leave behind: shapes computed at run time, separate BatchNormalization, Dropout, Identity."""
    import numpy as np
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    numbers = np.random.default_rng(7)
    nodes, weights = [], []

    def weight(name, *shape, scale=None):
        scale = scale or (1 / np.sqrt(np.prod(shape[1:]) or 1))
        weights.append(numpy_helper.from_array((numbers.standard_normal(shape) * scale).astype(np.float32), name))
        return name

    def vector(name, array):
        weights.append(numpy_helper.from_array(array.astype(np.float32), name))
        return name

    def integers(name, values):
        weights.append(numpy_helper.from_array(np.array(values, np.int64), name))
        return name

    def add(op, inputs, output, **attributes):
        nodes.append(helper.make_node(op, inputs, [output], f"/{output}", **attributes))
        return output

    last, before = "image", 1
    for i, (channels, pool) in enumerate(zip(CHANNELS, POOLS)):
        last = add("Conv", [last, weight(f"conv{i}.weight", channels, before, 3, 3), vector(f"conv{i}.bias", numbers.normal(size=channels) / 9)],
                   f"conv{i}", kernel_shape=[3, 3], pads=[1, 1, 1, 1])
        last = add("BatchNormalization", [last, vector(f"norm{i}.scale", numbers.uniform(0.5, 1.5, channels)),
                                          vector(f"norm{i}.bias", numbers.normal(size=channels) / 9),
                                          vector(f"norm{i}.mean", numbers.normal(size=channels) / 9),
                                          vector(f"norm{i}.variance", numbers.uniform(0.5, 1.5, channels))], f"norm{i}", epsilon=1e-5)
        last = add("Relu", [last], f"relu{i}")
        if pool != (1, 1):
            last = add("MaxPool", [last], f"pool{i}", kernel_shape=list(pool), strides=list(pool))
        before = channels
    # [N, 128, 4, W] -> [W, N, 512], with sizes taken from the tensor itself.
    last = add("Identity", [last], "features")
    last = add("Transpose", [last], "steps", perm=[3, 0, 1, 2])
    shape = add("Shape", [last], "shape")
    parts = []
    for i in (0, 1):
        size = add("Gather", [shape, integers(f"index{i}", i)], f"size{i}", axis=0)
        parts.append(add("Unsqueeze", [size, integers(f"axis{i}", [0])], f"part{i}"))
    width = CHANNELS[-1] * HEIGHT // 8
    last = add("Reshape", [last, add("Concat", [*parts, integers("features_size", [width])], "target", axis=0)], "sequence")
    for i in range(2):
        last = add("LSTM", [last, weight(f"lstm{i}.weight", 2, 4 * HIDDEN, width, scale=1 / np.sqrt(HIDDEN)),
                            weight(f"lstm{i}.recurrent", 2, 4 * HIDDEN, HIDDEN, scale=1 / np.sqrt(HIDDEN)),
                            weight(f"lstm{i}.bias", 2, 8 * HIDDEN, scale=0.1)], f"lstm{i}", direction="bidirectional", hidden_size=HIDDEN)
        last = add("Transpose", [last], f"turned{i}", perm=[0, 2, 1, 3])
        last = add("Reshape", [last, integers(f"flat{i}", [0, 0, 2 * HIDDEN])], f"joined{i}")
        width = 2 * HIDDEN
    for i, size in enumerate((DENSE, CLASSES)):
        last = add("MatMul", [last, weight(f"dense{i}.weight", width, size, scale=1 / np.sqrt(width))], f"product{i}")
        last = add("Add", [vector(f"dense{i}.bias", numbers.normal(size=size) / 9), last], f"dense{i}")
        if i == 0:
            last = add("Dropout", [add("Relu", [last], "hidden")], "dropped")
        width = size
    add("Softmax", [last], "probabilities", axis=-1)
    graph = helper.make_graph(nodes, "crnn", [helper.make_tensor_value_info("image", TensorProto.FLOAT, ["N", 1, HEIGHT, "W"])],
                              [helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, ["T", "N", CLASSES])], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8, producer_name="make_crnn")
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, path)


def with_torch(path):
    import torch
    from torch import nn

    class Crnn(nn.Module):
        def __init__(self):
            super().__init__()
            layers, before = [], 1
            for channels, pool in zip(CHANNELS, POOLS):
                layers += [nn.Conv2d(before, channels, 3, padding=1), nn.BatchNorm2d(channels), nn.ReLU()]
                layers += [nn.MaxPool2d(pool)] if pool != (1, 1) else []
                before = channels
            self.features = nn.Sequential(*layers)
            self.rnn = nn.LSTM(CHANNELS[-1] * HEIGHT // 8, HIDDEN, num_layers=2, bidirectional=True)
            self.head = nn.Sequential(nn.Linear(2 * HIDDEN, DENSE), nn.ReLU(), nn.Dropout(), nn.Linear(DENSE, CLASSES), nn.Softmax(-1))

        def forward(self, image):
            steps = self.features(image).permute(3, 0, 1, 2)
            return self.head(self.rnn(steps.reshape(steps.shape[0], steps.shape[1], -1))[0])

    torch.manual_seed(7)
    settings = {"input_names": ["image"], "output_names": ["probabilities"], "opset_version": 18}
    if "external_data" in inspect.signature(torch.onnx.export).parameters:  # from PyTorch 2.5 on; else it writes two files
        image = torch.export.Dim("N"), None, None, torch.export.Dim("W", min=8)
        torch.onnx.export(Crnn().eval(), (torch.zeros(2, 1, HEIGHT, 128),), path, dynamo=True, external_data=False,
                          dynamic_shapes={"image": image}, **settings)
    else:
        torch.onnx.export(Crnn().eval(), torch.zeros(1, 1, HEIGHT, 128), path,
                          dynamic_axes={"image": {0: "N", 3: "W"}, "probabilities": {0: "T", 1: "N"}}, **settings)


def with_keras(path):
    import tensorflow as tf
    import tf2onnx

    tf.random.set_seed(7)
    layers = tf.keras.layers
    image = layers.Input((HEIGHT, 128, 1), name="image")
    x = image
    for channels, pool in zip(CHANNELS, POOLS):
        x = layers.ReLU()(layers.BatchNormalization()(layers.Conv2D(channels, 3, padding="same")(x)))
        x = layers.MaxPooling2D(pool)(x) if pool != (1, 1) else x
    x = layers.Permute((2, 1, 3))(x)
    x = layers.Reshape((-1, CHANNELS[-1] * HEIGHT // 8))(x)
    for _ in range(2):
        x = layers.Bidirectional(layers.LSTM(HIDDEN, return_sequences=True))(x)
    x = layers.Dense(CLASSES, activation="softmax")(layers.Dropout(0.5)(layers.Dense(DENSE, activation="relu")(x)))
    model = tf.keras.Model(image, x)
    tf2onnx.convert.from_keras(model, input_signature=(tf.TensorSpec((None, HEIGHT, 128, 1), tf.float32, name="image"),), opset=17,
                               output_path=path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path")
    parser.add_argument("--from", dest="source", choices=("onnx", "torch", "keras"), default="onnx")
    arguments = parser.parse_args()
    {"onnx": with_onnx, "torch": with_torch, "keras": with_keras}[arguments.source](arguments.path)


if __name__ == "__main__":
    main()

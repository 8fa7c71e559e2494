"""Tasks as functions. Made by scripts/update_python_tasks from the options of the library: do not edit."""

from __future__ import annotations

import os
from typing import Any, Literal, Mapping, Union

from ._calls import Bindings, ModelLike, Names, Progress, as_model, knows_moved, ort_library, run_task, to_json
from ._onnxpress import Model
from ._report import Report, report_on

Output = Union[None, str, "os.PathLike[str]"]


@knows_moved
def check(
    model: ModelLike,
    *,
    output: Output = None,
    progress: Progress = None,
    strict: Union[None, bool] = None,
    no_external: Union[None, bool] = None,
    limit: Union[None, int] = None,
) -> Report:
    """Checks whether the model is valid, and where it is not.

    >>> onnxpress.check('model.onnx').ok

    strict: warnings count as errors
    no_external: do not open external data files
    limit: how many findings to show per model (default 100); the rest are only counted
    output: also write the result here
    progress: called with what is done and the total; True shows a bar
    """
    options: dict[str, Any] = {"strict": strict, "no_external": no_external, "limit": limit}
    return run_task("check", model, options, output, progress)


@knows_moved
def convert(
    model: ModelLike, output: Union[str, "os.PathLike[str]"],
    *,
    to: Union[None, Literal["onnx", "text", "json"]] = None,
    elide: Union[None, int] = None,
    repair: Union[None, bool] = None,
    encode_anew: Union[None, bool] = None,
    external_data: Union[None, str] = None,
    external_threshold: Union[None, int] = None,
    external_attributes: Union[None, bool] = None,
    single_file: Union[None, bool] = None,
    overwrite_external: Union[None, bool] = None,
    strip_names: Union[None, bool] = None,
    strip_docs: Union[None, bool] = None,
    strip_metadata: Union[None, bool] = None,
    strip_value_info: Union[None, bool] = None,
) -> Report:
    """Writes the model in the form of its name (.onnx, .onnxtxt, .json), with weights inside or in external files.

    >>> onnxpress.convert('model.onnx', 'model.onnxtxt')

    to: form of the output, regardless of its name
    elide: text: shorten tensors with more elements than this
    repair: write the repairs made while reading: sorted nodes, missing opset imports
    encode_anew: encode everything again, in canonical form, instead of copying unchanged parts
    external_data: put large weights into a file next to the output (default: OUTPUT.data)
    external_threshold: weights smaller than this stay inside (default 1024)
    external_attributes: also move tensors out of Constant nodes and other attributes
    single_file: move weights from external files into the output
    overwrite_external: replace existing files when external files are copied to another folder
    strip_names: remove the names of nodes (names of inputs, outputs and weights stay)
    strip_docs: remove all documentation strings
    strip_metadata: remove metadata properties everywhere
    strip_value_info: remove the declared types of values inside the graph
    """
    options: dict[str, Any] = {"to": to, "elide": elide, "repair": repair, "encode_anew": encode_anew, "external_data": external_data, "external_threshold": external_threshold, "external_attributes": external_attributes, "single_file": single_file, "overwrite_external": overwrite_external, "strip_names": strip_names, "strip_docs": strip_docs, "strip_metadata": strip_metadata, "strip_value_info": strip_value_info}
    given = as_model(model)
    return report_on(given._save(os.fspath(output), to_json(options)), given)


@knows_moved
def diff(
    before: ModelLike, after: ModelLike,
    *,
    ignore: Union[None, Names] = None,
    tolerance: Union[None, float] = None,
    limit: Union[None, int] = None,
) -> Report:
    """Lists what differs between two models.

    >>> onnxpress.diff('a.onnx', 'b.onnx').equal

    ignore: ignore these
    tolerance: elements of tensors that differ by no more than this count as equal
    limit: how many differences to show of each kind (default 50); the rest are only counted
    """
    options: dict[str, Any] = {"ignore": ignore, "tolerance": tolerance, "limit": limit}
    return report_on(as_model(before)._diff(as_model(after), to_json(options)))


@knows_moved
def edit(
    model: ModelLike,
    *,
    output: Output = None,
    progress: Progress = None,
    rename: Union[None, Bindings] = None,
    remove_node: Union[None, Names] = None,
    set_attribute: Union[None, Bindings] = None,
    set_shape: Union[None, Bindings] = None,
    set_type: Union[None, Bindings] = None,
    add_output: Union[None, Names] = None,
    remove_output: Union[None, Names] = None,
    remove_input: Union[None, Names] = None,
    set_metadata: Union[None, Bindings] = None,
    doc: Union[None, str] = None,
) -> Report:
    """Makes common changes to a model, several at once, in place.

    >>> onnxpress.edit(model, rename={'input.1': 'image'}, set_shape={'input.1': ['N', 3, 224, 224]})

    rename: give a value, or a node, another name: old=new
    remove_node: remove these nodes: readers of their result read their operand instead
    set_attribute: set an attribute: node.attribute=value
    set_shape: shape of an input or output: x=N,3,224,224
    set_type: element type of an input or output, by inserting a Cast: x=float16
    add_output: values that also become outputs
    remove_output: outputs to remove, with the nodes that only they need
    remove_input: inputs to remove; nothing may read them, or they must have an initializer
    set_metadata: metadata of the model: key=value
    doc: documentation of the model
    output: also write the result here
    progress: called with what is done and the total; True shows a bar
    """
    options: dict[str, Any] = {"rename": rename, "remove_node": remove_node, "set_attribute": set_attribute, "set_shape": set_shape, "set_type": set_type, "add_output": add_output, "remove_output": remove_output, "remove_input": remove_input, "set_metadata": set_metadata, "doc": doc}
    return run_task("edit", model, options, output, progress)


@knows_moved
def expand(
    model: ModelLike,
    *,
    output: Output = None,
    progress: Progress = None,
) -> Report:
    """Undoes shrink(), in place: turns decoding nodes back into plain tensors.

    >>> onnxpress.expand('small.onnx', output='model.onnx')
    output: also write the result here
    progress: called with what is done and the total; True shows a bar
    """
    options: dict[str, Any] = {}
    return run_task("expand", model, options, output, progress)


@knows_moved
def extract(
    model: ModelLike,
    *,
    inputs: Union[None, Names] = None,
    outputs: Union[None, Names] = None,
    nodes: Union[None, Names] = None,
    prefix: Union[None, str] = None,
) -> Report:
    """Cuts a part out of the model; report.model is the part.

    >>> onnxpress.extract('model.onnx', inputs=['a'], outputs=['c']).model.save('part.onnx')

    inputs: values where the part begins (default: the inputs of the model)
    outputs: values where it ends (default: the outputs of the model)
    nodes: the nodes of the part by name, instead of where it begins and ends
    prefix: all nodes whose names begin with this
    """
    options: dict[str, Any] = {"inputs": inputs, "outputs": outputs, "nodes": nodes, "prefix": prefix}
    given = as_model(model)
    made, report = given._extract(to_json(options))
    return report_on(report, made, path=given.path)


@knows_moved
def infer(
    model: ModelLike,
    *,
    output: Output = None,
    progress: Progress = None,
    shape: Union[None, Bindings] = None,
    dim: Union[None, Bindings] = None,
    value: Union[None, Bindings] = None,
    custom_ops: Union[None, str] = None,
    trust_value_info: Union[None, bool] = None,
    all: Union[None, bool] = None,
    limit: Union[None, int] = None,
) -> Report:
    """Infers types and symbolic shapes of every value, and writes them into the model.

    >>> onnxpress.infer(model, dim={'batch': 8}).complete

    shape: shape of an input: x=1x3x224x224, or x=batch,3,H,W
    dim: size of a named dim: batch=8
    value: value of an input that shapes depend on: size=640,640
    custom_ops: a description of ops that are not built in: a model with functions (.onnxtxt, .onnx), or a text
            file of shape rules
    trust_value_info: use the types declared in the file where nothing can be inferred
    all: list every value with its type
    limit: how many unknown values to explain (default 20)
    output: also write the result here
    progress: called with what is done and the total; True shows a bar
    """
    options: dict[str, Any] = {"shape": shape, "dim": dim, "value": value, "custom_ops": custom_ops, "trust_value_info": trust_value_info, "all": all, "limit": limit}
    return run_task("infer", model, options, output, progress)


@knows_moved
def info(
    model: ModelLike,
    *,
    output: Output = None,
    progress: Progress = None,
    tensors: Union[None, bool] = None,
    sort: Union[None, Literal["size", "name", "order"]] = None,
    duplicates: Union[None, bool] = None,
    all_inputs: Union[None, bool] = None,
    interface: Union[None, bool] = None,
    compressed: Union[None, bool] = None,
    top: Union[None, int] = None,
) -> Report:
    """Shows what is in the model.

    >>> onnxpress.info('model.onnx').weights.parameters

    tensors: list every weight: initializers, Constant nodes, bodies and functions
    sort: order of that list: by size (default), by name, or as in the file
    duplicates: find weights that are stored more than once (reads the weights)
    all_inputs: list each input and output separately, including initializers that are inputs
    interface: list nothing but inputs and outputs
    compressed: also report the size after gzip -9, brotli -11 and zstd -19 (slow: about a second per megabyte)
    top: how many of the largest tensors and duplicates to show (default 10)
    output: also write the result here
    progress: called with what is done and the total; True shows a bar
    """
    options: dict[str, Any] = {"tensors": tensors, "sort": sort, "duplicates": duplicates, "all_inputs": all_inputs, "interface": interface, "compressed": compressed, "top": top}
    return run_task("info", model, options, output, progress)


@knows_moved
def merge(
    first: ModelLike, second: ModelLike,
    *,
    map: Union[None, Bindings] = None,
    prefix: Union[None, str] = None,
    keep_outputs: Union[None, bool] = None,
    share_inputs: Union[None, bool] = None,
) -> Report:
    """Joins two models; report.model is the result.

    >>> onnxpress.merge('a.onnx', 'b.onnx', map={'hidden': 'states'}).model

    map: connect an output of the first model to an input of the second: a_out=b_in (default: equal names)
    prefix: put this in front of all names of the second model
    keep_outputs: keep outputs of the first model that feed the second
    share_inputs: merge inputs of the same name (default: the second model's input gets another name)
    """
    options: dict[str, Any] = {"map": map, "prefix": prefix, "keep_outputs": keep_outputs, "share_inputs": share_inputs}
    made, report = as_model(first)._merge(as_model(second), to_json(options))
    return report_on(report, made)


@knows_moved
def optimize(
    model: ModelLike,
    *,
    output: Output = None,
    progress: Progress = None,
    exact: Union[None, bool] = None,
    approximate: Union[None, bool] = None,
    target: Union[None, Literal["standard", "ort"]] = None,
    shrink: Union[None, bool] = None,
    strip: Union[None, bool] = None,
    keep_layers: Union[None, bool] = None,
    freeze: Union[None, bool] = None,
    inline: Union[None, Names] = None,
    opset: Union[None, int] = None,
    rules: Union[None, str] = None,
    allow_growth: Union[None, bool] = None,
    verify: Union[None, bool] = None,
    costs: Union[None, bool] = None,
    only: Union[None, Names] = None,
    also: Union[None, Names] = None,
    skip: Union[None, Names] = None,
    fold_limit: Union[None, int] = None,
    stop_after: Union[None, int] = None,
    shape: Union[None, Bindings] = None,
    dim: Union[None, Bindings] = None,
    value: Union[None, Bindings] = None,
    engine: Union[None, Literal["ort", "onnxpress"]] = None,
) -> Report:
    """Gives the model fewer nodes, in place.

    >>> onnxpress.optimize(model, verify=True).nodes_after

    exact: only rewrites that keep every bit of the outputs
    approximate: also rewrites that change numbers slightly: the faster Gelu, ArgMax without the Softmax before it
    target: runtime that the result is for: standard (default: any), or ort: uses ONNX Runtime's own operators
            where its CPU kernels have them
    shrink: also make the file as small as possible, as `onnxpress shrink` does
    strip: remove texts in which exporters say where nodes come from, such as stack traces (option `shrink` does
            that, too)
    keep_layers: with `strip` and `shrink`: keep the names of layers, which `profile` shows
    freeze: turn initializers that callers could override into constants (old models)
    inline: replace calls of these functions by their bodies; `all` for all functions
    opset: convert the model to this version of the standard operator set first
    rules: your own rewrites: a model whose functions are patterns and replacements (docs/commands/fuse.md)
    allow_growth: compute constants even if the file grows, and write the result even if it is larger
    verify: run the model before and after on made-up inputs, and leave out rewrites that change the outputs
    costs: also count multiply-adds, parameters and bytes by op, before and after
    only: use only these rewrites (option `list` shows them)
    also: also use these rewrites, which are off by default (option `list` shows them)
    skip: skip these rewrites
    fold_limit: leave constants of more bytes than this to the runtime
    stop_after: stop after this many rewrites, to find the one that matters
    shape: shape of an input: x=1x3x224x224, or x=batch,3,H,W
    dim: size of a named dim: batch=8
    value: value of an input that shapes depend on: size=640,640
    engine: what runs the model: ort, or onnxpress (the built-in evaluator, which is slower); default: ort if it
            is found
    output: also write the result here
    progress: called with what is done and the total; True shows a bar
    """
    options: dict[str, Any] = {"exact": exact, "approximate": approximate, "target": target, "shrink": shrink, "strip": strip, "keep_layers": keep_layers, "freeze": freeze, "inline": inline, "opset": opset, "rules": rules, "allow_growth": allow_growth, "verify": verify, "costs": costs, "only": only, "also": also, "skip": skip, "fold_limit": fold_limit, "stop_after": stop_after, "shape": shape, "dim": dim, "value": value, "engine": engine}
    return run_task("optimize", model, options, output, progress)


@knows_moved
def profile(
    model: ModelLike,
    *,
    output: Output = None,
    progress: Progress = None,
    shape: Union[None, Bindings] = None,
    dim: Union[None, Bindings] = None,
    value: Union[None, Bindings] = None,
    custom_ops: Union[None, str] = None,
    cost: Union[None, str] = None,
    count: Union[None, Literal["mac", "flop", "onnx-tool", "fvcore", "thop"]] = None,
    device: Union[None, str] = None,
    align: Union[None, int] = None,
    sparsity: Union[None, bool] = None,
) -> Report:
    """Counts multiply-adds, parameters and memory, by op and by node.

    >>> onnxpress.profile('model.onnx', shape={'x': [1, 3, 224, 224]}).macs.value

    shape: shape of an input: x=1x3x224x224, or x=batch,3,H,W
    dim: size of a named dim: batch=8
    value: value of an input that shapes depend on: size=640,640
    custom_ops: a description of ops that are not built in: a model with functions (.onnxtxt, .onnx), or a text
            file of shape rules
    cost: a text file that gives the work of ops, one per line (docs/commands/profile.md)
    count: what to count: mac (default: multiply-adds only), flop (2 for each multiply-add, and all other
            operations), or what onnx-tool, fvcore or thop count
    device: compute the least time of each node on a device: a name, or a JSON file with its figures
            (docs/commands/llm.md)
    align: alignment of buffers in the memory plan, in bytes (default 1)
    sparsity: read the weights and count zeros, find patterns, and compute the work they save
    output: also write the result here
    progress: called with what is done and the total; True shows a bar
    """
    options: dict[str, Any] = {"shape": shape, "dim": dim, "value": value, "custom_ops": custom_ops, "cost": cost, "count": count, "device": device, "align": align, "sparsity": sparsity}
    return run_task("profile", model, options, output, progress)


@knows_moved
def quantize(
    model: ModelLike,
    *,
    output: Output = None,
    progress: Progress = None,
    to: Union[None, Literal["int8", "int6", "int4", "fp16", "bf16", "auto"]] = None,
    activations: Union[None, Literal["float", "dynamic", "static"]] = None,
    quality: Union[None, float] = None,
    may_miss: Union[None, float] = None,
    max_size: Union[None, int] = None,
    max_download: Union[None, str] = None,
    weight_quality: Union[None, float] = None,
    max_error: Union[None, float] = None,
    best_effort: Union[None, bool] = None,
    samples: Union[None, str] = None,
    scheme: Union[None, str] = None,
    recipe: Union[None, str] = None,
    save_recipe: Union[None, str] = None,
    include: Union[None, Names] = None,
    exclude: Union[None, Names] = None,
    min_elements: Union[None, int] = None,
    target: Union[None, Literal["ort", "ort-web-gpu", "ort-format", "any", "browser", "phone", "server", "llm"]] = None,
    encoding: Union[None, Literal["folded", "dq", "ort", "simulate"]] = None,
    optimize_for: Union[None, Literal["file", "gzip", "brotli", "zstd"]] = None,
    layers: Union[None, Literal["inner", "conv", "all"]] = None,
    codes: Union[None, Literal["uint8", "int8"]] = None,
    ranges: Union[None, Literal["auto", "min-max", "percentile", "mse", "entropy"]] = None,
    compensate: Union[None, Literal["auto", "on", "off"]] = None,
    freeze: Union[None, bool] = None,
    weights_only: Union[None, bool] = None,
    verify: Union[None, bool] = None,
    shape: Union[None, Bindings] = None,
    dim: Union[None, Bindings] = None,
    value: Union[None, Bindings] = None,
    engine: Union[None, Literal["ort", "onnxpress"]] = None,
) -> Report:
    """Stores weights in fewer bits, in place, by a promise of quality or size.

    >>> onnxpress.quantize('model.onnx', quality=40, output='small.onnx').reached

    to: store weights as: int8 (blocks of 128; 12 bits for the smallest tensors), int6, int4 (blocks of 32), fp16,
            bf16, or auto (as few bits as keep the outputs at 30 dB)
    activations: what layers compute with: float (default: weights are decoded to floats); dynamic: MatMul and
            Gemm with integers, activations rounded to 8 bits at run time; static: Conv, Gemm, MatMul, Add, Concat
            and pools with integers, with ranges measured in runs of the model
    quality: choose bits for each tensor so that every output keeps this SNR in dB, also for inputs of several
            kinds that were not used for the choice; with option `activations=static`, the layers that harm the
            outputs most stay floats
    may_miss: with option `quality` or option `to=auto`: percent of the inputs that may have less (default: none)
    max_size: choose bits for each tensor so that the file gets this small
    max_download: choose bits for each tensor so that the download gets this small: 15MB:brotli (default),
            15MB:gzip or 15MB:zstd
    weight_quality: choose bits for each tensor so that the weights as a whole keep this SQNR in dB; the model is
            not run
    max_error: choose bits for each tensor so that no element is off by more than this fraction of the largest
            element
    best_effort: write the result even if it does not keep the quality that was asked for
    samples: a folder of inputs (.npz, .npy, or folders with an .npy for each input) instead of made-up ones: half
            of them to choose bits, the others to check the choice
    scheme: how to store weights, in detail: 'int4 block=32 asym scale=mse', palette4, nf4, float8, levels=9, ...
            (docs/commands/quantize.md)
    recipe: a file with a pattern and a scheme per line (.json: an object of them); the last one that matches
            counts
    save_recipe: write the choice to this file, as a recipe
    include: round only these: patterns (* and ?) of tensor names, node names or op types; they may name tensors
            that no known op takes as a weight
    exclude: do not round these: patterns as for option `include`
    min_elements: leave tensors with fewer elements as they are (default 1024)
    target: the runtime that the result is for: ort (default), ort-web-gpu (fewer types), ort-format or any (no
            decoding nodes); or browser, phone, server, llm, which choose how weights are stored
    encoding: folded (default): nodes that ONNX Runtime computes when it loads the model; dq: DequantizeLinear;
            ort: MatMulNBits and GatherBlockQuantized, for less memory, where they fit; simulate: rounded floats
    optimize_for: what to make small: the file itself (default), or the file after this compressor
    layers: with option `activations=dynamic`: inner (default: MatMul and Gemm, except the first and the last),
            conv (Conv as well) or all (also the first and the last)
    codes: with option `activations=dynamic`: uint8 (default): exact sums everywhere; int8: faster with VNNI, but
            wrong sums on x86 without it
    ranges: with option `activations=static`, how ranges are chosen: min-max, percentile, mse, entropy, or auto
            (default: the one with the best outputs)
    compensate: round weights so that their errors cancel out in the results of their layers, as recorded in runs
            of the model, and correct biases: on, off, or auto (default: with option `quality`, option `to=auto`,
            option `max_size` or option `samples`)
    freeze: turn initializers that are also inputs into plain constants, so that they can be rounded, too
    weights_only: round weights and change nothing else; by default, everything else is stored as `shrink` stores
            it
    verify: run the model before and after on inputs of several kinds, and compare the outputs
    shape: shape of an input: x=1x3x224x224, or x=batch,3,H,W
    dim: size of a named dim: batch=8
    value: value of an input that shapes depend on: size=640,640
    engine: what runs the model: ort, or onnxpress (the built-in evaluator, which is slower); default: ort if it
            is found
    output: also write the result here
    progress: called with what is done and the total; True shows a bar
    """
    options: dict[str, Any] = {"to": to, "activations": activations, "quality": quality, "may_miss": may_miss, "max_size": max_size, "max_download": max_download, "weight_quality": weight_quality, "max_error": max_error, "best_effort": best_effort, "samples": samples, "scheme": scheme, "recipe": recipe, "save_recipe": save_recipe, "include": include, "exclude": exclude, "min_elements": min_elements, "target": target, "encoding": encoding, "optimize_for": optimize_for, "layers": layers, "codes": codes, "ranges": ranges, "compensate": compensate, "freeze": freeze, "weights_only": weights_only, "verify": verify, "shape": shape, "dim": dim, "value": value, "engine": engine}
    return run_task("quantize", model, options, output, progress)


@knows_moved
def shrink(
    model: ModelLike,
    *,
    output: Output = None,
    progress: Progress = None,
    target: Union[None, Literal["ort", "ort-web-gpu", "ort-format", "any", "browser", "phone", "server", "llm"]] = None,
    only: Union[None, Names] = None,
    skip: Union[None, Names] = None,
    freeze: Union[None, bool] = None,
    shorten_names: Union[None, bool] = None,
    pack: Union[None, bool] = None,
    verify: Union[None, bool] = None,
    engine: Union[None, Literal["ort", "onnxpress"]] = None,
) -> Report:
    """Makes the model smaller, in place; it computes the same, bit for bit.

    >>> onnxpress.shrink('model.onnx', output='small.onnx').after

    target: the runtime that the result is for: ort (default), ort-web-gpu (fewer types), ort-format or any (no
            decoding nodes); or browser, phone, server, llm, as for `quantize`
    only: use only these methods (docs/commands/shrink.md lists them)
    skip: skip these methods
    freeze: turn initializers that are also inputs into plain constants, so that they can shrink, too
    shorten_names: shorten the names of all inner values and remove those of nodes; inputs and outputs keep theirs
    pack: also store floats in 28 bits and 8-bit codes in fewer bits, exactly; the model takes longer to load, and
            the report says how long
    verify: also run input and result in ONNX Runtime, if it is installed, and compare their outputs (tensors and
            connections are always compared)
    engine: what runs the model: ort, or onnxpress (the built-in evaluator, which is slower); default: ort if it
            is found
    output: also write the result here
    progress: called with what is done and the total; True shows a bar
    """
    options: dict[str, Any] = {"target": target, "only": only, "skip": skip, "freeze": freeze, "shorten_names": shorten_names, "pack": pack, "verify": verify, "engine": engine}
    return run_task("shrink", model, options, output, progress)


@knows_moved
def split(
    model: ModelLike,
    *,
    parts: Union[None, int] = None,
    by: Union[None, Literal["macs", "memory", "params", "nodes"]] = None,
    at: Union[None, Names] = None,
    direct: Union[None, bool] = None,
    share_weights: Union[None, bool] = None,
    shape: Union[None, Bindings] = None,
    dim: Union[None, Bindings] = None,
    value: Union[None, Bindings] = None,
) -> Report:
    """Cuts the model into stages that feed each other: report.model is the list of stages, report.stages says which stage feeds which.

    >>> stages = onnxpress.split('model.onnx', parts=4).model

    parts: how many stages (default 2)
    by: what to balance between the stages (default macs)
    at: cut right after these values instead: one more stage than values
    direct: send a value directly to every stage that reads it, instead of passing it from stage to stage
    share_weights: store weights that several stages need once, in an external file next to them
    shape: shape of an input: x=1x3x224x224, or x=batch,3,H,W
    dim: size of a named dim: batch=8
    value: value of an input that shapes depend on: size=640,640
    """
    options: dict[str, Any] = {"parts": parts, "by": by, "at": at, "direct": direct, "share_weights": share_weights, "shape": shape, "dim": dim, "value": value}
    given = as_model(model)
    made, report = given._split(to_json(options))
    return report_on(report, made, path=given.path)


@knows_moved
def verify(
    first: ModelLike, second: ModelLike,
    *,
    engine: Union[None, Literal["ort", "onnxpress", "both"]] = None,
    samples: Union[None, str] = None,
    sets: Union[None, int] = None,
    time_limit: Union[None, float] = None,
    provider: Union[None, str] = None,
    seed: Union[None, int] = None,
    tolerance: Union[None, float] = None,
    quality: Union[None, float] = None,
    locate: Union[None, bool] = None,
    labels: Union[None, str] = None,
    metric: Union[None, str] = None,
    shape: Union[None, Bindings] = None,
    dim: Union[None, Bindings] = None,
    value: Union[None, Bindings] = None,
) -> Report:
    """Tests whether two models compute the same, in ONNX Runtime if it is installed, otherwise in the built-in evaluator.

    >>> onnxpress.verify('a.onnx', 'b.onnx').verdict

    engine: where to run both models: ort, onnxpress (the built-in evaluator) or both (default: ort if it is
            found)
    samples: a folder of inputs (.npz, .npy, .pb, or folders with a file for each input) instead of made-up ones
    sets: how many sets of inputs to make up (default: all kinds, for about 20 seconds)
    time_limit: try no further inputs after this many seconds, and stop a run that takes longer (default: no
            limit)
    provider: execution provider of ONNX Runtime: cpu (default), cuda, or another one that it has
    seed: seed of made-up inputs (default 0)
    tolerance: accept differences up to this share of the output's largest element
    quality: accept outputs whose signal-to-noise ratio is at least this, in dB
    locate: if the models differ, find the node where the difference begins
    labels: labels for the inputs (.npy): classes give cross-entropy and top-1 of both models, floats the mean
            squared error
    metric: a Python file with metric(outputs, labels): called for both models, with a dict of arrays for each
            input
    shape: shape of an input: x=1x3x224x224, or x=batch,3,H,W
    dim: size of a named dim: batch=8
    value: value of an input that shapes depend on: size=640,640
    """
    options: dict[str, Any] = {"engine": engine, "samples": samples, "sets": sets, "time_limit": time_limit, "provider": provider, "seed": seed, "tolerance": tolerance, "quality": quality, "locate": locate, "labels": labels, "metric": metric, "shape": shape, "dim": dim, "value": value}
    return report_on(as_model(first)._verify(as_model(second), to_json(options), ort_library(options)))


def run(model: ModelLike, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Computes the outputs with the built-in evaluator: an oracle for tests, not a fast runtime. Needs NumPy.

    >>> onnxpress.run('model.onnx', {'x': np.ones((1, 3), np.float32)})['y']
    """
    import numpy

    from ._arrays import from_bytes, to_bytes

    given: list[Any] = []
    for name, array in inputs.items():
        array = numpy.asarray(array)
        if array.dtype.kind in "OUS":
            given.append((name, "string", list(array.shape), [str(each) for each in array.reshape(-1)]))
        else:
            given.append((name, *to_bytes(array)))
    made = {}
    for name, kind, dims, content, texts in as_model(model)._run(given):
        made[name] = numpy.array(texts, dtype=object).reshape(dims) if kind == "string" else from_bytes(kind, tuple(dims), content)
    return made

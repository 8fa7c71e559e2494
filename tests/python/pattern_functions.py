"""Moves some nodes of a model into a function, which is called in their place."""
import onnx

DOMAIN = "local"


def put_function(model, rng):
    """A few consecutive nodes without bodies, because a body could read values that the function does not get."""
    graph = model.graph
    if not graph.node:
        return
    first = rng.randrange(len(graph.node))
    chosen = []
    for node in list(graph.node)[first:first + rng.randint(1, 6)]:
        if any(attribute.type in (onnx.AttributeProto.GRAPH, onnx.AttributeProto.GRAPHS) for attribute in node.attribute):
            break
        chosen.append(node)
    if not chosen:
        return
    made = [name for node in chosen for name in node.output if name]
    inputs = list(dict.fromkeys(name for node in chosen for name in node.input if name and name not in made))
    wanted = {value.name for value in graph.output} | names_read(list(graph.node)[:first] + list(graph.node)[first + len(chosen):])
    outputs = [name for name in made if name in wanted]
    if not outputs:
        return
    function = onnx.helper.make_function(DOMAIN, "Part", inputs, outputs, chosen, model.opset_import)
    call = onnx.helper.make_node("Part", inputs, outputs, domain=DOMAIN)
    for _ in chosen:
        del graph.node[first]
    graph.node.insert(first, call)
    model.functions.append(function)
    model.opset_import.append(onnx.helper.make_opsetid(DOMAIN, 1))


def names_read(nodes):
    names = set()
    for node in nodes:
        names.update(node.input)
        for attribute in node.attribute:
            for body in [attribute.g, *attribute.graphs]:
                names |= names_read(body.node) | {value.name for value in body.output}
    return names

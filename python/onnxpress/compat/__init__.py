"""Calls of other packages, answered by onnxpress: change the import, keep the code.

>>> from onnxpress.compat import onnxsim
>>> model, ok = onnxsim.simplify(model)
"""

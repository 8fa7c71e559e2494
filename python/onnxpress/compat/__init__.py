"""The calls of other packages, implemented with onnxpress: change the import, keep the code.

>>> from onnxpress.compat import onnxsim
>>> model, ok = onnxsim.simplify(model)
"""

"""The scripts that made the weights of `attention_core.models`. They need PyTorch, and nothing at run time does.

PyTorch, because each model was tried in several forms before one was kept: its autograd needs no backward pass
written by hand for each. What is shipped is held to the same forward pass in NumPy.
"""

"""One head of a language model: where it attends, and the answer's probability without it."""

import numpy as np

# data

weights = np.array(weights)
on_first = weights[1:, 0].mean()  # of the later queries
last = weights[-1]
without = probability * np.exp(effect)

print(f"weight on the first token: {on_first:.15g}")
print(f"the last token attends most to {words[last.argmax()]}: {last.max():.15g}")
print(f"probability of the answer: {probability:.15g}")
print(f"probability with the head off: {without:.15g}")
print(f"probability with the first token closed: {first_closed:.15g}")

"""Pictures that follow on release: arrays and labels in, a constant Altair spec and its data out.

Each kind of picture is built once for each language into a spec without data; a page sends only data, so the
drawn picture stays and its marks move.
"""

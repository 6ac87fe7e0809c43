"""HTML files with a figure that works without a server and without a network. Nothing here knows a lesson."""

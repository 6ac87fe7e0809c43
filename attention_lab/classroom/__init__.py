"""Live classroom: what its members may say, what everybody is told, and the bar at the window's lower edge.

`rooms` is plain Python and knows no socket (`server/room_socket.py` is that) and no Streamlit; `door` is what a
page shows of a room, drawn by what lies in `browser/`.
"""

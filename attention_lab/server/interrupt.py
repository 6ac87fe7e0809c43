"""What Ctrl+C does under `streamlit run`: it ends the server with status 0."""

import signal
import threading
from types import FrameType

import uvicorn


def exit_cleanly() -> None:
    """Let Ctrl+C end the uvicorn server that is starting, and nothing more; pressed again it does not wait.

    Uvicorn raises the signal once more after it has shut down, which Streamlit's command line reports as
    "Aborted!" with status 1.
    """
    if threading.current_thread() is not threading.main_thread():  # only there signals can be handled
        return
    handle = signal.getsignal(signal.SIGINT)
    server = getattr(handle, "__self__", None)
    if not isinstance(server, uvicorn.Server):  # the app is imported, not served
        return

    def stop(number: int, frame: FrameType | None) -> None:
        if server.should_exit:
            handle(number, frame)
        server.should_exit = True

    signal.signal(signal.SIGINT, stop)

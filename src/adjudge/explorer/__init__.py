"""The explorer: metrics, charts and items of an evaluation in the browser, on this machine only."""

import sys
import webbrowser
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from socket import AF_INET, SO_REUSEADDR, SOCK_STREAM, SOL_SOCKET, socket
from threading import Timer

from adjudge.api.options import ViewOptions
from adjudge.errors import MissingError, OptionError
from adjudge.render.palette import DARK, LIGHT, PRINTED
from adjudge.version import NAME

HOST = "127.0.0.1"
_MOST_UPLOADED = 200
"""Megabytes."""
_SETTINGS = {
    "global.developmentMode": False,
    "server.address": HOST,
    "server.headless": True,
    "server.allowedHosts": [HOST, "localhost"],
    "server.enableXsrfProtection": True,
    "server.enableCORS": True,
    "server.corsAllowedOrigins": [],
    "server.enableAgentApi": False,
    "server.enableStaticServing": False,
    "server.fileWatcherType": "none",
    "server.runOnSave": False,
    "runner.postScriptGC": False,
    "server.maxUploadSize": _MOST_UPLOADED,
    "browser.gatherUsageStats": False,
    "browser.serverAddress": HOST,
    "client.toolbarMode": "minimal",
    "client.showErrorDetails": "none",
    "client.showErrorLinks": False,
    "client.allowedOrigins": [],
    "logger.hideWelcomeMessage": True,
    "logger.level": "error",
    "global.disableWidgetStateDuplicationWarning": True,  # reset controls have both a value and a state
    "theme.light.primaryColor": "#184e9e",  # text of this color on its tint has a contrast above 4.5
    "theme.light.backgroundColor": LIGHT["paper"],
    "theme.light.textColor": PRINTED["ink"],
    "theme.dark.primaryColor": DARK["accent"],
    "theme.dark.backgroundColor": DARK["paper"],
    "theme.dark.textColor": DARK["ink"],
    "theme.dark.secondaryBackgroundColor": DARK["panel"],
}
"""The server listens on this machine only, makes no requests and sends no telemetry. Python
collects garbage when there is much of it: streamlit would do so after each change and delay the next one.
Headers in grids have 60% of the ink: with less than black the contrast is too low."""


def serve(options: ViewOptions) -> None:
    """Show files in the browser until the process is interrupted.

    Raises MissingError if streamlit is not installed, OptionError for a port in use, a missing
    file, or an evaluation without anything to read.
    """
    try:
        from streamlit import config
        from streamlit.web import bootstrap
    except ModuleNotFoundError as error:
        raise MissingError(f"{NAME} view needs {error.name}", fix=f'pip install "{NAME}[app]"') from None
    paths, evaluation = tuple(options.files), options.evaluation or ""
    for path in paths:
        _check(path)
    if evaluation:
        from adjudge.explorer.inputs import check_named

        check_named(paths, evaluation)
    place = _free(options.port)
    settings = {name.replace(".", "_"): value for name, value in _SETTINGS.items()} | {"server_port": place}
    address = f"http://{HOST}:{place}"
    config.get_config_files = lambda file_name: []  # noqa: ARG005 - ignore .streamlit/config.toml of the working folder
    bootstrap.load_config_options(flag_options=settings)
    sys.stderr.write(f"{NAME}: the explorer is at {address}; Ctrl-C stops it\n")
    if options.browser:
        Timer(1, webbrowser.open, [address]).start()
    script = str(Path(__file__).with_name("script.py"))
    with redirect_stdout(StringIO()):  # its message on stopping would block if stdout is not read
        bootstrap.run(script, is_hello=False, args=[evaluation, *paths], flag_options=settings)


def _check(path: str) -> None:
    """Raises OptionError for a missing file; the browser shows errors in its content."""
    from adjudge.readers.io.paths import check_place, expanded, is_address

    if path == "-":
        raise OptionError("-: standard input is read only once", fix="a file that holds the same")
    if not is_address(path) and not Path(path).is_dir():
        for one in expanded(path):
            check_place(Path(one))


def _free(port: int) -> int:
    """The port, or any free one for 0."""
    with socket(AF_INET, SOCK_STREAM) as tried:
        if sys.platform != "win32":  # as the server does: a just released port is free
            tried.setsockopt(SOL_SOCKET, SO_REUSEADDR, 1)
        try:
            tried.bind((HOST, port))
        except OSError as error:
            raise OptionError(f"{port} cannot be used: {error.strerror}", option="port", fix="0") from None
        found: int = tried.getsockname()[1]
        return found

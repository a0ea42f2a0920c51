"""What is refused before the explorer starts, and what is not."""

import os
from socket import SO_REUSEADDR, SOL_SOCKET, socket

import pytest

import adjudge
from made import EXAMPLES
from made_explorer import serving

app = pytest.importorskip("adjudge.explorer")


@pytest.mark.parametrize(
    ("given", "said"), [("vote.csv", 'no such file.*"votes.csv"'), ("*.xml", "no file"), ("-", "once")]
)
def test_what_is_not_there_is_said_at_once(given, said, tmp_path, monkeypatch):
    pytest.importorskip("streamlit")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "votes.csv").touch()
    with pytest.raises(adjudge.OptionError, match=said):
        app.serve([given], "", 0, browser=False)


def test_a_port_is_free_as_soon_as_it_is_given_back():
    with socket() as server:
        server.setsockopt(SOL_SOCKET, SO_REUSEADDR, 1)
        server.bind((app.HOST, 0))
        server.listen()
        port = server.getsockname()[1]
        with socket() as client:
            client.connect((app.HOST, port))
            server.accept()[0].close()  # the side that closes first keeps the port waiting
        with pytest.raises(adjudge.OptionError, match="cannot be used"):
            app._free(port)
    assert app._free(port) == port


def test_it_stops_though_nobody_reads_its_output():
    pytest.importorskip("streamlit")
    reader, writer = os.pipe()
    os.close(reader)
    with serving(EXAMPLES / "agreement" / "ratings.csv", stdout=writer):
        os.close(writer)


def test_the_evaluation_that_is_named_reaches_the_page(tmp_path, monkeypatch, adjudge):
    bootstrap, begun = pytest.importorskip("streamlit.web.bootstrap"), []
    path = tmp_path / "votes.csv"
    path.write_text("item,annotator,label\n1,ana,x\n", encoding="utf-8")
    monkeypatch.setattr(bootstrap, "load_config_options", lambda **_: None)
    monkeypatch.setattr(bootstrap, "run", lambda _, **how: begun.append(tuple(how["args"])))
    monkeypatch.setattr("adjudge.explorer.page.begin", lambda paths, evaluation: begun.append((evaluation, *paths)))
    assert adjudge("view", path, "--evaluation", "card", "--no-browser")[0] == 0
    assert begun == [("card", str(path))] * 2

"""What is refused before the explorer starts, and what is not."""

from socket import SO_REUSEADDR, SOL_SOCKET, socket

import pytest

import adjudge
from adjudge.api.options import ViewOptions

app = pytest.importorskip("adjudge.explorer")


@pytest.mark.parametrize(
    ("given", "said"), [("vote.csv", "^vote.csv: no such file\nfix:   votes.csv$"), ("*.xml", "no file"), ("-", "once")]
)
def test_what_is_not_there_is_said_at_once(given, said, tmp_path, monkeypatch):
    pytest.importorskip("streamlit")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "votes.csv").touch()
    with pytest.raises(adjudge.OptionError, match=said):
        app.serve(ViewOptions([given], browser=False))


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


def test_the_evaluation_that_is_named_reaches_the_page(tmp_path, monkeypatch, adjudge):
    bootstrap, begun = pytest.importorskip("streamlit.web.bootstrap"), []
    path = tmp_path / "votes.csv"
    path.write_text("item,annotator,label\n1,ana,x\n", encoding="utf-8")
    monkeypatch.setattr(bootstrap, "load_config_options", lambda **_: None)
    monkeypatch.setattr(bootstrap, "run", lambda _, **how: begun.append(tuple(how["args"])))
    assert adjudge("view", path, "--evaluation", "card", "--no-browser")[0] == 0
    assert begun == [("card", str(path))]


def test_a_file_of_the_working_folder_does_not_weaken_the_server(tmp_path, monkeypatch, adjudge):
    """Nor makes it fetch: a theme may come from an address, and its fonts too."""
    config, begun = pytest.importorskip("streamlit.config"), {}
    (tmp_path / ".streamlit").mkdir()
    (tmp_path / ".streamlit" / "config.toml").write_text(
        "[server]\nenableXsrfProtection = false\nenableCORS = false\nenableAgentApi = true\n"
        'corsAllowedOrigins = ["http://evil.test"]\ncookieSecret = "known"\nenableStaticServing = true\n'
        '[theme]\nfont = "https://evil.test/font.css"\n'
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(config, "get_config_files", config.get_config_files)
    names = ["enableXsrfProtection", "enableCORS", "enableAgentApi", "corsAllowedOrigins", "enableStaticServing"]

    def run(_: str, **how: object) -> None:
        begun.update({name: config.get_option(f"server.{name}") for name in (*names, "cookieSecret")})
        begun.update(font=config.get_option("theme.font"), flags=how["flag_options"])

    monkeypatch.setattr("streamlit.web.bootstrap.run", run)
    assert adjudge("view", "--no-browser")[0] == 0
    assert [begun[name] for name in names] == [True, True, False, [], False]
    assert (begun["cookieSecret"] != "known", begun["font"]) == (True, None)
    assert {f"server_{name}" for name in names} <= begun["flags"].keys(), "the command line counts before any file"

"""Writes docs/commands.md from the help texts of the command line."""

from pathlib import Path


def commands_page() -> str:
    """The help of every command as Markdown."""
    from typer.main import get_command
    from typer.testing import CliRunner

    from karat.cli import app

    def paths(command: object, words: list[str]) -> list[list[str]]:
        inner = getattr(command, "commands", {})
        return [words] + [path for name, child in inner.items() for path in paths(child, [*words, name])]

    blocks = ["# Commands", "Written by `docs/make_commands.py` from the help texts."]
    for words in paths(get_command(app), []):
        text = CliRunner().invoke(app, [*words, "--help"], prog_name="karat", env={"COLUMNS": "100"}).output
        lines = "\n".join(line.rstrip() for line in text.strip().splitlines())
        blocks += [f"## {' '.join(['karat', *words])}", f"```text\n{lines}\n```"]
    return "\n\n".join(blocks) + "\n"


if __name__ == "__main__":
    (Path(__file__).parent / "commands.md").write_text(commands_page(), encoding="utf-8")

"""The text that a browser's document has, which offsets in hypertext count."""

from html.parser import HTMLParser


def shown_text(html: str) -> str:
    r"""The text in HTML: its tags left out, its entities resolved; a <br> is a line break.

    >>> shown_text("<p>Salt &amp; <b>tea</b><br>twice</p>")
    'Salt & tea\ntwice'
    """
    reader = _Texts()
    reader.feed(html)
    reader.close()
    return "".join(reader.found)


class _Texts(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []

    def handle_data(self, data: str) -> None:
        self.found.append(data)

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002 - as HTMLParser calls it
        if tag == "br":
            self.found.append("\n")

"""UTF-8 that was once read as Western European text: `DÃ¡in` for `Dáin`, `10â€“12` for `10–12`."""

_LETTERS = [*range(0xA0, 0x180), *range(0x2010, 0x2027), 0x2032, 0x2033, 0x20AC, 0x2122, 0x2212]
_CLOSED = tuple("‘’“”")
"""Signs that may stand behind a capital letter as it is meant, at the end of a quotation: `IRMÃ”`."""


def _read(letter: str) -> str:
    """What becomes of a letter. Bytes that cp1252 leaves open stay control characters."""
    return "".join(bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in letter.encode())


_READ = {_read(chr(code)): chr(code) for code in _LETTERS}
MEANT = {read: letter for read, letter in _READ.items() if read[1:] not in _CLOSED}
"""What was read -> what was meant."""
MISREAD = "[ÂÃÄÅ][^a-zA-Z0-9 ]|â[^a-zA-Z0-9 ]{2}"
"""A pattern that all texts with any of them hold."""

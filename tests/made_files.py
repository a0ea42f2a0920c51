"""Workbooks of Excel."""


def workbook(path, **sheets):
    """A workbook with some sheets, each a list of rows; cells of text that look like numbers stay text."""
    import xlsxwriter

    with xlsxwriter.Workbook(path, {"constant_memory": True, "default_date_format": "d.m.yy"}) as book:
        for name, rows in sheets.items():
            sheet = book.add_worksheet(name)
            for number, row in enumerate(rows):
                sheet.write_row(number, 0, row)
    return path

"""The explorer on a million pairs x 40 annotators in Adjudge's columnar form, in a browser, beside decoding the columns.

    python benchmarks/explorer_speed.py [--pairs 1000000]

Goals on two cores: the first view within 3 s of when the server is ready, the median of 20 changes within 1 s, under
1.5 GB resident. Each change is one that was not made before: another confidence, reference, population or view. Times
are those of the clock, with the seconds of processor that the server took; decode is the reference workload. Of the
first view the server takes the smaller part: the browser loads and compiles 3 MB of streamlit's scripts.
"""

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from annotations_large import ANNOTATORS, DECODE, measured, write_pairs
from apart import apart

from made_explorer import CHROMIUM, arrived, changed, serving

_PATIENCE = 30_000
"""Milliseconds."""


def main() -> None:
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # people have modules compiled once, not at each start
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--pairs", type=int, default=1_000_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pairs.parquet"
        apart(write_pairs, path, options.pairs)
        print(f"{options.pairs:,} pairs x {ANNOTATORS} annotators, {os.cpu_count()} cores")
        print(f"decode the columns: {measured(DECODE, path)[0]:.2f} s")
        clock = time.perf_counter()
        with serving(path) as (address, process), sync_playwright() as playwright:
            print(f"ready: {time.perf_counter() - clock:.2f} s, processor {processor(process):.2f} s")
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            watch(browser.new_page(), address, process)


def watch(page: Page, address: str, process: int) -> None:
    """Open the page, change what it shows, and print how long each took."""
    page.set_default_timeout(_PATIENCE)
    clock, busy = time.perf_counter(), processor(process)
    arrived(page, address)
    page.locator("figure svg").wait_for()
    print(f"first view: {time.perf_counter() - clock:.2f} s, processor {processor(process) - busy:.2f} s")
    page.get_by_text("More options").click()
    print("| change | s | processor, s |\n|---|---|---|")
    found = []
    for name, change in changes(page):
        clock, busy = time.perf_counter(), processor(process)
        with changed(page):
            change()
        found.append((time.perf_counter() - clock, processor(process) - busy))
        print(f"| {name} | {found[-1][0]:.2f} | {found[-1][1]:.2f} |")
    clocks, busies = zip(*found, strict=True)
    print(f"median of {len(found)}: {statistics.median(clocks):.2f} s, processor {statistics.median(busies):.2f} s")
    print(f"resident at most: {peak(process):.2f} GB")


def changes(page: Page) -> Iterator[tuple[str, Callable[[], None]]]:
    """Twenty changes of what is shown, none of them made before."""
    for percent in range(80, 94):
        yield f"confidence {percent} %", lambda percent=percent: typed(page, "Confidence level", f"{percent / 100}")
    yield "population reference", lambda: chosen(page, "Population", "reference")
    yield "reference a1", lambda: chosen(page, "Reference", "a1")
    yield "another reference, a2", lambda: chosen(page, "Reference", "a2")
    yield "a point of the chart", page.locator("figure path:has(> title)").first.click
    for view in ("Tables", "Items"):
        yield view, lambda view=view: page.get_by_test_id("stButtonGroup").get_by_text(view, exact=True).click()


def typed(page: Page, label: str, text: str) -> None:
    """Write into a field."""
    field = page.get_by_label(label, exact=True)
    field.fill(text)
    field.press("Enter")


def chosen(page: Page, label: str, option: str) -> None:
    """Choose from a list."""
    box = page.get_by_role("combobox", name=label, exact=True)
    box.click()
    box.fill(option)
    page.get_by_role("option", name=option, exact=True).click()


def processor(process: int) -> float:
    """Seconds of processor that a process has taken."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def peak(process: int) -> float:
    """The most memory that a process has had, in GB."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1]) / 1e6


if __name__ == "__main__":
    main()

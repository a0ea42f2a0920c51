"""The results of a report's gates as JUnit XML for test reporters (Jenkins, GitLab, GitHub Actions)."""

import re
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from adjudge.display_names import number_repeats
from adjudge.report import Report, truncate
from adjudge.spec import COMPARISON_TABLE
from adjudge.version import NAME

_NO_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that an XML file cannot hold, not even escaped."""


def junit_xml(report: Report) -> str:
    """A test suite with a case per result of a gate, and as properties the signature and the inputs of the report.

    All cases have different names, since reporters keep only the first of equal ones. There are no times
    in it: the same report and gates give the same bytes. Invalid XML characters become the replacement character.
    """
    suites, results = Element("testsuites"), report.gates
    failures = sum(not result.passed for result in results)
    name = f"{NAME} compare" if COMPARISON_TABLE in report.tables else f"{NAME} {report.evaluation}"
    counts = {"tests": str(len(results)), "failures": str(failures), "errors": "0"}
    suite = SubElement(suites, "testsuite", {"name": name, **counts})
    rests_on = {"signature": report.signature, **{f"sha256 of {one.path}": one.sha256 for one in report.inputs}}
    properties = SubElement(suite, "properties")
    for key, value in rests_on.items():
        SubElement(properties, "property", {"name": _xml_text(key), "value": _xml_text(value)})
    names = [_xml_text(": ".join(filter(None, (one.gate, one.subject)))) for one in results]
    for case, result in zip(number_repeats(names), results, strict=True):
        found = SubElement(suite, "testcase", {"classname": name.replace(" ", "."), "name": case})
        if not result.passed:
            text = _xml_text(str(result))
            SubElement(found, "failure", {"type": "gate", "message": text}).text = text  # GitLab reads the text only
    indent(suites, " ")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(suites, encoding="unicode")}\n'


def _xml_text(text: str) -> str:
    return _NO_XML.sub("\ufffd", truncate(text))

"""Every finding, caution and next step of a summary, derived again from the tables of its report, sentence by sentence.

A sentence of a form that is not known here is a fault, too, so that nothing is said that nobody checks.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import gappy

import adjudge

HEADLINES = {"preferences": "accuracy", "reliability": "reliability", "violations": "match_score", "card": "agreement"}
MORE = {"C": 0.85, "D": 0.6, "E": 0.95}
NAME, NUMBER = r"[A-E]|p\d|baseline|majority|longer|a|random", r"[+−]?[\d.]+"


def faults(evaluation: str, data_set: int, folder: Path) -> Iterator[str]:
    """What the summary of a random data set says that its tables do not."""
    judges = "ABCDE"[: 2 + data_set % 4] if evaluation in ("reliability", "preferences", "violations", "card") else "AB"
    seeds = patch.dict(gappy.SEEDS, {name: 20 + place for place, name in enumerate(MORE)})
    with patch.object(gappy, "DATA_SET", data_set), seeds, patch.dict(gappy.RIGHT, MORE):
        report = gappy.scored(evaluation, judges, folder, "plain", None).report
    summary = report.summary
    sentences = [*summary.findings, *summary.cautions, *summary.next]
    warnings = {one.casefold() for one in report.warnings}
    sentences = [one for one in sentences if one.text.casefold() not in warnings]
    for text in (summary.verdict, *(one.text for one in sentences)):
        yield from Claim(report, text.replace("\xa0", " ").removesuffix(".")).faults()
    counted = sum(one.text.endswith(" more: --details") for one in summary.findings)
    if len(summary.findings) - counted > 3 or len(summary.next) > 2:
        yield "too many sentences"
    advised = [one.text for one in summary.next if one.text.startswith(("Choose", "Use"))]
    if advised and re.search("other grounds|below|not significantly better than the baseline", summary.verdict):
        yield f"{advised[0]}, though {summary.verdict}"


class Claim:
    """A sentence about a report."""

    def __init__(self, report: adjudge.Report, text: str) -> None:
        self.report, self.text, self.evaluation = report, text, report.evaluation
        self.tables = {name: frame.to_dicts() for name, frame in report.tables.items()}
        self.judge = report.about.judge
        self.problems: list[str] = []

    def faults(self) -> Iterator[str]:
        """What is wrong with it."""
        for pattern, check in FORMS.items():
            if found := re.fullmatch(pattern, self.text):
                check(self, **found.groupdict())
                break
        else:
            self.problems.append("is of an unknown form")
        yield from (f"{self.text}: {problem}" for problem in self.problems)

    def hold(self, claim: object, what: str) -> None:
        if not claim:
            self.problems.append(what)

    # --- differences of the headline metric ---

    def difference(self, one: str, other: str) -> dict:
        metric = HEADLINES.get(self.evaluation)
        if self.evaluation == "card":
            metric = "agreement" if any(row["metric"] == "agreement" for row in self.tables["judges"]) else "distance"
        for row in self.tables.get("differences", []):
            keys = {"criterion": "average", "variant": "std", "average": "micro", "compared": "systems"}
            same = row["metric"] == metric and all(row.get(key, value) == value for key, value in keys.items())
            if same and {row["first"], row["second"]} == {one, other}:
                return row
        return {"value": None, "p_adjusted": None, "needed": None, "low": None}

    def is_better(self, one: str, other: str) -> bool:
        row = self.difference(one, other)
        side = "second" if (row["value"] or 0) > 0 else "first"
        return row["p_adjusted"] is not None and row["p_adjusted"] < 0.05 and row.get(side) == one

    def better(self, one: str, others: str, **_: str) -> None:
        for other in self.judges() - {one} if others.endswith(" more") else self.names(others):
            self.hold(self.is_better(one, other), f"{one} is not significantly better than {other}")

    def sized(self, one: str, other: str, size: str, p: str = "", **_: str) -> None:
        row = self.difference(one, other)
        value = row["value"] * (1 if row["second"] == one else -1)
        scale = 100 if "pp" in self.text else 1
        shown = float(size.replace("−", "-"))
        self.hold(abs(value * scale - shown) < (0.051 if scale == 100 else 0.0051), f"the table has {value}")
        if p and p[0] not in "<>":
            self.hold(abs(row["p_adjusted"] - float(f"0{p.strip('= ')}")) < 0.0051, f"p is {row['p_adjusted']}")

    def better_sized(self, one: str, other: str, size: str, p: str = "", **_: str) -> None:
        self.better(one, other)
        self.sized(one, other, size, p)

    def tied(self, names: str, one: str = "", other: str = "", size: str = "", p: str = "", **_: str) -> None:
        listed = self.names(names)
        for place, name in enumerate(listed):
            for later in listed[place + 1 :]:
                self.hold(
                    not self.is_better(name, later) and not self.is_better(later, name), f"{name}, {later} differ"
                )
        if size:
            self.sized(one, other, size, p)

    def not_better(self, one: str, others: str, **_: str) -> None:
        listed = self.names(others)
        for other in listed:
            self.hold(not self.is_better(one, other), f"{one} is better than {other}")
        rest = [name for name in self.judges() if name not in (one, *listed)]
        more = re.search(r"(\d+) more", others)
        unbeaten = [name for name in rest if not self.is_better(one, name)]
        self.hold(len(unbeaten) == int(more[1] if more else 0), f"{unbeaten} are not named")

    def nobody(self, n: str = "", **_: str) -> None:
        rows = [self.difference(one, other) for one in self.judges() for other in self.judges() if one < other]
        if self.evaluation == "rag":
            rows = [row for row in self.tables["differences"] if row["compared"] == "models" and self.of_rag(row)]
        self.hold(not any(row["p_adjusted"] is not None and row["p_adjusted"] < 0.05 for row in rows), "some differ")
        self.hold(not n or int(n) < 30, "enough items")

    def worse(self, names: str, others: str, **_: str) -> None:
        for name in self.names(names):
            better = {one for one in self.judges() if self.is_better(one, name)}
            self.hold(better == {*self.names(others)}, f"{better} are better than {name}")

    def pairs(self, few: str, many: str, ranks: str) -> None:
        for name, low in re.findall(r"([A-E]) (\d+)", ranks):
            self.hold(
                int(low) == 1 + sum(self.is_better(one, name) for one in self.judges()), f"{name} has another rank"
            )
        names = sorted(self.judges())
        rows = [self.difference(one, other) for place, one in enumerate(names) for other in names[place + 1 :]]
        tested = [row for row in rows if row["value"] is not None]
        self.hold(len(tested) == int(many), f"{len(tested)} pairs are tested")
        self.hold(sum((row["p_adjusted"] or 1) < 0.05 for row in tested) == int(few), "the count differs")

    def needed(self, size: str, count: str = "", **_: str) -> None:
        scale, rows = 100 if " pp" in self.text else 1, [row for row in self.tables["differences"] if row["value"]]
        rows = [row for row in rows if abs(abs(row["value"]) * scale - float(size)) < 0.051]
        known = [row["needed"] for row in rows if (row["p"] > 0.5) is (not count)]
        self.hold(int(count.replace(",", "")) in known if count else known, f"the table has {known}")

    def choose(self, one: str, **_: str) -> None:
        for other in self.judges() - {one}:
            self.hold(self.is_better(one, other), f"{one} is not significantly better than {other}")
        tests = [row for row in self.tables["differences"] if row["compared"] == "baselines" and row["second"] == one]
        tests = [row for row in tests if row["metric"] == "accuracy" and row["criterion"] == "average"]
        best = max(tests, key=lambda row: row["first_value"] or 0, default=None)
        self.hold(best is None or (best["p_adjusted"] < 0.05 and best["value"] > 0), "the best baseline is not beaten")

    def above(self, baseline: str, better: str, others: str | None) -> None:
        rows = [row for row in self.tables["differences"] if row["first"] == f"baseline:{baseline}"]
        for row in [row for row in rows if (row["metric"], row["criterion"]) == ("accuracy", "average")]:
            won = row["p_adjusted"] < 0.05 and row["value"] > 0
            side, other = (better, others or "") if won else (others or "", better)
            listed = row["second"] in side or "more" in side
            self.hold(listed and row["second"] not in other, f"{row['second']} is on the wrong side")

    def unbeaten(self, text: str, one: str, baseline: str, **_: str) -> None:
        tests = [row for row in self.tables["differences"] if row["compared"] == "baselines" and row["second"] == one]
        rows = [row for row in tests if (row["metric"], row["criterion"]) == ("accuracy", "average")]
        row = next(row for row in rows if row["first"] == f"baseline:{baseline}")
        self.hold(not (row["p_adjusted"] < 0.05 and row["value"] > 0), "the baseline is beaten")
        for problem in Claim(self.report, text).faults():
            self.hold(False, problem)

    # --- what labels say ---

    def judges(self) -> set[str]:
        metric = HEADLINES.get(self.evaluation, "")
        if self.evaluation == "card":
            metric = "agreement" if any(row["metric"] == "agreement" for row in self.tables["judges"]) else "distance"
        rows = [row for row in self.tables[self.report.about.main] if row["metric"] == metric or not metric]
        return {
            row[self.judge] for row in rows if row["value"] is not None and not row[self.judge].startswith("baseline")
        }

    def names(self, text: str | None) -> list[str]:
        return re.findall(r"\b([A-E]|p\d)\b", text or "")

    def sizes(self) -> dict[str, int]:
        metric = {
            **HEADLINES,
            "rag": "accuracy_over_noise",
            "agreement": "agreement_with_others",
            "annotations": "strength",
            "card": "agreement",
        }
        table = "annotators" if self.evaluation in ("reliability", "agreement") else self.report.about.main
        rows = [row for row in self.tables[table] if row["metric"] == metric.get(self.evaluation, "accuracy")]
        keys = {"criterion": "average", "variant": "std", "average": "micro"}
        if self.evaluation == "card":
            rows = [row for row in self.tables["judges"] if row["metric"] in ("agreement", "distance")]
        if self.evaluation == "rag":
            rows = [row for row in rows if row["scorer"] == rows[0]["scorer"]]
        rows = [row for row in rows if all(row.get(key, value) == value for key, value in keys.items())]
        who = "annotator" if table == "annotators" else self.judge
        return {row[who]: row["n"] for row in rows if row["value"] is not None and not row[who].startswith("baseline")}

    def small(self, few: str = "", many: str = "", **_: str) -> None:
        sizes = self.sizes().values()
        self.hold(
            (min(sizes), max(sizes)) == (int(few or many), int(many)) and int(many) < 30, f"the sizes are {sizes}"
        )

    def only(self, few: str) -> None:
        sizes = self.sizes()
        for one, count in re.findall(r"([A-E]|p\d): only (\d+)", few):
            self.hold(sizes[one] == int(count) < 30 <= max(sizes.values()), f"{one} has {sizes[one]}")

    def clusters(self, count: str, **_: str) -> None:
        known = self.report.counts.get("clusters", self.report.counts.get("texts"))
        self.hold(known == int(count) < 20, f"there are {known}")

    def missing(self, one: str, count: str, of: str, **_: str) -> None:
        table, label = {
            "reliability": ("confusion", "label"),
            "preferences": ("confusion", "label"),
            "annotations": ("votes", "vote"),
            "rag": ("outcomes", "outcome"),
        }[self.evaluation]
        rows = [row for row in self.tables[table] if row[self.judge] == one]
        if "scorer" in (rows[0] if rows else {}):
            rows = [row for row in rows if row["scorer"] == self.tables[table][0]["scorer"]]
        if self.evaluation == "annotations":
            rows = [row for row in rows if row["reference"] == self.tables[table][0]["reference"]]
        gone = {"missing", "skipped", "unparsed"}
        missing = sum(row["count"] for row in rows if row[label] in gone)
        more = [row for row in self.tables.get("deductions", []) if row[self.judge] == one and row["reason"] in gone]
        missing += sum(row["count"] for row in more)
        total = sum(row["count"] for row in rows) + sum(row["count"] for row in more)
        self.hold((missing, total) == (int(count), int(of)), f"{missing} of {total} are missing")

    def missing_total(self, one: str, few: str, of: str, **_: str) -> None:
        self.missing(one, few, of)

    def excluded(self, **_: str) -> None:
        for count, reason in re.findall(r"(\d+) ([a-z ]+?)(?:,| and|$)", self.text.partition(": ")[2]):
            rows = [row for row in self.tables["deductions"] if row["reason"].replace("_", " ") == reason]
            self.hold(sum(row["count"] for row in rows) == int(count) or not rows, f"{reason}: not {count}")

    def constant(self, part: str = "", label: str = "", share: str = "", **_: str) -> None:
        rows = [row for row in self.tables["confusion"] if not row[self.judge].startswith("baseline")]
        rows = [row for row in rows if not part or row["criterion"] == part.rstrip(": ").replace(" ", "_")]
        best, highest = 0.0, 0.0
        for name in {row[self.judge] for row in rows}:
            own = [row for row in rows if row[self.judge] == name]
            if self.evaluation == "reliability":
                own = [row for row in own if row["label"] != "skipped"]
            total = sum(row["count"] for row in own)
            always = sum(row["count"] for row in own if row["reference_label"] == label.replace(" ", "_"))
            best = max(best, always / total)
            highest = max(highest, sum(row["count"] for row in own if row["label"] == row["reference_label"]) / total)
        self.hold(best * 100 + 3 > float(share) > highest * 100, f"{best}, the best judge {highest}")

    def one_sided(self, **_: str) -> None:
        rows = [row for row in self.tables["confusion"] if not row[self.judge].startswith("baseline")]
        own, reference = ({row[side] for row in rows} for side in ("label", "reference_label"))
        for label in re.findall(r'"(\w+)"', self.text):
            self.hold(label not in (own if self.text.startswith("Only") else reference), f"{label} is used")

    def texts(self, count: str, of: str, what: str, **_: str) -> None:
        known = self.report.counts[{"repeat": "repeated texts", "have": "empty texts"}[what]]
        self.hold((known, self.report.counts[self.report.about.items]) == (int(count), int(of)), f"there are {known}")

    def rare(self, **_: str) -> None:
        for label, count in re.findall(r'"(\w+)" \((\d+)\)', self.text):
            rows = [row for row in self.tables["confusion"] if row["reference_label"] == label]
            sums: dict[str, int] = {}
            for row in rows:
                sums[row[self.judge]] = sums.get(row[self.judge], 0) + row["count"]
            self.hold(int(count) in sums.values() and int(count) < 5, f"{label}: {sums}")

    def below_chance(self, names: str, **_: str) -> None:
        rows = [row for row in self.tables[self.report.about.main] if row["metric"] == "kappa"]
        for name in self.names(names):
            self.hold(any(row[self.judge] == name and (row["high"] or 0) < 0 for row in rows), f"{name} is not below")

    def errors(self, count: str, one: str, **_: str) -> None:
        if self.evaluation == "violations":
            self.missed(count, one)
            return
        rows = [row for row in self.tables["annotators"] if (row["annotator"], row["metric"]) == (one, "reliability")]
        self.hold(round((1 - rows[0]["value"]) * rows[0]["n"]) == int(count), "the table has another number")

    def missed(self, count: str, one: str) -> None:
        sums = dict.fromkeys(self.judges(), 0)
        for row in self.tables["counts"]:
            if row["variant"] == "std" and row["outcome"] in ("false_negative", "false_positive"):
                sums[row["checker"]] = sums.get(row["checker"], 0) + row["count"]
        self.hold(sums[one] == int(count) == max(sums.values()), f"the table has {sums}")

    # --- rag, agreement, annotations, card ---

    def of_rag(self, row: dict) -> bool:
        main = {"accuracy_over_noise", "rejection_rate", "error_correction_rate"}
        over_noise = any(
            one["metric"] == "accuracy_over_noise" and one["value"] is not None for one in self.tables["scores"]
        )
        accuracy = not over_noise and row["metric"] == "accuracy" and row["ability"] != "counterfactual_robustness"
        first = row["scorer"] == self.tables["scores"][0]["scorer"]
        return first and (row["metric"] in main or accuracy)

    def leads(self, models: str) -> None:
        rows = [row for row in self.tables["differences"] if row["compared"] == "models" and self.of_rag(row)]
        won = [row["second" if row["value"] > 0 else "first"] for row in rows if (row["p_adjusted"] or 1) < 0.05]
        named = {name: titles.count(", ") + 1 for name, titles in re.findall(r"([A-E]) \((.*?)\)(?=,| and |$)", models)}
        self.hold(named == {name: won.count(name) for name in won}, f"the table has {won}")

    def leads_in_others(self, models: str) -> None:
        rows = [row for row in self.tables["differences"] if row["compared"] == "models" and not self.of_rag(row)]
        won = [row["second" if row["value"] > 0 else "first"] for row in rows if (row["p_adjusted"] or 1) < 0.05]
        for name, titles in re.findall(r"([A-E]) \((.*?)\)(?=,| and |$)", models):
            self.hold(won.count(name) > titles.count(", "), f"the table has {won}")

    def largest(self, one: str, other: str, size: str, **_: str) -> None:
        rows = [row for row in self.tables["differences"] if row["compared"] == "models" and self.of_rag(row)]
        row = max((row for row in rows if row["value"] is not None), key=lambda row: abs(row["value"]))
        self.hold(abs(100 * abs(row["value"]) - float(size)) < 0.051, f"the largest is {row['value']}")
        ends = (row["second"], row["first"]) if row["value"] > 0 else (row["first"], row["second"])
        self.hold(ends == (one, other) or abs(row["value"]) < 1e-12, f"the better one is {ends[0]}")
        self.hold(((row["p_adjusted"] or 1) < 0.05) == ("better" in self.text), f"p is {row['p_adjusted']}")

    def noise(self, names: str, **_: str) -> None:
        rows = [row for row in self.tables["differences"] if row["compared"] == "noise" and row["metric"] == "accuracy"]
        rows = [row for row in rows if row["scorer"] == self.tables["scores"][0]["scorer"]]
        falls = {row["model"] for row in rows if (row["p_adjusted"] or 1) < 0.05 and row["value"] < 0}
        self.hold({*self.names(names)} == falls, f"accuracy falls for {falls}")

    def hard(self, count: str, noise: str = "", **_: str) -> None:
        known = self.report.counts.get("hardest items", len(self.tables["hardest_items"]))
        self.hold(known == int(count), f"there are {known}")
        shares = {row["noise_ratio"] for row in self.tables["hardest_items"]}
        self.hold(not noise or shares == {int(noise) / 100}, f"noise is {shares}")

    def alpha(self, level: str, value: str, bound: str = "", **_: str) -> None:
        rows = [row for row in self.tables["agreement"] if row["metric"] == "alpha" and row["over"] == "items"]
        exact = rows[0]["value"]
        known = "good" if exact >= 0.8 else "tentative" if exact >= 0.667 else "low"
        self.hold(level == known and abs(exact - float(value.replace("−", "-"))) < 0.0051, f"alpha is {exact}")
        self.hold(not bound or rows[0]["low"] < float(bound), "the interval does not reach so far")

    def rises(self, one: str, **_: str) -> None:
        rows = {row["annotator"]: row["value"] for row in self.tables["annotators"] if row["metric"] == "alpha_without"}
        self.hold(rows[one] == max(value for value in rows.values() if value is not None), f"the table has {rows}")

    def spammers(self, kind: str, names: str, **_: str) -> None:
        kinds = {"Not": "guessing", "Against": "contrary", "Too": "undecided", "Agreement": "informed"}
        rows = [row for row in self.tables["informedness"] if row["metric"] == "informedness"]
        known = [row["annotator"] for row in rows if row["verdict"] == kinds[kind.split(maxsplit=1)[0]]]
        more = int(names.split()[-2]) if names.endswith(" more") else 0
        self.hold({*self.names(names)} <= {*known}, f"the table has {known}")
        self.hold(len(self.names(names)) + more == len(known), f"the table has {known}")

    def disputed(self, count: str, **_: str) -> None:
        known = self.report.counts.get("disputed items", len({row["item"] for row in self.tables["disputed_items"]}))
        self.hold(known == int(count), f"there are {known}")

    def strengths(self) -> dict[str, dict]:
        rows = [row for row in self.tables["agreement"] if row["metric"] == "strength" and row["value"] is not None]
        return {row["name"] if "name" in row else row["annotator"]: row for row in rows}

    def related(self, text: str) -> None:
        ways = {"significant agreement": 1, "significant disagreement": -1, "no significant relation": 0}
        strengths = self.strengths()
        for clause in text.split("; "):
            way, _, names = clause.partition(": ")
            for name in re.findall(rf"\b({NAME})\b", names):
                row = strengths[name]
                sign = (1 if row["value"] > 0 else -1) * ((row["p_adjusted"] or 1) < 0.05)
                self.hold(sign == ways[way.lower()], f"{row}")

    def prefers(self, shares: str, **_: str) -> None:
        known = {row["metric"]: row["value"] for row in self.tables["overview"]}
        for what, share in re.findall(r"the (longer|first) text (?:\(in characters\) )?in ([\d.]+)%", shares):
            value = known[{"longer": "prefers_longer", "first": "prefers_a"}[what]]
            self.hold(abs(100 * value - float(share)) < 0.051, f"the table has {value}")

    def replaces(self, **_: str) -> None:
        rates = {row["judge"]: row["value"] for row in self.tables["judges"] if row["metric"] == "winning_rate"}
        gaps = {row["judge"]: row for row in self.tables["judges"] if row["metric"].endswith("_difference")}
        for clause in self.text.split("; "):
            for name in self.names(re.split(" can | agreed | did | could ", clause)[0]):
                rate, gap = rates.get(name), gaps[name]
                known = "not be tested" if rate is None else "not pass" if rate < 0.5 else "can replace|passed"
                self.hold(re.search(known, clause), f"{name}: {rate}")
                if "can replace" in clause and gap["low"] is not None:
                    worse = gap["low"] > 0 if gap["metric"].startswith("distance") else gap["high"] < 0
                    self.hold(not worse, f"{name} agrees significantly less: {gap}")

    def use(self, names: str, **_: str) -> None:
        for name in self.names(names):
            rates = {row["judge"]: row["value"] for row in self.tables["judges"] if row["metric"] == "winning_rate"}
            gaps = {row["judge"]: row for row in self.tables["judges"] if row["metric"] == "agreement_difference"}
            self.hold((rates[name] or 0) >= 0.5, f"{name}: {rates[name]}")
            self.hold(name not in gaps or (gaps[name]["low"] or 0) >= -0.05, f"{name} may be far below the ceiling")

    def far_below(self, judges: str) -> None:
        rows = [row for row in self.tables["judges"] if row["metric"] == "agreement_difference"]
        for one, size in re.findall(r"([A-E]) \(up to ([\d.]+) pp\)", judges):
            low = next(row["low"] for row in rows if row["judge"] == one)
            self.hold(low < -0.05 and abs(100 * low + float(size)) < 0.051, f"the table has {low}")

    def biased(self, one: str, what: str, size: str) -> None:
        rows = [row for name in ("drift", "certainty", "bias", "bias_scale") for row in self.tables.get(name, [])]
        rows = [row for row in rows if row["judge"] == one and (row["p_adjusted"] or 1) < 0.05]
        kinds = [row["metric"] if row["metric"] == "overconfidence" else row.get("bias", "change") for row in rows]
        found = [row["value"] for row, kind in zip(rows, kinds, strict=True) if what.startswith(kind)]
        scale, shown = 100 if "pp" in self.text else 1, float(size.replace("−", "-"))
        self.hold(any(abs(scale * value - shown) < 0.051 for value in found), f"the tables have {found}")

    def label_rates(self, text: str, **_: str) -> None:
        rows = {(row["label"], row["judge"]): row for row in self.tables["label_rates"]}
        for clause in text.split("; "):
            label, _, rates = clause.partition(": ")
            for name, share in re.findall(r"([A-E]) ([\d.]+)%", rates):
                row = rows[label.strip('"'), name]
                self.hold(abs(100 * row["value"] - float(share)) < 0.51, f"{name} finds {label} in {row['value']}")

    def length(self, **_: str) -> None:
        rows = [row for row in self.tables["overview"] if row["metric"] == "prefers_longer"]
        self.hold(any(not row["low"] <= 0.5 <= row["high"] for row in rows), "no preference for length")

    def fine(self, **_: str) -> None:
        """Nothing to derive: a pointer, an option, or a count of what is left."""


SIZE = rf"(?:[a-z0-9 ]*? )?(?P<size>{NUMBER})(?: pp)?(?: \[[^]]*\])?(?: on \d+ shared \w+| \(\d+ of \d+ \w+ shared\))?(?:, (?:adj\. )?p (?P<p>[<>=] [\d.]+))?(?: over \d+ tests)?"
WHO = r"(?P<one>[A-E])"
RAG = r"(?:accuracy[\w (),%]*|rejection rate|error [a-z]+ rate)"
BETTER = (
    rf"{WHO} (?:scores highest|predicts human preferences best|has the highest [\w ]+), significantly better than "
    r"(?P<others>[A-E, and]+(?:\d+ more)?)(?:; in F1, which counts false alarms, [A-E, and]+ is significantly better)?"
)
FORMS = {
    BETTER: Claim.better,
    rf"{WHO} [\w ]+, but not significantly better than (?P<others>.*)": Claim.not_better,
    rf"(?P<text>.*); {WHO} is not significantly better than the baseline (?P<baseline>\w+)": Claim.unbeaten,
    r"Significantly better than the baseline (?P<baseline>\w+): (?P<better>[^;]+)(?:; (?P<others>not significantly: .+|worse: .+))?": Claim.above,
    r"No significant difference (?:in [^:]*? )?(?:between|among) [^:]*?(?:: (?P<n>\d+) [a-z ]+ are too few)?": Claim.nobody,
    rf"{WHO} is significantly better than (?P<other>[A-E]): {RAG} (?P<size>{NUMBER}) pp.*": Claim.largest,
    rf"Not significant: {WHO} − (?P<other>[A-E]), {RAG} (?P<size>{NUMBER}) pp.*": Claim.largest,
    rf"{WHO} is significantly better than (?P<other>[A-E]): {SIZE}": Claim.better_sized,
    r"(?P<few>\d+) of (?P<many>\d+) pairs differ significantly; ranks: (?P<ranks>.*)": Claim.pairs,
    r"(?P<names>[A-E, and]+) (?:is|are) significantly worse than (?P<others>[A-E, and]+)(?: in [\w -]+)?": Claim.worse,
    rf"Not significant: (?P<names>{WHO} − (?P<other>[A-E])), {SIZE}": Claim.tied,
    rf"About (?P<count>[\d,]+) [a-z ]+ would detect a difference of (?P<size>{NUMBER})(?: pp)? \(80% power\)": Claim.needed,
    r"Plan for the smallest difference that matters: (?P<size>[\d.]+)(?: pp)? is too uncertain to plan from": Claim.needed,
    rf"Choose {WHO}": Claim.choose,
    r"Small samples \((?:(?P<few>\d+)–)?(?P<many>\d+) [a-z ]+\): intervals may be too narrow": Claim.small,
    r"(?:! marks intervals that may be too narrow|All intervals of .* are rough) \(reasons: --details\)": Claim.fine,
    r"(?P<few>(?:[A-E]|p\d): only \d+ [a-z ]+.*)": Claim.only,
    r"Differences on shared questions only: \d+ of \d+ for .*": Claim.fine,
    r"(?P<judges>.*) may agree less than the human ceiling": Claim.far_below,
    r"Few clusters \((?P<count>\d+) \w+\): intervals are rough": Claim.clusters,
    rf"{WHO}: (?P<count>\d+) of (?P<of>\d+) [a-z]+ missing, (?:excluded|counted as wrong)(?: \(at most .*\))?": Claim.missing,
    rf"(?P<count>\d+) [a-z]+ of (?P<judges>\d+) [a-z]+ missing, .* \(most: {WHO}, (?P<few>\d+) of (?P<of>\d+)\)": (
        Claim.missing_total
    ),
    r"Excluded [a-z]+: .*": Claim.excluded,
    r'(?P<part>\w[\w ]*: )?[Aa]lways answering "(?P<label>[\w ]+)" scores (?P<share>[\d.]+)%, more than .*': (
        Claim.constant
    ),
    r"(?:The reference never uses|Only the reference uses) .*": Claim.one_sided,
    r"Rare reference labels: .*": Claim.rare,
    r"(?P<count>\d+) of (?P<of>\d+) \w+ (?P<what>repeat|have) (?:the texts of another|an empty text)": Claim.texts,
    r"Below chance \(kappa under 0\): (?P<names>.*)\. Check whether labels are swapped": Claim.below_chance,
    rf"Read the (?P<count>\d+) errors? of {WHO}": Claim.errors,
    r"Recall of human labels, (?P<text>.*)": Claim.label_rates,
    r"Significantly better than another model: (?P<models>.*)": Claim.leads,
    r"Significantly better in other metrics: (?P<models>.*)": Claim.leads_in_others,
    r"Significantly less accurate with noise: (?P<names>.*)": Claim.noise,
    r"Read the (?P<count>\d+) questions? that every model got wrong(?: \((?P<noise>\d+)% noise\))?.*": Claim.hard,
    rf"Agreement is (?P<level>\w+): Krippendorff's alpha (?P<value>{NUMBER})(?: \[.*\])?"
    r"(?:, but its CI extends below (?P<bound>[\d.]+))?": Claim.alpha,
    rf"Without (?P<one>{NAME}), Krippendorff's alpha is .*": Claim.rises,
    r"(?P<kind>Not significantly|Against the|Too few labels|Agreement with the) ?[^:]*(?:guessing|swapped|\)): (?P<names>.*)": Claim.spammers,
    r"Discuss the (?P<count>\d+) disputed items? with the annotators": Claim.disputed,
    r"(?P<text>(?:Significant (?:dis)?agreement|No significant relation): .*)": Claim.related,
    r".* prefers (?P<shares>.*) of votes": Claim.prefers,
    r"Check whether length drives .*'s votes": Claim.length,
    r"No action needed|Resolve the cautions or report them with the results": Claim.fine,
    r"[A-E, and]+(?:\d+ more)? (?:can replace|agreed|did not pass|could not be) .*": Claim.replaces,
    r"Use (?P<names>[A-E, or]+)": Claim.use,
    r"(?:Read the labels of|Keep human annotators for|Have three or more human annotators label) .*": Claim.fine,
    rf"{WHO}: (?P<what>change|overconfidence|[\w ]+? bias)(?: .*?)? (?P<size>{NUMBER})(?: pp)?(?: \[.*)?": Claim.biased,
    r"(?:.*\(--[a-z-]+\).*|\d+ more: --details|\d+ more warnings: --details)": Claim.fine,
    r"(?:[\w ']+ is undefined(?: for every \w+)?|Undefined strength): .*": Claim.fine,
}
"""The form of a sentence -> what derives it again."""

"""Some work for a model, from its calls to an output: asked now, written as a batch, or counted alone."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic
from typing import Any

from adjudge.errors import MissingError, OptionError, flag_name
from adjudge.llm.asking import Ask, Watch, replies, unanswered
from adjudge.llm.attempts import UNREACHABLE
from adjudge.llm.batches import BatchResults, BatchWriter
from adjudge.llm.calls import Call, Tally
from adjudge.llm.costs import CostPlan, Prices, planned, prices_of
from adjudge.llm.options import AskingOptions, Server
from adjudge.llm.prompts import Template, left_out
from adjudge.readers.problems import count_words
from adjudge.render.files import replacing, write_lines
from adjudge.text.similarity import checked_address


@dataclass(frozen=True, slots=True)
class Work:
    """Some work for a model, and what is made of its answers.

    first: its first calls; all of them, unless later ones depend on answers. gathered: what the answers give; it is
    handed what goes from calls to each call with its reply, in order, and may be called several times. output: the file
    that is written. write: writes what the answers give into it, and gives notes on that; rows become lines. spent: the
    cost of earlier work that counts towards `max_cost`.
    """

    first: Callable[[], Iterator[Call]]
    gathered: Callable[[Ask], Any]
    output: Path | None
    write: Callable[[Any, Any], Iterable[str] | None] = write_lines
    spent: float = 0.0


@dataclass(frozen=True, slots=True)
class Asked:
    """What came of asking a model; it prints in a line.

    tally: how many calls became what; None if nothing was asked. plan: what asking would take, for a dry run. cost:
    by the prices known. batch: the batch file that was written. output: the file of results. notes: remarks.
    is_incomplete: whether fewer calls were answered than asked for.
    """

    tally: Tally | None = None
    plan: CostPlan | None = None
    cost: float | None = None
    batch: Path | None = None
    output: Path | None = None
    notes: tuple[str, ...] = ()
    is_incomplete: bool = False

    def __str__(self) -> str:
        if self.plan is not None:
            return f"{self.plan}; {self.price}"
        if self.batch is not None:
            return f"{self.batch}: written; give the results of the batch to the same command with --from-batch"
        return f"{self.output}: {f'{self.tally}; {self.price}' if self.tally else 'written'}"

    @property
    def price(self) -> str:
        """The cost in words."""
        if self.cost is None:
            return "price unknown"
        return f"cost {self.cost:,.2f}" if round(self.cost, 2) else f"cost {self.cost:.1g}"


def ask_model(
    options: AskingOptions,
    task: str,
    work: Work,
    templates: Mapping[str, Template],
    told: Iterable[str] = (),
) -> Asked:
    """Ask a model and write what comes of it, or say what that would take.

    task: what the work is called. templates: its prompts, by Adjudge's names. told: what to say before all else.

    Raises MissingError, and writes nothing, where no call was answered since calls failed.
    """
    asked = _answers_or_plan(options, task, work)
    unseen = []
    for name, template in templates.items():
        if places := ", ".join(left_out(template, name)):
            unseen.append(f"the prompt {template.name} has no place for {places}, which the model thus does not see")
    return replace(asked, notes=(*told, *unseen, *asked.notes))


def _answers_or_plan(options: AskingOptions, task: str, work: Work) -> Asked:
    if options.batch_file is not None and options.from_batch is not None:
        raise OptionError(
            f"writes calls, whose answers {flag_name('from_batch')} reads; give one of them", option="batch_file"
        )
    prices = checked_prices(options, options.model)
    if options.base_url:
        checked_address(options.base_url)
    options = AskingOptions.of({**options.values(), "logs": options.logs or f"{work.output or task}.logs"})
    if options.dry_run:
        plan = planned(unanswered(work.first(), options))
        return Asked(plan=plan, cost=prices.of(plan.tokens_in, plan.tokens_out) if prices else None)
    tally = Tally()
    with (options.progress or nullcontext)(f"asking {options.model}") as tell, _asker(options) as asker:
        watch = _watch(options, prices, asker, tell, work)
        result = work.gathered(lambda calls: replies(calls, asker, options, watch, tally))
        if options.batch_file is not None:
            return Asked(batch=Path(options.batch_file), notes=asker.remarks())
        if tally.failed and not tally.answered:
            many, why = count_words(tally.asked, "call", "calls"), tally.reasons()
            fix = f"start the server, or give its address with {flag_name('base_url')}" if UNREACHABLE in why else ""
            raise MissingError(f"no answer to {many}; nothing was written", found=why, fix=fix)
        notes = (*(work.write(result, work.output) or ()), *tally.remarks())
    lacking = options.from_batch is None and tally.answered < options.min_answered * tally.asked
    if lacking:
        share = f"{tally.answered / tally.asked:.1%} of the calls were answered"
        notes = (*notes, f"{share}, less than the {options.min_answered:.1%} of --min-answered")
    cost = prices.of(tally.tokens_in, tally.tokens_out) if prices else None
    return Asked(tally, None, cost, None, work.output, notes, lacking)


def _watch(options: AskingOptions, prices: Prices | None, asker: Any, tell: object, work: Work) -> Watch:  # noqa: ANN401
    """Tells how many calls are done, how fast, and what became of them, and ends what costs too much."""
    start, total = monotonic(), sum(1 for _ in work.first())

    def watch(tally: Tally) -> None:
        spent = work.spent + (prices.of(tally.tokens_in, tally.tokens_out) if prices else 0.0)
        if options.max_cost is not None and spent >= options.max_cost and not getattr(asker, "over", ""):
            asker.over = f"not asked, since the cost has reached {spent:,.2f}"
        if callable(tell):
            new, lost = tally.asked - tally.known, tally.asked - tally.answered
            rate, tokens = new / max(monotonic() - start, 1e-9), tally.tokens_in + tally.tokens_out
            counts = f"{tally.asked:,} of {total:,}, {rate:.1f} a second, {lost:,} lost, {tokens:,} tokens"
            tell(tally.asked, total, counts)

    return watch


def checked_prices(options: Server, model: str) -> Prices | None:
    """The prices of a model. Raises OptionError for one without a provider, and for `max_cost` without a price."""
    check_model(model)
    prices = prices_of(options.prices, model)
    if options.max_cost is not None and prices is None:
        raise OptionError(f"{flag_name('max_cost')}: no price of {model}", fix=f"{flag_name('prices')} FILE")
    return prices


def check_model(model: str) -> None:
    """Raises OptionError for a model that does not say who provides it."""
    provider, _, name = model.partition("/")
    if not provider or not name:
        raise OptionError(
            f'expected PROVIDER/NAME; got "{model}"', option="model", fix=f"openai/{name or provider or 'NAME'}"
        )


@contextmanager
def _asker(options: AskingOptions) -> Iterator[Any]:
    """The model, or a batch."""
    if options.from_batch is not None:
        yield BatchResults(Path(options.from_batch))
    elif options.batch_file is not None:
        with replacing(Path(options.batch_file)) as partial, partial.open("w", encoding="utf-8") as file:
            yield BatchWriter(file, options)
    else:
        from adjudge.llm.inspecting import InspectAsker

        yield InspectAsker(options)

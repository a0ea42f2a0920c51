"""What people with low sight and without a mouse need of a page: contrast, a visible focus, controls in reach."""

from playwright.sync_api import Page

_FAINT = """
() => {
  const colour = text => { const [r, g, b, a = 1] = text.match(/[\\d.]+/g).map(Number);
    return text.startsWith('color(srgb') ? [r * 255, g * 255, b * 255, a] : [r, g, b, a] };
  const over = (top, under) => [0, 1, 2].map(one => top[one] * top[3] + under[one] * (1 - top[3]));
  const light = rgb => rgb.map(one => one / 255).map(one => one <= .04045 ? one / 12.92 : ((one + .055) / 1.055) ** 2.4)
    .reduce((sum, one, place) => sum + one * [.2126, .7152, .0722][place], 0);
  const behind = element => {
    const layers = [];
    const { x, y, width, height } = element.getBoundingClientRect();
    for (let one = element; one; one = one.parentElement) {
      const box = one.getBoundingClientRect(), [middle, centre] = [x + width / 2, y + height / 2];
      const holds = box.left <= middle && middle <= box.right && box.top <= centre && centre <= box.bottom;
      if (holds || one === document.documentElement) layers.push(colour(getComputedStyle(one).backgroundColor));
    }
    return layers.reverse().reduce((under, layer) => over(layer, under), [255, 255, 255]);
  };
  const found = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode, element = node.parentElement, style = getComputedStyle(element);
    const box = element.getBoundingClientRect();
    if (!node.data.trim() || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true })
      || box.width < 2 || box.height < 2 || box.top >= innerHeight || box.bottom <= 0 || element.closest('script, style, noscript, [disabled], canvas')) continue;
    let opacity = 1;
    for (let one = element; one; one = one.parentElement) opacity *= Number(getComputedStyle(one).opacity);
    const html = element.closest('[data-testid=stHtml]')?.getBoundingClientRect();
    if (html && box.x + box.width / 2 > html.right) continue;
    const ground = behind(element), own = colour(element.closest('svg') ? style.fill : style.color);
    const ink = over([own[0], own[1], own[2], own[3] * opacity], ground);
    const [low, high] = [light(ink), light(ground)].sort((a, b) => a - b), ratio = (high + .05) / (low + .05);
    const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if (ratio < (large ? 3 : 4.5)) found.push(`${ratio.toFixed(2)} ${node.data.trim().slice(0, 40)}`);
  }
  return [...new Set(found)];
}"""
"""Text in the window with less contrast than WCAG 2.2 asks for at level AA: its contrast and its beginning."""

_CONTROLS = "button, input, textarea, select, summary, a[href], canvas[tabindex], [role=slider]"
_REACHABLE = f"""
() => [...document.querySelectorAll('{_CONTROLS}')].filter(one => !one.disabled && one.tabIndex >= 0
    && one.checkVisibility({{ opacityProperty: true, visibilityProperty: true }})
    && !one.closest('[aria-hidden=true], [inert]') && one.getBoundingClientRect().width > 1)
  .filter(one => [null, one].includes(one.closest('[role=radiogroup]')?.querySelector('button, input') ?? null))
  .map((one, place) => one.dataset.place = `${{place}} ${{one.ariaLabel || one.innerText || one.id || one.tagName}}`)
"""
"""Marks the controls of a page, and says which there are; of buttons that exclude one another the first, from which
arrows lead on."""
_REACHED = """
() => {
  const one = document.activeElement, among = one.closest('[role=radiogroup]')
  return (among?.querySelector('[data-place]') ?? one).dataset.place ?? ''
}"""
_AT_ONCE = """
at_once => {
  document.getElementById('at-once')?.remove()
  const style = Object.assign(document.createElement('style'), { id: 'at-once' })
  style.textContent = '*, *::before, *::after { transition: none !important }'
  if (at_once) document.head.append(style)
}"""
"""What gets the focus looks so at once, or as it does."""
_FOCUS = """
async place => {
  const one = document.querySelector(`[data-place="${CSS.escape(place)}"]`);
  one.scrollIntoView({ block: 'nearest' });
  one.focus({ focusVisible: true });
  await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
}"""
_BLUR = """
async () => {
  document.activeElement.blur();
  await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
}"""
_BOX = """
() => {
  const { x, y, width, height } = document.activeElement.getBoundingClientRect();
  return { x: Math.max(0, x - 12), y: Math.max(0, y - 8), width: width + 24, height: height + 16 };
}"""


def faint(page: Page) -> list[str]:
    """Texts that are hard to see on what stands behind them."""
    return page.evaluate(_FAINT)


def seen(page: Page) -> None:
    """Wait until no text is hard to see: a theme that is turned to reaches one part of the page after the other."""
    page.wait_for_function(f"({_FAINT})().length === 0")


def out_of_reach(page: Page) -> set[str]:
    """The controls to which Tab does not lead. In a table it goes from cell to cell."""
    left = set(page.evaluate(_REACHABLE))
    cells = 30 * page.locator("canvas[tabindex]").count()
    page.evaluate("document.body.tabIndex = -1; document.body.focus()")
    for _ in range(len(left) + cells + 20):
        page.keyboard.press("Tab")
        left.discard(page.evaluate(_REACHED))
        if not left:
            break
    return left


def without_focus(page: Page) -> list[str]:
    """The controls that look the same with the focus as without, but for tables, whose cells show it."""
    page.keyboard.press("Tab")  # the focus is not shown to those who use a mouse
    page.evaluate(_AT_ONCE, True)
    found = []
    for place in page.evaluate(_REACHABLE):
        if place.endswith("CANVAS"):
            continue
        page.evaluate(_FOCUS, place)
        box = page.evaluate(_BOX)  # of buttons that exclude one another the one that had it before has it again
        with_focus = page.screenshot(clip=box)
        page.evaluate(_BLUR)
        if page.screenshot(clip=box) == with_focus:
            found.append(place)
    page.evaluate(_AT_ONCE, False)
    return found

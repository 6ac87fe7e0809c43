"""A control looks the same, whether a figure draws it or Streamlit does."""

from tests.browser.harness import settled

# A kind, ours and Streamlit's, and what is the same of every one. A list in a figure is as low as its text. The
# group at the right of a page's head has one frame for all its buttons.
KINDS = {
    "button": ("button.plain:not(.small, .bare)", "[kind=secondary]", "height line ground corner"),
    "choice": (".joined > .on", "[data-variant][data-selected]", "height line ground letters"),
    "another choice": (
        ".joined > :not(.on)",
        "[data-variant]:not([data-selected])",
        "height line ground letters",
    ),
    "list": ("select", "[data-testid=stSelectbox] [role=group]", "line ground corner"),
    "fold": (".fold > summary", "[data-testid=stExpander] summary", "height box ground letters"),
}
FORMS = """kinds => {
  const inside = root => [...root.querySelectorAll('*')].flatMap(e => (e.shadowRoot ? roots(e.shadowRoot) : []));
  const roots = root => [root, ...inside(root)];
  const line = s => [s.borderBlockStartWidth, s.borderBlockStartColor, s.borderBlockEndWidth].join(' ');
  const found = [];
  for (const root of roots(document.querySelector('[data-testid=stMain]')))
    for (const [kind, [ours, theirs, alike]] of Object.entries(kinds))
      for (const e of root.querySelectorAll(root.host ? ours : theirs)) {
        if (!e.checkVisibility({ visibilityProperty: true }) || e.closest('.st-key-steps')) continue;
        const s = getComputedStyle(e), text = getComputedStyle(e.querySelector('p') ?? e);
        const of = { height: e.offsetHeight, line: line(s), box: line(getComputedStyle(e.parentElement)),
          ground: s.backgroundColor, corner: s.borderStartEndRadius,
          letters: `${text.fontSize} ${text.fontWeight}` };
        const form = alike.split(' ').map(name => `${name} ${of[name]}`).join(', ');
        found.push([kind, form, root.host ? 'a figure' : 'Streamlit', e.textContent.trim().slice(0, 20)]);
      }
  return found;
}"""


def test_a_figures_controls_look_as_streamlits_do(open_page):
    forms, drawn_by = {}, {}
    for name in ("queries_keys?way=one", "position", "masking", "worksheets"):
        page = open_page(name)
        settled(page)
        for kind, form, who, text in page.evaluate(FORMS, KINDS):
            forms.setdefault(kind, {}).setdefault(form, []).append(f"{who} on {name}: {text}")
            drawn_by.setdefault(kind, set()).add(who)
    assert drawn_by == {kind: {"a figure", "Streamlit"} for kind in KINDS}, "both are on these pages"
    assert not {kind: found for kind, found in forms.items() if len(found) > 1}

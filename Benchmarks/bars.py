# Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

"""Draws horizontal bars as SVG, a panel per measurement, in colors for light and for dark pages."""

from html import escape

Bars = list[tuple[str, float]]

# The class of a bar comes from the first of these words in its label.
CLASSES = {"curl": "other", "nginx": "other", "alone": "other", "before": "before", "now": "now"}

STYLE = """<style>
  svg { color-scheme: light dark; }
  .ground { fill: #fff; } text { fill: #1c2430; }
  .now { fill: #0b6e99; } .before { fill: #c2571a; } .other { fill: #888; } .goal { stroke: #1a7f4b; stroke-width: 2; }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #14171c; } text { fill: #e4e8ee; }
    .now { fill: #4fb3dc; } .before { fill: #e8894f; } .other { fill: #8b95a3; } .goal { stroke: #5fd39a; }
  }
</style>"""


def draw(panels: list[tuple[str, str, Bars] | tuple[str, str, Bars, float]], title: str, description: str) -> str:
    """Returns an SVG document.

    A panel is a title, a unit and its bars, and optionally a goal, which is a vertical line; a bar is a label and a value.
    Each panel has a scale of its own, from zero to its largest value. `title` and `description` are for screen readers."""
    width, left, row, scale = 900, 210, 20, 520
    lines, y = [], 10
    for name, unit, bars, *goal in panels:
        y += 20
        lines.append(f'<text x="10" y="{y}" font-weight="bold">{escape(name)}</text>')
        largest = max([value for _, value in bars] + goal)
        top = y + 4
        for label, value in bars:
            y += row
            kind = next((kind for word, kind in CLASSES.items() if word in label.lower()), "now")
            length = scale * value / largest if largest else 0
            lines.append(f'<text x="{left - 8}" y="{y}" text-anchor="end">{escape(label)}</text>')
            lines.append(f'<rect x="{left}" y="{y - 11}" width="{length:.1f}" height="14" class="{kind}"/>')
            number = f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
            lines.append(f'<text x="{left + length + 6:.1f}" y="{y}">{number} {escape(unit)}</text>')
        for value in goal:
            x = left + scale * value / largest
            lines.append(f'<path d="M{x:.1f} {top}V{y + 6}" class="goal"/>')
            lines.append(f'<text x="{x:.1f}" y="{y + 18}" text-anchor="middle">goal {value:g}</text>')
            y += 12
        y += 12
    height = y + 10
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12"'
        ' role="img" aria-labelledby="title description">',
        f'<title id="title">{escape(title)}</title>', f'<desc id="description">{escape(description)}</desc>', STYLE,
        f'<rect width="{width}" height="{height}" class="ground"/>', *lines, "</svg>", ""])

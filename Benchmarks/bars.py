# This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
# SPDX-License-Identifier: Apache-2.0

"""Draws horizontal bars as SVG, a panel per measurement."""

from html import escape

COLORS = {"curl": "#888888", "nginx": "#888888", "alone": "#888888", "before": "#c2571a", "now": "#0b6e99"}


def draw(panels: list[tuple[str, str, list[tuple[str, float]]]]) -> str:
    """Returns an SVG document.

    A panel is a title, a unit and its bars; a bar is a label and a value. The color of a bar comes from a word of its label.
    Each panel has a scale of its own, from zero to its largest value."""
    width, left, row, scale = 900, 210, 20, 520
    lines, y = [], 10
    for title, unit, bars in panels:
        y += 20
        lines.append(f'<text x="10" y="{y}" font-weight="bold">{escape(title)}</text>')
        largest = max(value for _, value in bars)
        for label, value in bars:
            y += row
            color = next((color for word, color in COLORS.items() if word in label.lower()), "#0b6e99")
            length = scale * value / largest if largest else 0
            lines.append(f'<text x="{left - 8}" y="{y}" text-anchor="end">{escape(label)}</text>')
            lines.append(f'<rect x="{left}" y="{y - 11}" width="{length:.1f}" height="14" fill="{color}"/>')
            number = f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
            lines.append(f'<text x="{left + length + 6:.1f}" y="{y}">{number} {escape(unit)}</text>')
        y += 12
    height = y + 10
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="{height}" fill="#fff"/>', *lines, "</svg>", ""])

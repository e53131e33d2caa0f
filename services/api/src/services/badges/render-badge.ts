import type { BadgeStatus } from "@waymark/server/services/badges/badge-status.ts";

const LABEL = "API contract";

/** Each has a contrast of at least 4.5:1 to white. */
const COLORS: Readonly<Record<BadgeStatus | "unknown", string>> = {
  failed: "#c92a2a",
  "not promoted": "#b23c0a",
  "breaks clients": "#c92a2a",
  "critical findings": "#c92a2a",
  passing: "#087f5b",
  "no scan yet": "#565d64",
  unknown: "#565d64",
};
const LABEL_COLOR = "#343a40";

const HEIGHT = 20;
const PADDING = 7;
/** Letters that are narrower or wider than the others, in a font that every reader has something like. */
const WIDTHS = [
  { letters: "ijl", width: 3.1 },
  { letters: "Ifrt ", width: 4.3 },
  { letters: "mw", width: 10 },
];
const LETTER_WIDTH = 6.7;

/** The badge as SVG, made of fixed texts only. */
export function renderBadge(status: BadgeStatus | "unknown"): string {
  const [label, value] = [widthOf(LABEL), widthOf(status)];
  const width = label + value;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${HEIGHT}" role="img" aria-label="${LABEL}: ${status}">`,
    `<title>${LABEL}: ${status}</title>`,
    `<clipPath id="r"><rect width="${width}" height="${HEIGHT}" rx="3"/></clipPath>`,
    `<g clip-path="url(#r)">`,
    `<rect width="${label}" height="${HEIGHT}" fill="${LABEL_COLOR}"/>`,
    `<rect x="${label}" width="${value}" height="${HEIGHT}" fill="${COLORS[status]}"/>`,
    "</g>",
    `<g fill="#fff" font-family="Verdana, DejaVu Sans, Geneva, sans-serif" font-size="11" aria-hidden="true">`,
    textAt(PADDING, LABEL),
    textAt(label + PADDING, status),
    "</g>",
    "</svg>",
  ].join("");
}

function widthOf(text: string): number {
  return lengthOf(text) + 2 * PADDING;
}

/** About as long as readers' own fonts show it; `textLength` makes it so long. */
function lengthOf(text: string): number {
  const widths = Array.from(
    text,
    (letter) => WIDTHS.find(({ letters }) => letters.includes(letter))?.width ?? LETTER_WIDTH,
  );
  return Math.round(widths.reduce((sum, width) => sum + width, 0));
}

function textAt(x: number, text: string): string {
  return `<text x="${x}" y="14" textLength="${lengthOf(text)}" lengthAdjust="spacingAndGlyphs">${text}</text>`;
}

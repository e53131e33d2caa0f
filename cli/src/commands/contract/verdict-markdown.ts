import { plural } from "../../lib/text.ts";
import { escapeMarkdown } from "../../report/markdown.ts";
import { headlineOf } from "./headline.ts";
import { type JudgedComparison, type JudgedVerdict, ofLevel } from "./judged-comparison.ts";
import {
  coveredOf,
  coverText,
  notComparedText,
  operationsText,
  positionText,
  TITLES,
  witnessText,
} from "./verdict-lines.ts";

const ROWS_MAX = 100;

export interface MarkdownOptions {
  /** The number of "#" of a level's heading. */
  depth?: number;
  /** True if each change has the fingerprint by which it is approved. */
  fingerprints?: boolean;
  /** The most rows of one level. */
  rowsMax?: number;
}

/** The verdicts as Markdown, for a comment or a summary: how many changes break clients, then each of them. */
export function verdictMarkdown(comparison: JudgedComparison, options: MarkdownOptions = {}): string {
  const sections = [
    ...(["breaking", "maybe"] as const).map((level) => section(level, ofLevel(comparison, level), options)),
    ...coveredOf(comparison).map(([kind, verdicts]) => section(kind, verdicts, options)),
    folded(section("safe", ofLevel(comparison, "safe"), options)),
  ];
  const left = comparison.notCompared.map((part) => `- ${escapeMarkdown(notComparedText(part))}`);
  const parts = [
    `**${escapeMarkdown(headlineOf(comparison))}**`,
    ...sections.filter((text) => text !== ""),
    ...(left.length === 0 ? [] : [left.slice(0, ROWS_MAX).join("\n")]),
  ];
  return `${parts.join("\n\n")}\n`;
}

function section(
  kind: keyof typeof TITLES,
  verdicts: readonly JudgedVerdict[],
  { depth = 3, fingerprints = false, rowsMax = ROWS_MAX }: MarkdownOptions,
): string {
  if (verdicts.length === 0) return "";
  const rows = verdicts.slice(0, rowsMax).map((verdict) => {
    const details = [
      ...(verdict.witness === undefined ? [] : [escapeMarkdown(witnessText(verdict))]),
      ...(verdict.reason === undefined ? [] : [escapeMarkdown(`undecided: ${verdict.reason}`)]),
      ...[coverText(verdict) ?? []].flat().map(escapeMarkdown),
      ...(fingerprints && kind !== "safe" ? [`fingerprint \`${verdict.fingerprint}\``] : []),
    ];
    const place = escapeMarkdown(positionText(verdict.head ?? verdict.base));
    return `- ${[`${sentenceOf(verdict)}${place}`, ...details].join("<br>")}`;
  });
  const more = verdicts.length - rows.length;
  const rest = more > 0 ? [`- … and ${more} more`] : [];
  const heading = `${"#".repeat(depth)} ${TITLES[kind]}: ${plural(verdicts.length, "change")}`;
  return `${heading}\n\n${[...rows, ...rest].join("\n")}`;
}

/** The operation, and what happened to it. A sentence that begins with the operation names it once. */
function sentenceOf(verdict: JudgedVerdict): string {
  const name = operationsText(verdict);
  const { message } = verdict;
  const rest = message.startsWith(name) ? message.slice(name.length) : `: ${message}`;
  return `**${escapeMarkdown(name)}**${escapeMarkdown(rest)}`;
}

/** Folds a section that needs nobody's attention: only its heading is seen. */
function folded(text: string): string {
  const [heading = "", ...rest] = text.split("\n");
  if (heading === "") return "";
  return `<details><summary>${heading.replace(/^#+ /, "")}</summary>\n${rest.join("\n")}\n\n</details>`;
}

import type { Comparison } from "@waymark/contract-diff/compare-contracts.ts";
import { plural } from "../../lib/text.ts";
import { escapeMarkdown } from "../../report/markdown.ts";
import { ofLevel } from "./compare-sides.ts";
import { notComparedText, operationsText, placeText, witnessText } from "./verdict-lines.ts";

const ROWS_MAX = 100;

/** The verdicts as Markdown, for a comment or a summary. */
export function verdictMarkdown(comparison: Comparison): string {
  const parts = (["breaking", "maybe", "safe"] as const).flatMap((level) => {
    const verdicts = ofLevel(comparison, level);
    if (verdicts.length === 0) return [];
    const rows = verdicts.slice(0, ROWS_MAX).map((verdict) => {
      const witness = verdict.witness === undefined ? "" : `<br>${escapeMarkdown(witnessText(verdict))}`;
      const place = escapeMarkdown(placeText(verdict));
      return `- **${escapeMarkdown(operationsText(verdict))}**: ${escapeMarkdown(verdict.message)}${place}${witness}`;
    });
    const more = verdicts.length - rows.length;
    const rest = more > 0 ? [`- … and ${more} more`] : [];
    return [`### ${TITLES[level]}: ${plural(verdicts.length, "change")}`, "", ...rows, ...rest, ""];
  });
  const { base } = comparison.operations;
  const left = comparison.notCompared.map((part) => `- ${escapeMarkdown(notComparedText(part))}`);
  const rest = left.length === 0 ? "" : `\n${left.slice(0, ROWS_MAX).join("\n")}\n`;
  const none = `No change found in ${plural(base, "operation")}.\n`;
  return `${parts.length === 0 ? none : parts.join("\n")}${rest}`;
}

const TITLES = { breaking: "Breaks clients", maybe: "May break clients", safe: "Breaks no client" } as const;

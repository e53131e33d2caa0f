import type { Reporter } from "../../lib/reporter.ts";
import { plural } from "../../lib/text.ts";
import { escapeMarkdown } from "../../report/markdown.ts";
import { ofLevel } from "../contract/judged-comparison.ts";
import type { PreparedScan } from "./prepare-scan.ts";
import { writeSummary } from "./summarize.ts";

/** The services that the first line of a summary names. */
const NAMED_MAX = 20;

const BYTES_MAX = 900_000;

interface Section {
  service: string;
  check: PreparedScan["check"];
  markdown: string;
}

/** The summaries of many scans, in one: a comment is cut at its end, so that the services whose clients break come first. */
export interface ManySummaries {
  add: (scan: PreparedScan, markdown: string) => void;
  write: () => Promise<void>;
}

export function manySummaries(reporter: Reporter, files: readonly string[]): ManySummaries {
  const sections: Section[] = [];
  return {
    add: ({ payload, check }, markdown) => {
      sections.push({ service: payload.service.name, check, markdown });
    },
    write: async () => {
      if (sections.length === 0) return;
      const sorted = sections.toSorted((a, b) => rankOf(a) - rankOf(b));
      await writeSummary(reporter, files, `${headOf(sections)}${fitting(sorted)}`);
    },
  };
}

/** Services whose clients break come first, then those of which nothing is known, and those whose clients may break. */
function rankOf({ check }: Section): number {
  if (check === undefined) return 3;
  if (check.status === "not_compared") return check.reason === "no_base" ? 3 : 1;
  if (ofLevel(check.comparison, "breaking").length > 0) return 0;
  return ofLevel(check.comparison, "maybe").length > 0 ? 2 : 3;
}

function headOf(sections: readonly Section[]): string {
  const breaking = sections.filter((section) => rankOf(section) === 0);
  const unknown = sections.filter((section) => rankOf(section) === 1);
  if (sections.every(({ check }) => check === undefined)) return "";
  const lines = [
    ...(breaking.length === 0
      ? []
      : [
          `**Changes break clients of ${breaking.length} of ${plural(sections.length, "service")}:** ${named(breaking)}`,
        ]),
    ...(unknown.length === 0 ? [] : [`**Not compared:** ${named(unknown)}`]),
  ];
  return lines.map((line) => `${line}\n\n`).join("");
}

/** GitHub drops the summary of a step that has more than 1 MB. */
function fitting(sections: readonly Section[]): string {
  let text = "";
  for (const [index, { markdown }] of sections.entries()) {
    if (Buffer.byteLength(text) + Buffer.byteLength(markdown) > BYTES_MAX)
      return `${text}… and ${plural(sections.length - index, "service")} more\n`;
    text += markdown;
  }
  return text;
}

function named(sections: readonly Section[]): string {
  const shown = sections.slice(0, NAMED_MAX).map(({ service }) => escapeMarkdown(service));
  const more = sections.length - shown.length;
  return `${shown.join(", ")}${more > 0 ? `, and ${more} more` : ""}`;
}

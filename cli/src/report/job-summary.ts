import { type Environment, given } from "../config.ts";
import { printable } from "../lib/text.ts";
import { breakingCount, type ChangeLine, type DescribedChanges } from "./describe-changes.ts";
import { isGitHubActions } from "./github.ts";

export interface JobSummary {
  serviceName: string;
  resultUrl: string;
  endpointCount: number;
  findingCount: number;
  /** The comparison with the service's current run. */
  changes: DescribedChanges | undefined;
}

/** Items of one kind in a summary, which may have 1 MB. */
const ITEMS_MAX = 50;

/** The file of the GitHub Actions job's summary; undefined elsewhere. */
export function jobSummaryFile(environment: Environment): string | undefined {
  return isGitHubActions(environment) ? given(environment["GITHUB_STEP_SUMMARY"]) : undefined;
}

/** Adds a scan to the summary of a job. @throws the file system's error */
export async function writeJobSummary(file: string, summary: JobSummary): Promise<void> {
  const { serviceName, resultUrl, endpointCount, findingCount, changes } = summary;
  const { appendFile } = await import("node:fs/promises");
  await appendFile(
    file,
    `### Waymark scan of ${escapeMarkdown(serviceName)}\n\n` +
      `| Endpoints | Findings | Result |\n| --- | --- | --- |\n` +
      `| ${endpointCount} | ${findingCount} | [scan run](<${resultUrl}>) |\n\n` +
      (changes === undefined ? "" : describe(changes)),
  );
}

function describe(changes: DescribedChanges): string {
  const { endpoints, findings, breaking, endpointCounts, findingCounts } = changes;
  const lines = [
    "Compared with the service's current run:",
    `**${breakingCount(changes)}**`,
    ...list(breaking),
    endpointCounts,
    ...list(endpoints.map(itemOf)),
    findingCounts,
    ...list(findings.map(itemOf)),
  ];
  return `${lines.join("\n\n")}\n\n`;
}

function itemOf({ kind, text }: ChangeLine): string {
  return `${kind}: ${text}`;
}

/** One block of Markdown, or none. */
function list(items: readonly string[]): string[] {
  if (items.length === 0) return [];
  const shown = items.slice(0, ITEMS_MAX).map((item) => `- ${escapeMarkdown(item)}`);
  const more = items.length - shown.length;
  return [[...shown, ...(more > 0 ? [`- … and ${more} more`] : [])].join("\n")];
}

/** In one line, without markup or HTML, and without addresses that would become links. */
function escapeMarkdown(text: string): string {
  return printable(text, 300).replaceAll(/[\\`*_{}[\]<>|#~!&()@:]/g, String.raw`\$&`);
}

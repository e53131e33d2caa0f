import { describeBreakingCount, type ChangeLine, type DescribedChanges } from "./describe-changes.ts";
import { escapeMarkdown, markdownList as list } from "./markdown.ts";

export interface ScanSummary {
  serviceName: string;
  resultUrl: string;
  endpointCount: number;
  findingCount: number;
  /** The findings by severity, and how many of them are decided; undefined if none is. */
  decided: string | undefined;
  /** The changes that the scan makes for clients, as Markdown; undefined if nobody asked for it. */
  contract: { markdown: string; isCompared: boolean } | undefined;
  /** The comparison with the service's current run. */
  changes: DescribedChanges | undefined;
  /** A line for each call of a journey to a removed endpoint. */
  brokenJourneys: readonly string[];
}

/** Adds Markdown to a summary, which other steps of the job write too. @throws the file system's error */
export async function appendSummary(file: string, markdown: string): Promise<void> {
  const { appendFile } = await import("node:fs/promises");
  await appendFile(file, markdown);
}

/** A scan in Markdown. */
export function scanSummary(summary: ScanSummary): string {
  const { serviceName, resultUrl, endpointCount, findingCount, decided, contract, changes, brokenJourneys } =
    summary;
  return (
    `### Waymark scan of ${escapeMarkdown(serviceName)}\n\n` +
    (contract === undefined ? "" : `${contract.markdown}\n`) +
    `| Endpoints | Findings | Result |\n| --- | --- | --- |\n` +
    `| ${endpointCount} | ${findingCount} | [scan run](<${resultUrl}>) |\n\n` +
    (decided === undefined ? "" : `Findings: ${escapeMarkdown(decided)}\n\n`) +
    (changes === undefined ? "" : describe(changes, { breaking: contract?.isCompared !== true })) +
    describeBroken(brokenJourneys)
  );
}

/** @param options.breaking false if the verdicts on the contract say it */
function describe(changes: DescribedChanges, options: { breaking: boolean }): string {
  const { endpoints, findings, breaking, endpointCounts, findingCounts } = changes;
  const { headline, limits } = describeBreakingCount(changes);
  const lines = [
    "Compared with the service's current run:",
    ...(options.breaking ? [`**${headline}**`, ...list(breaking), limits] : []),
    endpointCounts,
    ...list(endpoints.map(itemOf)),
    findingCounts,
    ...list(findings.map(itemOf)),
  ];
  return `${lines.join("\n\n")}\n\n`;
}

function describeBroken(lines: readonly string[]): string {
  if (lines.length === 0) return "";
  return `${["**Journeys on the server that this scan breaks:**", ...list(lines)].join("\n\n")}\n\n`;
}

function itemOf({ kind, text }: ChangeLine): string {
  return `${kind}: ${text}`;
}

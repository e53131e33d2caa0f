import path from "node:path";
import type { Environment } from "../config.ts";
import { printable } from "../lib/text.ts";
import type { Reported } from "./reported.ts";

/** GitHub shows ten annotations of a step; more are dropped without a word. */
const ANNOTATIONS_MAX = 10;

/** Whether this runs in a GitHub Actions job. */
export function isGitHubActions(environment: Environment): boolean {
  return environment["GITHUB_ACTIONS"] === "true";
}

/** Lines that GitHub shows beside the code, the most severe findings first. */
export function annotations(findings: readonly Reported[], cwd: string): string[] {
  return findings.slice(0, ANNOTATIONS_MAX).map((finding) => {
    const { line, column } = finding.position();
    const level = { critical: "error", high: "error", medium: "warning", low: "notice", info: "notice" }[
      finding.severity
    ];
    const file = escapeProperty(path.relative(cwd, finding.file));
    const location = `file=${file},line=${line},col=${column},title=${escapeProperty(finding.code)}`;
    return `::${level} ${location}::${escapeData(finding.message)}`;
  });
}

export interface JobSummary {
  serviceName: string;
  resultUrl: string;
  endpointCount: number;
  findingCount: number;
}

/** Adds a scan to the summary of the GitHub Actions job; elsewhere does nothing. */
export async function writeJobSummary(environment: Environment, summary: JobSummary): Promise<void> {
  const file = environment["GITHUB_STEP_SUMMARY"];
  if (!isGitHubActions(environment) || file === undefined || file === "") return;
  const { serviceName, resultUrl, endpointCount, findingCount } = summary;
  const { appendFile } = await import("node:fs/promises");
  await appendFile(
    file,
    `### Waymark scan of ${escapeMarkdown(serviceName)}\n\n` +
      `| Endpoints | Findings | Result |\n| --- | --- | --- |\n` +
      `| ${endpointCount} | ${findingCount} | [scan run](<${resultUrl}>) |\n\n`,
  );
}

function escapeData(text: string): string {
  return printable(text).replaceAll("%", "%25");
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}

/** In one line, without markup or HTML, and without addresses that would become links. */
function escapeMarkdown(text: string): string {
  return printable(text, 200).replaceAll(/[\\`*_{}[\]<>|#~!&()@:]/g, String.raw`\$&`);
}

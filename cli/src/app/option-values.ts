import { REPORT_FORMATS } from "@waymark/journeys/report/formats.ts";
import { SEVERITIES } from "@waymark/shared/scans/limits.ts";

/** The placeholders for values in the help; clipanion writes `#0`. */
export const PLACEHOLDERS: Readonly<Record<string, string>> = {
  "--service": "<name>",
  "--spec": "<path>",
  "--api-key": "<key>",
  "--api-key-file": "<path>",
  "--api-url": "<url>",
  "--ca-cert": "<path>",
  "--allow-host": "<host>",
  "--rules": "<path>",
  "--include-path": "<pattern>",
  "--exclude-path": "<pattern>",
  "--tag": "<name>",
  "--severity": "<rule=level>",
  "--fail-on": "<severity>",
  "--wait-timeout": "<seconds>",
  "--spool": "<folder>",
  "--on-upload-error": "<mode>",
  "--report-sarif": "<path>",
  "--report-junit": "<path>",
  "--report-codequality": "<path>",
  "--overlay": "<path>",
  "--source": "<name=path>",
  "--workflow": "<id>",
  "--env": "<name>",
  "--out": "<path>",
  "--openapi": "<path>",
  "--min": "<percent>",
  "--input": "<name=value>",
  "--inputs": "<path>",
  "--data": "<path>",
  "--secret": "<name=path>",
  "--server": "<source=url>",
  "--parallel": "<n>",
  "--timeout": "<seconds>",
  "--report": "<format=path>",
  "--resource": "<name>",
  "--template": "<path>",
  "--variant-of": "<path>",
  "--url": "<url>",
  "--title": "<text>",
  "--set": "<pointer=value>",
  "--set-value": "<pointer=value>",
  "--insert": "<pointer=value>",
  "--move": "<pointer=index>",
  "--remove": "<pointer>",
  "--wrap": "<pointer=key>",
  "--reset": "<pointer>",
  "--insert-step": "<path>",
  "--move-step": "<id>",
  "--remove-step": "<id>",
  "--rename-step": "<old=new>",
  "--before": "<id>",
  "--after": "<id>",
  "--edits": "<path>",
  "--arazzo": "<version>",
};

/** The values of options and operands that have a fixed set of them. */
const CHOICES: Readonly<Record<string, readonly string[]>> = {
  "--fail-on": SEVERITIES,
  "--on-upload-error": ["fail", "warn"],
  "--arazzo": ["1.0.1", "1.1.0"],
  // The path follows.
  "--report": REPORT_FORMATS.map((format) => `${format}=`),
};

/** What a shell offers for a value. */
export type Completion =
  { kind: "choices"; choices: readonly string[] } | { kind: "files" } | { kind: "none" };

/** What a shell offers for the value of an option. */
export function completionOf(option: string): Completion {
  const choices = CHOICES[option];
  if (choices !== undefined) return { kind: "choices", choices };
  return /path>$|<folder>$/.test(PLACEHOLDERS[option] ?? "") ? { kind: "files" } : { kind: "none" };
}

import { readFileSync } from "node:fs";
import { type CliError, usageError } from "../lib/cli-error.ts";
import { printable } from "../lib/text.ts";
import { relativePath } from "../lib/workspace-root.ts";
import type { LintSource } from "./lint-messages.ts";
import type { Watched } from "./watch.ts";

/** The state of a worker that takes too long. */
export interface Overrun extends Watched {
  /** True if one pattern takes too long on one text. */
  isMatching: boolean;
  patternSeconds: number;
}

interface Running {
  task: { source: LintSource };
  timeoutSeconds: number;
  cwd: string;
  /** The names of rules and the texts of patterns, by the numbers of a watch. */
  names: ReadonlyMap<number, string>;
  /** The files that the worker has read. */
  files: ReadonlySet<string>;
}

/** The error of a worker that was stopped, with the pattern or the rule that takes the time. */
export function describeOverrun(
  { rule, pattern, isMatching, patternSeconds }: Overrun,
  running: Running,
): CliError {
  const { timeoutSeconds, names } = running;
  const ruleName = names.get(rule);
  const named = ruleName === undefined ? "" : `, in the rule ${printable(ruleName, 120)}`;
  const text = names.get(pattern);
  if (isMatching && text !== undefined) {
    const place = findPattern(text, running);
    return usageError(
      `Linting was stopped: the pattern ${printable(text, 200)}${place} takes more than ${patternSeconds} s on one text${named}.`,
      {
        details: [
          "Rewrite the pattern so that it can match a text in one way only, or turn the rule off in a ruleset (--rules).",
        ],
      },
    );
  }
  return usageError(
    `Linting was stopped: it takes more than ${timeoutSeconds} s of processor time${ruleName === undefined ? "" : `, at last${named.slice(1)}`}.`,
    { details: ["Raise the limit with --lint-timeout, or turn the rule off in a ruleset (--rules)."] },
  );
}

/** Returns the place of a pattern, such as ` (openapi.yaml:12)`; empty if no file contains the same text. */
function findPattern(pattern: string, { task: { source }, cwd, files }: Running): string {
  const inJson = JSON.stringify(pattern).slice(1, -1);
  const forms = [pattern, inJson, pattern.replaceAll("'", "''")];
  for (const file of files) {
    const text = file === source.file ? source.text : readFileSync(file, "utf8");
    const line = text.split(/\r\n|\n|\r/).findIndex((each) => forms.some((form) => each.includes(form)));
    if (line >= 0) return ` (${relativePath(cwd, file)}:${line + 1})`;
  }
  return "";
}

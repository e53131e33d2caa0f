import type { z } from "zod";

/** The maximum number of faults in a response. */
export const ERROR_DETAILS_MAX = 20;

/** A fault and its position: `path` such as `endpoints[3].method`, empty for the body itself. */
export interface ErrorDetail {
  path: string;
  message: string;
}

const NAME_SHOWN_MAX = 60;

/** The first faults of a failed zod parse, without the invalid values. Each path starts with `prefix`. */
export function issueDetails(
  issues: readonly z.core.$ZodIssue[],
  prefix: readonly PropertyKey[] = [],
): ErrorDetail[] {
  return issues.slice(0, ERROR_DETAILS_MAX).map((issue) => ({
    path: formatPath([...prefix, ...issue.path]),
    message: describe(issue),
  }));
}

function describe(issue: z.core.$ZodIssue): string {
  if (issue.code !== "unrecognized_keys") return issue.message;
  const names = issue.keys.slice(0, 5).map((key) => JSON.stringify(shorten(key)));
  const more = issue.keys.length > names.length ? ` and ${issue.keys.length - names.length} more` : "";
  return `unknown field${issue.keys.length > 1 ? "s" : ""} ${names.join(", ")}${more}`;
}

function formatPath(path: readonly PropertyKey[]): string {
  let text = "";
  for (const part of path) {
    if (typeof part === "number") text += `[${part}]`;
    else text += `${text === "" ? "" : "."}${shorten(String(part))}`;
  }
  return text;
}

function shorten(name: string): string {
  return name.length > NAME_SHOWN_MAX ? `${name.slice(0, NAME_SHOWN_MAX)}…` : name;
}

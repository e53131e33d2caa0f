import type { NormalizedFinding } from "../schema.ts";

/** The members that identify a finding within its service. */
export type IdentifiedFinding = Pick<NormalizedFinding, "code" | "method" | "path" | "message">;

/**
 * Returns a text that is equal for findings that one decision covers: those with the same code, method, shape of path and pattern of message.
 * The SQL function `finding_identity` returns the same.
 */
export function findingIdentity({ code, method, path, message }: IdentifiedFinding): string {
  const shape = path === null ? null : pathShape(path);
  return [code, method, shape, messagePattern(message)].map(sized).join(" ");
}

/** Returns a path without the names of its parameters. */
export function pathShape(path: string): string {
  return path.replaceAll(/\{[^{}]*\}/g, "{}");
}

/** With its length, so that no two lists of texts become the same text. */
function sized(text: string | null): string {
  return text === null ? "-" : `${Array.from(text).length}:${text}`;
}

/**
 * Returns a message without the parts that vary from scan to scan: UUIDs, numbers, names of path parameters and quoted values. Quoted names
 * stay, because a message without a place names in quotes what it is about. A name begins with a letter or one of `_ $ / # . {`, and has no
 * blanks.
 */
function messagePattern(message: string): string {
  return (
    message
      .replaceAll(/[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}/g, "#")
      .replaceAll(/\{[^{}]*\}/g, "{}")
      .replaceAll(/"([A-Za-z_$/#.{][^ "]*)"/g, "$1")
      .replaceAll(/"[^"]*"/g, '""')
      .replaceAll(/`([A-Za-z_$/#.{][^ `]*)`/g, "$1")
      .replaceAll(/`[^`]*`/g, "``")
      // An apostrophe within a word is no quote.
      .replaceAll(/(^|[ (=:,])'([A-Za-z_$/#.{][^ ']*)'/g, "$1$2")
      .replaceAll(/(^|[ (=:,])'[^']*'/g, "$1''")
      .replaceAll(/[0-9]+([.,:-][0-9]+)*/g, "#")
  );
}

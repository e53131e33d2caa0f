import { existsSync } from "node:fs";
import path from "node:path";
import { usageError } from "../../lib/cli-error.ts";
import { STDIN_NAME } from "../../lib/collect-bytes.ts";
import { filesBelow } from "../../lib/files-below.ts";
import { relativePath } from "../../lib/workspace-root.ts";

const SPECIAL = /[*?{]/;
const FILES_MAX = 1_000;

/** True if a value of `--spec` is a pattern, and no file of that name. */
export function isPattern(cwd: string, spec: string): boolean {
  return SPECIAL.test(spec) && !existsSync(path.resolve(cwd, spec));
}

/**
 * The files that match a pattern, sorted, relative to the working directory. In a pattern `*` stands for text without a slash, `**`
 * for any folders, `?` for a character and `{a,b}` for one of several texts. Hidden names and node_modules are left out, symbolic links
 * are followed.
 * @throws {CliError} if none or too many match
 */
export function specFiles(cwd: string, spec: string): string[] {
  if (spec === STDIN_NAME || !isPattern(cwd, spec)) return [spec];
  const segments = spec.split(path.sep).join("/").split("/");
  const first = segments.findIndex((segment) => SPECIAL.test(segment));
  const base = path.resolve(cwd, segments.slice(0, first).join("/") || (spec.startsWith("/") ? "/" : "."));
  const wanted = segments.slice(first);
  const depthMax = wanted.includes("**") ? Number.POSITIVE_INFINITY : wanted.length;
  const pattern = toPattern(wanted.join("/"));
  const files = filesBelow(base, { depthMax })
    .filter((file) => pattern.test(relativePath(base, file)))
    .map((file) => relativePath(cwd, file))
    .toSorted();
  if (files.length === 0) {
    throw usageError(
      `No file matches --spec ${spec}. Put the pattern in quotes, so that the shell passes it on; it is relative to the working directory.`,
    );
  }
  if (files.length > FILES_MAX) {
    throw usageError(
      `${files.length} files match --spec ${spec}, and at most ${FILES_MAX} are scanned at a time.`,
    );
  }
  return files;
}

const PARTS = /(\*\*\/|\*\*|\*|\?|\{[^{}]*\})/;
const MEANINGS: Record<string, string> = { "**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]" };

function toPattern(text: string): RegExp {
  const source = text.split(PARTS).map((part) => {
    const meaning = MEANINGS[part];
    if (meaning !== undefined) return meaning;
    if (!PARTS.test(part)) return literal(part);
    return `(?:${part.slice(1, -1).split(",").map(literal).join("|")})`;
  });
  return new RegExp(`^${source.join("")}$`, "su");
}

function literal(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
}

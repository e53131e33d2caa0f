import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { usageError } from "../../lib/cli-error.ts";
import { STDIN_NAME } from "../../lib/collect-bytes.ts";
import { describeFileError } from "../../lib/describe-file-error.ts";
import { relativePath } from "../../lib/workspace-root.ts";

const SPECIAL = /[*?{]/;
const FILES_MAX = 1_000;

/** Whether a value of `--spec` is a pattern, and no file of that name. */
export function isPattern(cwd: string, spec: string): boolean {
  return SPECIAL.test(spec) && !existsSync(path.resolve(cwd, spec));
}

/**
 * The files that match a pattern, sorted, relative to the working directory. In a pattern `*` stands for text without a slash, `**`
 * for any folders, `?` for a character and `{a,b}` for one of several texts. Hidden folders and node_modules are left out.
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
  const files = filesBelow(base, depthMax)
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

function filesBelow(base: string, depthMax: number): string[] {
  const files: string[] = [];
  const folders = [{ folder: base, depth: 1 }];
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    for (const entry of entriesOf(next.folder)) {
      if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
      const each = path.join(next.folder, entry.name);
      if (entry.isFile()) files.push(each);
      else if (entry.isDirectory() && next.depth < depthMax)
        folders.push({ folder: each, depth: next.depth + 1 });
    }
  }
  return files;
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    throw usageError(`Can't list the folder ${folder}: ${describeFileError(error)}.`, { cause: error });
  }
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

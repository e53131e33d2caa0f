import { lstatSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import ignore, { type Ignore } from "ignore";
import { usageError } from "../lib/cli-error.ts";
import { describeFileError } from "../lib/describe-file-error.ts";
import { foldersToRoot } from "../lib/folders-to-root.ts";

const FOLDERS_MAX = 50_000;
const IGNORE_FILE = ".gitignore";

/** Folders of packages that others wrote. */
const FOREIGN_FOLDERS = new Set(["node_modules", "bower_components", "vendor", "third_party", "third-party"]);

/** A `.gitignore`, and the folder that its patterns are relative to. */
interface Rules {
  folder: string;
  matcher: Ignore;
}

/**
 * Returns the files of a folder that a test accepts, as sorted paths relative to it, with slashes. Files that a `.gitignore` excludes,
 * in the folder or above it in its repository, hidden names, packages of others, symbolic links and repositories inside the folder are
 * left out.
 * @throws {CliError} for too many folders
 */
export function walkRepository(root: string, accepts: (name: string) => boolean): string[] {
  const files: string[] = [];
  const folders: { folder: string; rules: readonly Rules[] }[] = [
    { folder: root, rules: foldersToRoot(root).slice(1).toReversed().flatMap(rulesOf) },
  ];
  let listed = 0;
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    if (++listed > FOLDERS_MAX)
      throw usageError(
        `There are more than ${FOLDERS_MAX} folders below ${root}: name the files with --spec.`,
      );
    const { folder } = next;
    const entries = entriesOf(folder, { isRoot: folder === root });
    if (folder !== root && entries.some(({ name }) => name === ".git")) continue;
    const rules = [...next.rules, ...rulesOf(folder)];
    for (const entry of entries) {
      const isFolder = entry.isDirectory();
      if (entry.name.startsWith(".") || (!isFolder && !entry.isFile())) continue;
      if (isFolder ? FOREIGN_FOLDERS.has(entry.name) : !accepts(entry.name)) continue;
      const each = path.join(folder, entry.name);
      if (isIgnored(each, { rules, isFolder })) continue;
      if (isFolder) folders.push({ folder: each, rules });
      else files.push(path.relative(root, each).split(path.sep).join("/"));
    }
  }
  return files.toSorted();
}

/** True if the last pattern that matches a path excludes it: those of a deeper folder win. */
function isIgnored(
  file: string,
  { rules, isFolder }: { rules: readonly Rules[]; isFolder: boolean },
): boolean {
  for (const { folder, matcher } of rules.toReversed()) {
    const relative = path.relative(folder, file).split(path.sep).join("/");
    const { ignored, unignored } = matcher.test(isFolder ? `${relative}/` : relative);
    if (ignored || unignored) return ignored;
  }
  return false;
}

function rulesOf(folder: string): Rules[] {
  const file = path.join(folder, IGNORE_FILE);
  try {
    if (!lstatSync(file, { throwIfNoEntry: false })?.isFile()) return [];
    return [{ folder, matcher: ignore().add(readFileSync(file, "utf8")) }];
  } catch (error) {
    throw usageError(`Can't read ${file}: ${describeFileError(error)}.`, {
      cause: error,
    });
  }
}

/** Lists a folder. One below the root that may not be read has nothing that could be scanned. */
function entriesOf(folder: string, { isRoot }: { isRoot: boolean }) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (!isRoot && error instanceof Error && "code" in error) return [];
    throw usageError(`Can't list the folder ${folder}: ${describeFileError(error)}.`, { cause: error });
  }
}

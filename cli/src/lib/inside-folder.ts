import { realpathSync } from "node:fs";
import path from "node:path";

/** True if a file is inside a folder after resolving symbolic links on both sides, so that none can lead outside. */
export async function isInsideFolder(file: string, folder: string): Promise<boolean> {
  const { realpath } = await import("node:fs/promises");
  const [target, root] = await Promise.all([realpath(file).catch(() => file), realpath(folder)]);
  return isBelow(root, target);
}

/**
 * Returns the reason why a file must not be sent with a folder: it is outside the folder, or a name in its path begins
 * with a dot. This holds for its own path and for that of the file that its links lead to. Undefined if it may be sent.
 */
export function whyNotShared(file: string, folder: string): string | undefined {
  if (!isBelow(folder, file)) return `is outside ${folder}`;
  if (hasHiddenName(folder, file)) return "has a name that begins with a dot in its path";
  const target = realPathOf(file);
  const root = realPathOf(folder) ?? folder;
  // The reader tells that there is no such file.
  if (target === undefined) return undefined;
  if (!isBelow(root, target)) return `is a symbolic link that leads out of ${folder}, or lies behind one`;
  if (hasHiddenName(root, target)) return "is a symbolic link to a hidden file or folder";
  return undefined;
}

/** Undefined for a file that does not exist or can't be reached. */
function realPathOf(file: string): string | undefined {
  try {
    return realpathSync.native(file);
  } catch (error) {
    if (error instanceof Error && "code" in error) return undefined;
    throw error;
  }
}

function isBelow(folder: string, file: string): boolean {
  const relative = path.relative(folder, file);
  return relative !== ".." && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}

function hasHiddenName(folder: string, file: string): boolean {
  return path
    .relative(folder, file)
    .split(path.sep)
    .some((name) => name.startsWith("."));
}

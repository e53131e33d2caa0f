/**
 * A file's path below a root: segments separated by slashes, none of them empty, `.` or `..`. It doesn't depend on the root or
 * the system.
 */
export type RootPath = string;

/** The file that a relative reference in another file refers to; undefined if it is not below the root. */
export function resolveReference(reference: string, from: RootPath): RootPath | undefined {
  // URLs read a backslash as a slash.
  const text = reference.replaceAll("\\", "/");
  // A drive letter is not a scheme.
  if (/^[a-z][a-z0-9+.-]+:/i.test(text) || text.startsWith("//")) return undefined;
  const isAbsolute = /^(?:\/|[a-z]:\/)/i.test(text);
  return normalized(isAbsolute ? decoded(text) : `${folderOf(from)}/${decoded(text)}`);
}

/** The folder of a file; empty for the root. */
export function folderOf(path: RootPath): RootPath {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/** A file's path relative to a folder, with `../` if it is outside. */
export function relativePath(folder: RootPath, path: RootPath): string {
  const from = segmentsOf(folder);
  const to = segmentsOf(path);
  let common = 0;
  while (common < from.length && common < to.length - 1 && from[common] === to[common]) common++;
  return [...from.slice(common).map(() => ".."), ...to.slice(common)].join("/");
}

function segmentsOf(path: string): string[] {
  return path.split("/").filter((segment) => segment !== "" && segment !== ".");
}

function normalized(path: string): RootPath | undefined {
  const segments: string[] = [];
  for (const segment of segmentsOf(path)) {
    if (segment !== "..") segments.push(segment);
    else if (segments.pop() === undefined) return undefined;
  }
  return segments.join("/");
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A lone % is part of the name.
    return text;
  }
}

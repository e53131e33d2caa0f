import path from "node:path";

/** How a file is called in every message and position: relative to the working directory, with slashes. */
export function displayPath(cwd: string, file: string): string {
  return path.relative(cwd, path.resolve(cwd, file)).replaceAll("\\", "/");
}

/** The file that a relative reference in another file means; undefined for one that is not of this machine. */
export function resolveReferencedFile(reference: string, fromFile: string): string | undefined {
  // A drive letter is no scheme.
  if (/^[a-z][a-z0-9+.-]+:/i.test(reference) || reference.startsWith("//")) return undefined;
  return path.resolve(path.dirname(fromFile), decoded(reference));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A lone % is part of the name.
    return text;
  }
}

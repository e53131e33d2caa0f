const FAULTS: Record<string, string> = {
  ENOENT: "there is no such file",
  ENOTDIR: "a part of the path is not a directory",
  EISDIR: "it is a directory",
  EACCES: "permission denied",
  EPERM: "permission denied",
  ELOOP: "its symbolic links form a loop",
  ENAMETOOLONG: "the name is too long",
  ENOSPC: "the disk is full",
};

/**
 * Describes for the user why a file could not be read or written. Unknown codes get the system's message.
 * @param special words for codes that mean something else in this place
 */
export function describeFileError(error: unknown, special: Readonly<Record<string, string>> = {}): string {
  if (!(error instanceof Error)) return "unknown";
  const code = "code" in error ? String(error.code) : "";
  return special[code] ?? FAULTS[code] ?? error.message;
}

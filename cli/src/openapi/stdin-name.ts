import { statSync } from "node:fs";
import path from "node:path";
import { given } from "../lib/config.ts";
import { usageError } from "../lib/cli-error.ts";
import { printable } from "../lib/text.ts";

/**
 * Returns the value of `--stdin-name`, undefined without one.
 * @throws {CliError} for an address or a folder: reports and references need the path of a file
 */
export function settleStdinName(cwd: string, value: string | undefined): string | undefined {
  const name = given(value);
  if (name === undefined) return undefined;
  const refused = describeOther(cwd, name);
  if (refused === undefined) return name;
  throw usageError(
    `--stdin-name takes the path of a file, such as api/openapi.yaml, and ${printable(name, 200)} is ${refused}.`,
  );
}

/** Describes a name that is not that of a file. The file itself need not exist. */
function describeOther(cwd: string, name: string): string | undefined {
  // Two characters at least: one is a drive of Windows.
  if (/^[a-z][a-z\d+.-]+:/i.test(name)) return "an address";
  if (name === "-") return "standard input itself";
  if (/\p{Cc}/u.test(name)) return "a text with control characters";
  const namesFolder = /(^|[\\/])\.{0,2}[\\/]?$/.test(name);
  return namesFolder || isFolder(path.resolve(cwd, name)) ? "a folder" : undefined;
}

function isFolder(file: string): boolean {
  try {
    return statSync(file).isDirectory();
  } catch (error) {
    if (error instanceof Error && "code" in error) return false;
    throw error;
  }
}

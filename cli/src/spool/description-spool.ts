import { constants } from "node:fs";
import { open, readdir, rename } from "node:fs/promises";
import path from "node:path";
import { SCAN_LIMITS } from "@waymark/shared/scans/limits.ts";
import { usageError } from "../lib/cli-error.ts";
import type { DescriptionText } from "../openapi/description-text.ts";
import { dropSpooled, writeSpooledBytes } from "./spool-files.ts";

const SCAN_END = ".scan.json";
/** A description that waits for its scan, and one whose scan was sent as the run that the name has. */
const WAITING = /^(?<scan>.+)\.description\.(?<format>json|yaml)$/;
const OF_RUN = /\.run-(?<run>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.(?<format>json|yaml)$/;

/** A description whose scan was sent. */
export interface SpooledDescription {
  file: string;
  scanRunId: string;
}

/** Keeps the description of a spooled scan beside it. */
export async function spoolDescription(scanFile: string, text: DescriptionText): Promise<void> {
  const format = text.mediaType === "application/json" ? "json" : "yaml";
  await writeSpooledBytes(`${baseOf(scanFile)}.description.${format}`, text.bytes);
}

/** Names the run of a sent scan in the name of its description, if it has one. */
export async function assignDescription(scanFile: string, scanRunId: string): Promise<void> {
  for (const format of ["json", "yaml"]) {
    const from = `${baseOf(scanFile)}.description.${format}`;
    await rename(from, `${baseOf(scanFile)}.run-${scanRunId}.${format}`).catch(ignoreMissing);
  }
}

/** Lists the descriptions of a folder whose scans were sent, oldest first. Removes those whose scans are gone. */
export async function listDescriptions(folder: string): Promise<SpooledDescription[]> {
  const names = (await readdir(folder)).toSorted();
  for (const name of names) {
    const scan = WAITING.exec(name)?.groups?.["scan"];
    if (scan !== undefined && !names.includes(`${scan}${SCAN_END}`))
      await dropSpooled(path.join(folder, name));
  }
  return names.flatMap((name) => {
    const scanRunId = OF_RUN.exec(name)?.groups?.["run"];
    return scanRunId === undefined ? [] : [{ file: path.join(folder, name), scanRunId }];
  });
}

/** Reads a spooled description. @throws {CliError} if it is no file, or too large */
export async function readSpooledDescription(file: string): Promise<DescriptionText> {
  // Not through a link: a pull request can write into a spool in the checkout.
  const handle = await open(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    const { size } = await handle.stat();
    if (size > SCAN_LIMITS.descriptionBytesMax)
      throw usageError(`it has more than ${SCAN_LIMITS.descriptionBytesMax} bytes`);
    const mediaType = file.endsWith(".json") ? "application/json" : "application/yaml";
    return { bytes: await handle.readFile(), mediaType };
  } finally {
    await handle.close();
  }
}

function baseOf(scanFile: string): string {
  return scanFile.slice(0, -SCAN_END.length);
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}

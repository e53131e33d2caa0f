import { readFile } from "node:fs/promises";
import type { JourneyResult } from "@waymark/journeys/result/result.ts";
import { JourneyRunCi } from "@waymark/shared/journey-runs/schema.ts";
import { DocumentPath } from "@waymark/shared/journeys/schema.ts";
import { z } from "zod";
import { usageError } from "../lib/cli-error.ts";
import { listSpooled, timeInName, writeSpooled } from "./spool-files.ts";

/** A result to send. Only its schema and its id, a part of a file's name, are checked: the server checks the rest. */
export const SentResult = z.custom<JourneyResult>(
  (value) =>
    z.looseObject({ schema: z.literal("journey-result/1"), runId: z.guid() }).safeParse(value).success,
  "a result has the schema journey-result/1 and a runId",
);

/** A result that could not be sent. Contains neither API key nor address. */
const SpooledResult = z.strictObject({
  version: z.literal(1),
  endedAt: z.iso.datetime(),
  result: SentResult,
  ci: JourneyRunCi.optional(),
  path: DocumentPath.optional(),
});
export type SpooledResult = z.infer<typeof SpooledResult>;

const EXTENSION = ".result.json";

/** Writes a result to the spool. Returns the file's path. */
export function spoolResult(folder: string, spooled: SpooledResult): Promise<string> {
  const name = `${timeInName(spooled.endedAt)}-${spooled.result.runId}${EXTENSION}`;
  return writeSpooled(folder, name, spooled);
}

export function listResults(folder: string): Promise<string[]> {
  return listSpooled(folder, EXTENSION);
}

/** @throws {CliError} if the file is invalid */
export async function readSpooledResult(file: string): Promise<SpooledResult> {
  try {
    return SpooledResult.parse(JSON.parse(await readFile(file, "utf8")));
  } catch (error) {
    throw usageError(`${file} is not a spooled result, or of another version of waymark.`, { cause: error });
  }
}

import type { ApiConnection } from "../../api/api-client.ts";
import { putRunDescription } from "../../api/put-description.ts";
import type { CliContext } from "../../framework/context.ts";
import type { Reporter } from "../../lib/reporter.ts";
import { type DescriptionText, readDescriptionText } from "../../openapi/description-text.ts";
import { noteNotStored } from "./note-not-stored.ts";
import type { PreparedScan } from "./prepare-scan.ts";
import type { ScanSettings } from "./settings.ts";

/** A scan that was read, and how. */
export interface ReadScan {
  scan: PreparedScan;
  settings: ScanSettings;
}

/**
 * Stores the description that a scan was made from. It can't fail the scan: whatever goes wrong is a note, and it is given up after
 * `descriptionMs`.
 */
export async function sendDescription(
  context: CliContext,
  reporter: Reporter,
  connection: ApiConnection,
  { scanRunId, ...read }: ReadScan & { scanRunId: string },
): Promise<void> {
  try {
    const text = await readScannedText(context, read);
    reporter.progress("Storing the description…");
    await putRunDescription(connection, text, scanRunId);
  } catch (error) {
    noteNotStored(reporter, error);
  }
}

/** Reads the description that a scan was made from. @throws {CliError} if it can't be stored */
export function readScannedText(context: CliContext, { scan, settings }: ReadScan): Promise<DescriptionText> {
  const { stdin } = scan;
  return readDescriptionText(
    {
      path: settings.spec,
      stdinName: settings.stdinName,
      openStdin: async function* () {
        if (stdin !== undefined) yield stdin;
      },
      cwd: context.cwd,
      allowOutside: settings.allowOutside,
      selection: settings.selection,
    },
    scan.payload.spec.hash,
  );
}

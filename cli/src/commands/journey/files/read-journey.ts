import { openFiles } from "@waymark/journeys/load/files.ts";
import { readJourney as readBelowRoot } from "@waymark/journeys/load/load-journey.ts";
import type { ReadJourney } from "@waymark/journeys/load/load-journey.ts";
import type { CliContext } from "../../../framework/context.ts";
import { asUsageErrors, fileAccess } from "./file-access.ts";
import { rootPath } from "./names.ts";

/** Reads a journey and its overlays, without its sources. @throws {CliError} for a file that can't be read */
export function readJourney(
  context: Pick<CliContext, "cwd" | "openStdin">,
  { file, overlays }: { file: string; overlays: readonly string[] },
): Promise<ReadJourney> {
  const { cwd } = context;
  const files = openFiles(fileAccess(context));
  return asUsageErrors(
    readBelowRoot(files, {
      file: rootPath(cwd, file),
      overlays: overlays.map((name) => rootPath(cwd, name)),
    }),
  );
}

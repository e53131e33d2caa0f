import { lintLoaded } from "@waymark/journeys/load/lint-loaded.ts";
import type { CliContext } from "../../../framework/context.ts";
import { CliError } from "../../../lib/cli-error.ts";
import { openJourney } from "../files/compile-files.ts";
import type { ParsedDescriptions } from "../files/file-access.ts";
import { sha256 } from "../files/hash.ts";
import { sandbox } from "../sandbox.ts";
import type { LocalFile } from "./collect-files.ts";

/** The programs that journeys compile to here, by path; those that don't compile are left out. */
export async function programIds(
  context: Pick<CliContext, "cwd" | "openStdin">,
  files: readonly LocalFile[],
): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  const parsed: ParsedDescriptions = new Map();
  for (const { path: file, kind } of files) {
    if (kind === "openapi") continue;
    const id = await programId(context, file, parsed);
    if (id !== undefined) ids.set(file, id);
  }
  return ids;
}

async function programId(
  context: Pick<CliContext, "cwd" | "openStdin">,
  file: string,
  parsed: ParsedDescriptions,
): Promise<string | undefined> {
  const request = { file, overlay: [], source: [], workflow: undefined, env: undefined, parsed };
  try {
    const { journey } = await openJourney(context, request);
    return (await lintLoaded(journey, { hash: sha256, evaluator: sandbox })).artifact?.id;
  } catch (error) {
    // The server tells what is wrong with the document.
    if (error instanceof CliError) return undefined;
    throw error;
  }
}

import type { CompileResult } from "@waymark/journeys/compile/compile-journey.ts";
import type { Environment } from "@waymark/journeys/compile/build.ts";
import { compileLoaded } from "@waymark/journeys/load/compile-loaded.ts";
import { loadJourney } from "@waymark/journeys/load/load-journey.ts";
import type { LoadedJourney } from "@waymark/journeys/load/load-journey.ts";
import type { CliContext } from "../../../framework/context.ts";
import { readAssignments } from "../assignments.ts";
import { environmentOf } from "./environment.ts";
import { asUsageErrors, fileAccess } from "./file-access.ts";
import type { ParsedDescriptions } from "./file-access.ts";
import { sha256 } from "./hash.ts";
import { rootPath } from "./names.ts";
import { sandbox } from "../sandbox.ts";

/** The files of a journey, from the command's options. */
export interface CompileRequest {
  file: string;
  overlay: readonly string[];
  source: readonly string[];
  workflow: string | undefined;
  env: string | undefined;
  /** Descriptions that other journeys of the command have read. */
  parsed?: ParsedDescriptions;
}

/** A loaded journey and its environment. */
export interface OpenedJourney {
  journey: LoadedJourney;
  environment: Environment | undefined;
}

/**
 * Reads a journey with its overlays and sources.
 * @throws {CliError} for files that can't be read and for an unknown environment
 */
export async function openJourney(
  context: Pick<CliContext, "cwd" | "openStdin">,
  request: CompileRequest,
): Promise<OpenedJourney> {
  const { cwd } = context;
  const given = readAssignments("--source", request.source);
  const journey = await asUsageErrors(
    loadJourney(fileAccess(context, request.parsed), {
      file: rootPath(cwd, request.file),
      overlays: request.overlay.map((name) => rootPath(cwd, name)),
      given: new Map([...given].map(([name, file]) => [name, rootPath(cwd, file)])),
    }),
  );
  const hasModel = journey.merged.model !== undefined;
  const environment = hasModel
    ? await environmentOf(context, request.env, journey.loaded.sources)
    : undefined;
  return { journey, environment };
}

/** Compiles a loaded journey. Reports all faults of the documents as problems. */
export function compileOpened(
  { journey, environment }: OpenedJourney,
  workflow: string | undefined,
): Promise<CompileResult> {
  return compileLoaded(journey, { environment, workflow, hash: sha256, evaluator: sandbox });
}

/** Reads and compiles. @throws {CliError} as `openJourney` does */
export async function compileFiles(
  context: Pick<CliContext, "cwd" | "openStdin">,
  request: CompileRequest,
): Promise<CompileResult & { journey: LoadedJourney }> {
  const opened = await openJourney(context, request);
  return { ...(await compileOpened(opened, request.workflow)), journey: opened.journey };
}

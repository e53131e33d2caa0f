import type { CompileResult } from "@waymark/journeys/compile/compile-journey.ts";
import type { Environment } from "@waymark/journeys/compile/build.ts";
import type { Problem } from "@waymark/journeys/document/problem.ts";
import { checkLoaded, compileLoaded } from "@waymark/journeys/load/compile-loaded.ts";
import { loadJourney } from "@waymark/journeys/load/load-journey.ts";
import type { LoadedJourney } from "@waymark/journeys/load/load-journey.ts";
import type { CliContext } from "../../../context.ts";
import { readAssignments } from "../assignments.ts";
import { environmentOf } from "./environment.ts";
import { asUsageErrors, fileAccess } from "./file-access.ts";
import type { ParsedDescriptions } from "./file-access.ts";
import { sha256 } from "./hash.ts";
import { rootPath } from "./names.ts";
import { sandbox } from "../sandbox.ts";

/** What a journey is made from, as the options of the commands give it. */
export interface CompileRequest {
  file: string;
  overlay: readonly string[];
  source: readonly string[];
  workflow: string | undefined;
  env: string | undefined;
  /** Descriptions that other journeys of the command have read. */
  parsed?: ParsedDescriptions;
}

/** A journey that is read, and the environment it is for. */
export interface OpenedJourney {
  journey: LoadedJourney;
  environment: Environment | undefined;
}

/**
 * Reads a journey with its overlays and sources.
 * @throws {CliError} for files that can't be read and for an unknown environment
 */
export async function openJourney(
  context: Pick<CliContext, "cwd" | "stdin">,
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

/** Compiles what was read. What is wrong in the documents is told in the problems, all at once. */
export function compileOpened(
  { journey, environment }: OpenedJourney,
  workflow: string | undefined,
): Promise<CompileResult> {
  return compileLoaded(journey, { environment, workflow, hash: sha256, evaluator: sandbox });
}

/** The problems of a journey, whichever of its workflows is run. */
export function checkOpened({ journey, environment }: OpenedJourney): Promise<Problem[]> {
  return checkLoaded(journey, { environment, evaluator: sandbox });
}

/** Reads and compiles. @throws {CliError} as `openJourney` does */
export async function compileFiles(
  context: Pick<CliContext, "cwd" | "stdin">,
  request: CompileRequest,
): Promise<CompileResult & { journey: LoadedJourney }> {
  const opened = await openJourney(context, request);
  return { ...(await compileOpened(opened, request.workflow)), journey: opened.journey };
}

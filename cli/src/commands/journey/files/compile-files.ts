import { compileJourney } from "@waymark/journeys/compile/compile-journey.ts";
import type { CompileInput, CompileResult } from "@waymark/journeys/compile/compile-journey.ts";
import type { Provenance } from "@waymark/journeys/compile/artifact.ts";
import { hasErrors, sortProblems } from "@waymark/journeys/document/problem.ts";
import type { Problem } from "@waymark/journeys/document/problem.ts";
import type { CliContext } from "../../../context.ts";
import { readAssignments } from "../assignments.ts";
import { environmentOf } from "./environment.ts";
import { sha256 } from "./hash.ts";
import { loadSources } from "./load-sources.ts";
import type { LoadedSources } from "./load-sources.ts";
import { readJourney } from "./read-journey.ts";
import type { ReadJourney } from "./read-journey.ts";

/** What a journey is made from, as the options of the commands give it. */
export interface CompileRequest {
  file: string;
  overlay: readonly string[];
  source: readonly string[];
  workflow: string | undefined;
  env: string | undefined;
}

/** A journey with all that compiling it needs, read. */
export interface OpenedJourney {
  journey: ReadJourney;
  /** Absent where the documents' structure is at fault; `journey.merged.problems` says how. */
  input?: CompileInput;
  loaded: LoadedSources;
}

/**
 * Reads a journey with its overlays and sources.
 * @throws {CliError} for files that can't be read and for an unknown environment
 */
export async function openJourney(
  context: Pick<CliContext, "cwd" | "stdin">,
  request: CompileRequest,
): Promise<OpenedJourney> {
  const given = readAssignments("--source", request.source);
  const journey = await readJourney(context, { file: request.file, overlays: request.overlay });
  const { model, sourceOf } = journey.merged;
  if (model === undefined) return { journey, loaded: { sources: {}, problems: [], read: [] } };
  const loaded = await loadSources(context, { model, sourceOf, file: journey.baseFile }, given);
  const environment = await environmentOf(context, request.env, loaded.sources);
  const input: CompileInput = {
    document: {
      model,
      sourceOf,
      ...("provenance" in journey.merged ? { provenance: journey.merged.provenance } : {}),
    },
    sources: loaded.sources,
    ...(environment === undefined ? {} : { environment }),
    provenance: provenanceOf(journey, loaded),
    hash: sha256,
  };
  return { journey, input, loaded };
}

/** Compiles what was read. What is wrong in the documents is told in the problems, all at once. */
export async function compileOpened(
  { journey, input, loaded }: OpenedJourney,
  workflow: string | undefined,
): Promise<CompileResult> {
  const { problems } = journey.merged;
  if (input === undefined) return { ok: false, problems };
  const result = await compileJourney({ ...input, ...(workflow === undefined ? {} : { workflow }) });
  const all = allProblems(problems, loaded, result.problems);
  if (!result.ok || hasErrors(all)) return { ok: false, problems: all };
  return { ...result, problems: all };
}

/** Reads and compiles. @throws {CliError} as `openJourney` does */
export async function compileFiles(
  context: Pick<CliContext, "cwd" | "stdin">,
  request: CompileRequest,
): Promise<CompileResult & { journey: ReadJourney }> {
  const opened = await openJourney(context, request);
  return { ...(await compileOpened(opened, request.workflow)), journey: opened.journey };
}

/** A source that could not be read is told once, with the reason. */
function allProblems(
  own: readonly Problem[],
  loaded: LoadedSources,
  compiled: readonly Problem[],
): Problem[] {
  const more =
    loaded.problems.length === 0 ? compiled : compiled.filter(({ code }) => code !== "missing-source");
  return sortProblems([...own, ...loaded.problems, ...more]);
}

function provenanceOf(journey: ReadJourney, loaded: LoadedSources): Partial<Provenance> {
  const { base, merged } = journey;
  const touched = "touched" in merged ? merged.touched : {};
  return {
    journey: {
      id: base.model?.$self ?? base.model?.info.title ?? "",
      version: base.model?.info.version ?? "",
      file: base.file,
      sha256: sha256(base.text),
    },
    overlays: journey.overlays.map(({ model, file, text }) => {
      const id = model?.info["x-overlay"].id ?? file;
      return { id, file, sha256: sha256(text), touched: touched[id] ?? [] };
    }),
    sources: loaded.read,
  };
}

import type { Sha256 } from "../compile/artifact.ts";
import type { Provenance } from "../compile/artifact-model.ts";
import type { Environment } from "../compile/build.ts";
import { compileJourney } from "../compile/compile-journey.ts";
import type { CompileInput, CompileResult } from "../compile/compile-journey.ts";
import type { Evaluator } from "../evaluation/evaluator.ts";
import { hasErrors, sortProblems } from "../document/problem.ts";
import type { Problem } from "../document/problem.ts";
import { overlayId } from "../overlay/model.ts";
import { checkDocument } from "../rules/check-document.ts";
import type { LoadedJourney } from "./load-journey.ts";
import type { LoadedSources } from "./load-sources.ts";
import { folderOf, relativePath } from "./paths.ts";

export interface CompileOptions {
  environment?: Environment | undefined;
  workflow?: string | undefined;
  hash?: Sha256;
  evaluator?: Evaluator;
}

/**
 * Compiles a loaded journey. Reports all faults of the documents as problems. The artifact names files relative to the
 * journey's folder, so its bytes don't depend on where that folder is.
 */
export async function compileLoaded(
  journey: LoadedJourney,
  options: CompileOptions = {},
): Promise<CompileResult> {
  const { merged, loaded } = journey;
  const input = inputOf(journey, options);
  if (input === undefined) return { ok: false, problems: checkDocument(merged) };
  const result = await compileJourney(input);
  const all = allProblems(merged.problems, loaded, result.problems);
  if (!result.ok || hasErrors(all)) return { ok: false, problems: all };
  return { ...result, problems: all };
}

/** Undefined if the document's structure is invalid. */
function inputOf(journey: LoadedJourney, options: CompileOptions): CompileInput | undefined {
  const { merged, loaded } = journey;
  const { model, sourceOf } = merged;
  if (model === undefined) return undefined;
  const { environment, workflow, hash, evaluator } = options;
  const folder = folderOf(journey.baseFile.path);
  return {
    document: {
      model,
      sourceOf,
      ...("provenance" in merged ? { provenance: merged.provenance } : {}),
    },
    sources: loaded.sources,
    ...(environment === undefined ? {} : { environment }),
    ...(workflow === undefined ? {} : { workflow }),
    provenance: provenanceOf(journey),
    fileName: (shown) => relativePath(folder, journey.files.names.get(shown) ?? shown),
    ...(hash === undefined ? {} : { hash }),
    ...(evaluator === undefined ? {} : { evaluator }),
  };
}

/** The names of an artifact's files in problems, by their names in the artifact. */
export function shownNames(journey: LoadedJourney): ReadonlyMap<string, string> {
  const folder = folderOf(journey.baseFile.path);
  return new Map([...journey.files.names].map(([shown, path]) => [relativePath(folder, path), shown]));
}

/** A source that could not be read is reported once, with the reason. */
function allProblems(
  own: readonly Problem[],
  loaded: LoadedSources,
  compiled: readonly Problem[],
): Problem[] {
  const more =
    loaded.problems.length === 0 ? compiled : compiled.filter(({ code }) => code !== "missing-source");
  return sortProblems([...own, ...loaded.problems, ...more]);
}

function provenanceOf({ base, baseFile, overlays, merged, loaded }: LoadedJourney): Partial<Provenance> {
  const touched = "touched" in merged ? merged.touched : {};
  const folder = folderOf(baseFile.path);
  return {
    journey: {
      id: base.model?.$self ?? base.model?.info.title ?? "",
      version: base.model?.info.version ?? "",
      file: relativePath(folder, baseFile.path),
      sha256: baseFile.sha256,
    },
    overlays: overlays.map(({ overlay: { model }, file }) => {
      const id = model === undefined ? file.shown : overlayId(model, file.shown);
      return { id, file: relativePath(folder, file.path), sha256: file.sha256, touched: touched[id] ?? [] };
    }),
    sources: loaded.read,
  };
}

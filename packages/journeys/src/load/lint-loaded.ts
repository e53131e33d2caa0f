import type { Artifact } from "../compile/artifact-model.ts";
import type { Problem } from "../document/problem.ts";
import { compileLoaded } from "./compile-loaded.ts";
import type { CompileOptions } from "./compile-loaded.ts";
import type { LoadedJourney } from "./load-journey.ts";

/**
 * The problems that compiling reports, except that a journey with several workflows needn't say which one is run: all of them are
 * checked. The artifact is undefined in that case and where there is an error.
 */
export async function lintLoaded(
  journey: LoadedJourney,
  options: CompileOptions,
): Promise<{ problems: Problem[]; artifact: Artifact | undefined }> {
  const compiled = await compileLoaded(journey, options);
  const isOpen = options.workflow === undefined;
  return {
    problems: compiled.problems.filter(({ code }) => !isOpen || code !== "no-entry"),
    artifact: compiled.ok ? compiled.artifact : undefined,
  };
}

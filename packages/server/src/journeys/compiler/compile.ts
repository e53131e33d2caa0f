import { writeArtifact } from "@waymark/journeys/compile/artifact.ts";
import { FileError } from "@waymark/journeys/load/files.ts";
import { lintLoaded } from "@waymark/journeys/load/lint-loaded.ts";
import { loadJourney } from "@waymark/journeys/load/load-journey.ts";
import type { Compilation, Work } from "./messages.ts";
import type { Session } from "./session.ts";
import { documentFault, verdictOf } from "./verdict.ts";

/** The artifact of a journey or an overlay for an environment, or everything that is wrong. */
export async function compile(
  { access, hash }: Session,
  { path, environment, workflow }: Work["compile"]["document"],
): Promise<Compilation> {
  try {
    const journey = await loadJourney(access, { file: path, overlays: [], given: new Map() });
    const { problems, artifact } = await lintLoaded(journey, { environment, workflow, hash });
    const verdict = verdictOf(problems, artifact?.id ?? null);
    const isSound = artifact !== undefined && verdict.errorCount === 0;
    return { ...verdict, artifact: isSound ? writeArtifact(artifact) : null };
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    const fault = documentFault(path, "missing-file", [error.message, ...error.details].join(" "));
    return { ...verdictOf([fault], null), artifact: null };
  }
}

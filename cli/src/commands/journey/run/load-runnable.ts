import { Readable } from "node:stream";
import { fileDigest, writeArtifact } from "@waymark/journeys/compile/artifact.ts";
import type { Artifact } from "@waymark/journeys/compile/artifact-model.ts";
import { ArtifactError, openArtifact } from "@waymark/journeys/compile/open-artifact.ts";
import { prepareJourney } from "@waymark/journeys/run/prepare.ts";
import type { PreparedJourney } from "@waymark/journeys/run/state.ts";
import type { CliContext } from "../../../framework/context.ts";
import { usageError } from "../../../lib/cli-error.ts";
import { readText } from "../../../lib/read-text.ts";
import type { CompileRequest } from "../files/compile-files.ts";
import { sha256 } from "../files/hash.ts";
import { documentError } from "../problems.ts";
import { sandbox } from "../sandbox.ts";

/** A journey that is ready to run. */
export interface Runnable {
  /** Its name on the command line. */
  file: string;
  prepared: PreparedJourney;
  /** Warnings of its documents, one line each. */
  warnings: string[];
  /** True for a program that `waymark journey build` wrote. */
  isArtifact: boolean;
}

/** The beginning of every artifact. */
const ARTIFACT = /^\s*\{\s*"artifact"\s*:/;

/**
 * Reads a document or an artifact. An artifact doesn't load the compiler.
 * @throws {CliError} if it can't be read, does not compile, or was changed after it was built
 */
export async function loadRunnable(context: CliContext, request: CompileRequest): Promise<Runnable> {
  const text = await readText(context, request.file);
  if (ARTIFACT.test(text)) {
    const artifact = readArtifact(text, request);
    const prepared = prepareJourney(artifact, { fileDigest: fileDigest(text, sha256), evaluator: sandbox });
    return { file: request.file, prepared, warnings: [], isArtifact: true };
  }
  const [{ compileFiles }, { shownNames }, { problemLines }] = await Promise.all([
    import("../files/compile-files.ts"),
    import("@waymark/journeys/load/compile-loaded.ts"),
    import("../problems.ts"),
  ]);
  const compiled = await compileFiles({ ...context, openStdin: repeated(context, request, text) }, request);
  if (!compiled.ok) throw documentError(`${request.file} does not compile`, compiled.problems);
  const prepared = prepareJourney(compiled.artifact, {
    fileDigest: fileDigest(writeArtifact(compiled.artifact), sha256),
    fileNames: shownNames(compiled.journey),
    evaluator: sandbox,
  });
  return {
    file: request.file,
    prepared,
    warnings: problemLines(compiled.problems),
    isArtifact: false,
  };
}

/** Standard input can be read only once, so its content is kept. */
function repeated(context: CliContext, { file }: CompileRequest, text: string): CliContext["openStdin"] {
  return file === "-" ? () => Readable.from([text]) : context.openStdin;
}

function readArtifact(text: string, request: CompileRequest): Artifact {
  const { file, overlay, source, workflow, env } = request;
  if (overlay.length > 0 || source.length > 0 || workflow !== undefined) {
    throw usageError(
      `${file} is an artifact: --overlay, --source and --workflow are given to waymark journey build.`,
    );
  }
  let artifact: Artifact;
  try {
    artifact = openArtifact(text, sha256);
  } catch (error) {
    if (!(error instanceof ArtifactError)) throw error;
    throw usageError(`${file}: ${error.message}`, { cause: error });
  }
  const { environment } = artifact.program;
  if (env !== undefined && env !== environment) {
    const built = environment === undefined ? "for no environment" : `for the environment ${environment}`;
    throw usageError(
      `${file} was built ${built}: build it with --env ${env}, or give its servers with --server.`,
    );
  }
  return artifact;
}

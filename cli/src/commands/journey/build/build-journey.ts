import { writeFile } from "node:fs/promises";
import path from "node:path";
import { fileDigest, writeArtifact } from "@waymark/journeys/compile/artifact.ts";
import type { Artifact } from "@waymark/journeys/compile/artifact-model.ts";
import type { CliContext } from "../../../framework/context.ts";
import { usageError } from "../../../lib/cli-error.ts";
import { compileFiles } from "../files/compile-files.ts";
import type { CompileRequest } from "../files/compile-files.ts";
import { sha256 } from "../files/hash.ts";
import { documentError, problemLines } from "../problems.ts";
import { JOURNEY_EXIT } from "../exit-codes.ts";
import { writeDocument, writeJson, writeLine } from "../../../lib/output.ts";

export interface BuildOptions extends CompileRequest {
  out: string | undefined;
  json: boolean | undefined;
}

/** Compiles a journey, writes the artifact and prints its hash. */
export async function buildJourney(context: CliContext, options: BuildOptions): Promise<number> {
  const { cwd, stdout, stderr } = context;
  const compiled = await compileFiles(context, options);
  if (!compiled.ok) throw documentError(`${options.file} does not compile`, compiled.problems);
  for (const line of problemLines(compiled.problems)) writeLine(stderr, line);
  const { artifact } = compiled;
  const text = writeArtifact(artifact);
  const digest = fileDigest(text, sha256);
  const out = options.out ?? defaultName(options);
  if (out === "-") {
    writeDocument(stdout, text);
    writeLine(stderr, artifact.id);
    return JOURNEY_EXIT.passed;
  }
  try {
    await writeFile(path.resolve(cwd, out), text);
  } catch (error) {
    throw usageError(`Can't write ${out}: ${error instanceof Error ? error.message : "unknown"}.`, {
      cause: error,
    });
  }
  if (options.json === true) {
    const bytes = Buffer.byteLength(text);
    const { id } = artifact;
    writeJson(stdout, { id, file: out, fileDigest: digest, bytes, overlays: overlaysOf(artifact) });
  } else {
    writeLine(stdout, `Artifact: ${artifact.id}`);
    writeLine(stdout, `File: ${out}`);
    writeLine(stdout, `Digest of the file: ${digest}`);
  }
  return JOURNEY_EXIT.passed;
}

function overlaysOf({ provenance }: Artifact): string[] {
  return provenance.overlays.map(({ id }) => id);
}

function defaultName({ file, overlay }: BuildOptions): string {
  const last = overlay.at(-1) ?? file;
  if (last === "-") return "journey.artifact.json";
  return `${last.replace(/(?:\.journey|\.arazzo)?(?:\.overlay)?\.(?:ya?ml|json)$/i, "")}.artifact.json`;
}

import { createHash } from "node:crypto";
import { fileDigest } from "@waymark/journeys/compile/artifact.ts";
import { ArtifactError, openArtifact } from "@waymark/journeys/compile/open-artifact.ts";
import { prepareJourney } from "@waymark/journeys/run/prepare.ts";
import type { CliContext } from "../../../framework/context.ts";
import { usageError } from "../../../lib/cli-error.ts";
import { createReporter } from "../../../lib/reporter.ts";
import { connect } from "../../../framework/connect.ts";
import { readArtifactFile, readRun } from "../../../api/runs-api.ts";
import { sha256 } from "../files/hash.ts";
import { sandbox } from "../sandbox.ts";
import { type Inputs, knownInputs } from "./inputs.ts";
import type { Runnable } from "./load-runnable.ts";
import type { LocalRunOptions } from "./settings.ts";

/** A run of the server that is to be repeated on this machine. */
export interface Replay {
  runnable: Runnable;
  seed: string;
  strictContract: boolean;
  inputs: Inputs;
}

/** Options whose values a repeated run takes from the first one. */
const FROM_RUN = ["overlay", "source", "workflow", "env", "seed", "data"] as const;

/**
 * Reads the artifact of a run from the server, with its seed and its inputs. The secrets are those of this machine.
 * @throws {CliError} if there is no such run, or its artifact does not have the hash that the run names
 */
export async function loadReplay(
  context: CliContext,
  options: LocalRunOptions & { replay: string },
): Promise<Replay> {
  const others = FROM_RUN.filter((name) => {
    const value = options[name];
    return Array.isArray(value) ? value.length > 0 : value !== undefined;
  });
  if (others.length > 0) {
    const names = others.map((name) => `--${name}`).join(", ");
    throw usageError(
      `--replay does not go with ${names}: it repeats the journey, the environment and the seed of the run.`,
    );
  }
  const connection = await connect(context, createReporter(context.stderr, { quiet: false }), options);
  const run = await readRun(connection, options.replay);
  const bytes = await readArtifactFile(connection, run.artifact);
  if (createHash("sha256").update(bytes).digest("hex") !== run.artifact)
    throw usageError("The artifact that the server sent is not the one of the run: its hash differs.");
  const text = bytes.toString();
  try {
    const artifact = openArtifact(text, sha256);
    const prepared = prepareJourney(artifact, { fileDigest: fileDigest(text, sha256), evaluator: sandbox });
    return {
      runnable: { file: options.replay, prepared, warnings: [], isArtifact: true },
      seed: run.seed,
      strictContract: run.strictContract,
      inputs: knownInputs(artifact.program, run.inputs),
    };
  } catch (error) {
    if (!(error instanceof ArtifactError)) throw error;
    throw usageError(`The artifact of the run: ${error.message}`, { cause: error });
  }
}

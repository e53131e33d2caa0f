import { ownValue } from "@waymark/openapi/json.ts";
import type { JsonObject } from "@waymark/openapi/json.ts";
import schema from "../../schema/artifact.schema.json" with { type: "json" };
import { isDeeperThan } from "../document/json-depth.ts";
import { digest, orderDigest, pureSha256, writeArtifact } from "./artifact.ts";
import type { Sha256 } from "./artifact.ts";
import type { Artifact } from "./artifact-model.ts";
import { programFault } from "../program/program-fault.ts";
import { shapeFault } from "./shape-fault.ts";

/** The artifact is damaged or was changed; the message says what to do. */
export class ArtifactError extends Error {}

const SCHEMA: JsonObject = schema;

/** No document within the limits compiles to a deeper program. Programs are walked recursively. */
const DEPTH_MAX = 1_000;

/**
 * Reads an artifact's file. Every byte is under a digest or fixed by the canonical form, so a file that was changed in any
 * place is refused. Digests are no signature: anybody can make them for a program of their own, so its shape and what its
 * parts say of each other are checked as well.
 *
 * @throws ArtifactError for anything but the bytes that `writeArtifact` returns
 */
export function openArtifact(text: string, hash: Sha256 = pureSha256): Artifact {
  const value = isDeeperThan(text, DEPTH_MAX) ? undefined : parseJson(text);
  if (ownValue(value, "artifact") !== "journey-artifact/1") {
    throw new ArtifactError("This is no journey artifact: build it with `waymark journey build`.");
  }
  if (!isArtifact(value)) throw notValid(`${shapeFault(SCHEMA, value) ?? ""} is not as it must be`);
  verifyDigests(value, hash);
  if (writeArtifact(value) !== text) throw changed("form is not canonical");
  const fault = programFault(value.program);
  if (fault !== undefined) throw notValid(fault);
  return value;
}

function isArtifact(value: unknown): value is Artifact {
  return shapeFault(SCHEMA, value) === undefined;
}

function notValid(fault: string): ArtifactError {
  return new ArtifactError(`The artifact is not valid (${fault}): build it again.`);
}

function verifyDigests(artifact: Artifact, hash: Sha256): void {
  for (const [part, claimed] of [
    ["program", artifact.id],
    ["provenance", artifact.digests.provenance],
    ["map", artifact.digests.map],
  ] as const) {
    if (digest(artifact[part], hash) !== claimed) throw changed(`${part} does not match`);
  }
  if (orderDigest(artifact.program, hash) !== artifact.digests.order)
    throw changed("program's order does not match");
}

function changed(what: string): ArtifactError {
  return new ArtifactError(`The artifact was changed after it was built (its ${what}): build it again.`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

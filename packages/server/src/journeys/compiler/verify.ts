import type { Artifact } from "@waymark/journeys/compile/artifact-model.ts";
import { redactClaim } from "@waymark/journeys/claim/redact-claim.ts";
import { verifyResult } from "@waymark/journeys/claim/verify-result.ts";
import type { Work } from "./messages.ts";
import type { Session } from "./session.ts";

/** Compares a result with its artifact, and removes secrets from it. */
export async function verify(
  _session: Session,
  { artifact: text, result, secrets }: Work["verify"]["document"],
): Promise<Work["verify"]["result"]> {
  // This server has built the artifact and stored it under the hash of its bytes, so it needs no check.
  const artifact: Artifact = JSON.parse(text);
  const verified = verifyResult(artifact, result);
  if (!verified.ok) return verified;
  return { ok: true, ...redactClaim(artifact, { result, steps: verified.steps, secrets }) };
}

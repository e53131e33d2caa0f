import type { Artifact } from "@waymark/journeys/compile/artifact-model.ts";
import type { JourneyResult } from "@waymark/journeys/result/result.ts";
import { guardSecrets } from "../../../services/worker/src/journeys/runner/guard-secrets.ts";
import { buildText } from "./build.ts";
import { SOURCE, documentText, fakeTransport, virtualClock } from "./fake.ts";
import type { FakeAnswer, FakeRequest } from "./fake.ts";
import { run } from "./run.ts";

/** The host that the secret is for. All others are foreign. */
export const OWN_HOST = "api.example";

/** An artifact that no compiler has checked: its input `pass` is a secret, whatever the journey does with it. */
export async function unchecked(workflows: string): Promise<Artifact> {
  const built = await buildText(documentText({ workflows }), { file: "t.yaml", sources: { api: SOURCE } });
  if (!built.ok) throw new Error(built.problems.map(({ line, message }) => `${line}: ${message}`).join("\n"));
  // The compiler takes what is sent as a credential for a secret.
  const artifact = JSON.parse(
    JSON.stringify(built.artifact).replaceAll(/"X-(Authorization|Cookie|Host)"/g, '"$1"'),
  ) as Artifact;
  const { main: entry } = artifact.program.workflows;
  entry?.secrets.push({ input: "pass", ref: "env:PASS" });
  return artifact;
}

interface Played {
  requests: FakeRequest[];
  text: string;
  result: JourneyResult;
}

/** Runs an artifact with the value of its secret, as the worker does: other hosts than the secret's get no request that has it. */
export async function playArtifact(
  artifact: Artifact,
  secret: string,
  answer: (request: FakeRequest) => FakeAnswer,
): Promise<Played> {
  const { transport, requests } = fakeTransport(answer);
  const deps = {
    transport: guardSecrets(transport, { PASS: { value: secret, hosts: [OWN_HOST] } }),
    clock: virtualClock(),
  };
  const result = await run(artifact, { secret, deps, seed: "s", runId: "r", followRedirects: true });
  return { requests, text: JSON.stringify(result), result };
}

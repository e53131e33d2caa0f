import {
  CancelledJourneyRun,
  JourneyRun,
  JourneyRunSteps,
  StartedJourneyRun,
  type StartJourneyRunRequest,
} from "@waymark/shared/journey-runs/schema.ts";
import type { JourneyResult, StepResult } from "@waymark/journeys/result/result.ts";
import { z } from "zod";
import { type ApiConnection, call, exchange, understand } from "../../../api-client.ts";
import { readPages } from "../../../read-pages.ts";

const Started = StartedJourneyRun.pick({ runId: true, programId: true, resultUrl: true });
export type StartedRun = z.infer<typeof Started>;

/** The fields of a run that the command shows, so that older and newer servers work too. */
const ShownRun = JourneyRun.pick({
  id: true,
  journeyPath: true,
  version: true,
  environmentName: true,
  status: true,
  createdAt: true,
  error: true,
  inDoubtStep: true,
});
export type ShownRun = z.infer<typeof ShownRun>;

const Runs = z.object({ runs: z.array(ShownRun) });

const Environments = z.object({
  environments: z.array(z.object({ id: z.string(), name: z.string() })),
  nextCursor: z.string().optional(),
});

/** What only has to look like a result: the reports escape every text of it. */
const Result = z.custom<JourneyResult>(
  (value) =>
    z.looseObject({ schema: z.literal("journey-result/1"), steps: z.array(z.unknown()) }).safeParse(value)
      .success,
);
const Step = z.custom<StepResult>(
  (value) =>
    z.looseObject({ id: z.string(), status: z.string(), assertions: z.array(z.unknown()) }).safeParse(value)
      .success,
);
const Steps = JourneyRunSteps.extend({ steps: z.array(z.object({ seq: z.int(), result: Step })) });
export type FollowedSteps = z.infer<typeof Steps>;

/** Starts a run once, however often the request arrives. */
export function startRun(connection: ApiConnection, run: StartJourneyRunRequest): Promise<StartedRun> {
  return call(connection, {
    what: "starting the journey",
    method: "POST",
    path: "/api/journey-runs",
    headers: { "content-type": "application/json", "idempotency-key": crypto.randomUUID() },
    body: Buffer.from(JSON.stringify(run)),
    schema: Started,
  });
}

/** The steps after `after`, as soon as there is one or the run has ended; waits up to 20 seconds. */
export function followRun(
  connection: ApiConnection,
  { runId, after, waitSeconds }: { runId: string; after: number; waitSeconds: number },
): Promise<FollowedSteps> {
  const path = `/api/journey-runs/${runId}/steps?after=${after}&waitSeconds=${waitSeconds}`;
  return call(connection, { what: "following the journey", method: "GET", path, schema: Steps });
}

export function readRunResult(connection: ApiConnection, runId: string): Promise<JourneyResult> {
  const path = `/api/journey-runs/${encodeURIComponent(runId)}/result`;
  return call(connection, { what: "reading the result", method: "GET", path, schema: Result });
}

/** The newest first; of one status, if it is given. */
export async function listRuns(
  connection: ApiConnection,
  limit: number,
  status?: JourneyRun["status"],
): Promise<ShownRun[]> {
  const path = `/api/journey-runs?limit=${limit}${status === undefined ? "" : `&status=${status}`}`;
  return (await call(connection, { what: "listing runs", method: "GET", path, schema: Runs })).runs;
}

export async function cancelRun(connection: ApiConnection, runId: string): Promise<string> {
  const path = `/api/journey-runs/${encodeURIComponent(runId)}/cancel`;
  const request = { what: "cancelling the run", method: "POST", path, schema: CancelledJourneyRun } as const;
  return (await call(connection, request)).status;
}

/** What it takes to repeat a run. */
const RepeatedRun = z.object({
  artifact: z.string().regex(/^[0-9a-f]{64}$/),
  seed: z.string(),
  strictContract: z.boolean(),
  inputs: z.record(z.string(), z.unknown()),
});

export function readRun(connection: ApiConnection, runId: string): Promise<z.infer<typeof RepeatedRun>> {
  const path = `/api/journey-runs/${encodeURIComponent(runId)}`;
  return call(connection, { what: "reading the run", method: "GET", path, schema: RepeatedRun });
}

/** The bytes of an artifact, by their SHA-256. */
export async function readArtifactFile(connection: ApiConnection, hash: string): Promise<Buffer> {
  const what = "reading the artifact";
  const request = { what, method: "GET", path: `/api/journey-artifacts/${hash}` } as const;
  const response = await exchange(connection, request);
  if (response.status !== 200) understand(connection, { what, schema: z.never(), response });
  return response.body;
}

/** The id of the environment with this name, or null if there is none. */
export async function findEnvironmentId(connection: ApiConnection, name: string): Promise<string | null> {
  const request = { what: "listing environments", path: "/api/environments", schema: Environments };
  for await (const { environments } of readPages(connection, request)) {
    const found = environments.find((environment) => environment.name === name);
    if (found !== undefined) return found.id;
  }
  return null;
}

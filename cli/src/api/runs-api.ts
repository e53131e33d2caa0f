import { Environment, EnvironmentPage } from "@waymark/shared/environments/schema.ts";
import { listEnvironments } from "@waymark/shared/environments/operations.ts";
import * as operations from "@waymark/shared/journey-runs/operations.ts";
import {
  CancelledJourneyRun,
  JourneyRun,
  JourneyRunDetail,
  JourneyRunSteps,
  StartedJourneyRun,
  type StartJourneyRunRequest,
} from "@waymark/shared/journey-runs/schema.ts";
import type { JourneyResult, StepResult } from "@waymark/journeys/result/result.ts";
import { z } from "zod";
import { type ApiConnection, call, exchange, jsonRequestOf, understand } from "./api-client.ts";
import { readPages } from "./read-pages.ts";

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

const Environments = EnvironmentPage.pick({ nextCursor: true }).extend({
  environments: z.array(Environment.pick({ id: true, name: true })),
});

/** A result of the server. Few members are checked: the reports escape every text of it. */
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
export function startRun(connection: ApiConnection, body: StartJourneyRunRequest): Promise<StartedRun> {
  const reading = { what: "starting the journey", read: Started };
  const headers = { "idempotency-key": crypto.randomUUID() };
  return call(connection, operations.startJourneyRun, reading, { headers, body });
}

/** The steps after `after`, as soon as there is one or the run has ended; waits up to 20 seconds. */
export async function followRun(
  connection: ApiConnection,
  { runId, ...query }: { runId: string; after: number; waitSeconds: number },
): Promise<FollowedSteps> {
  const what = "following the journey";
  const parts = { params: { runId }, query };
  const response = await exchange(connection, jsonRequestOf(operations.listJourneyRunSteps, what, parts));
  return understand(connection, { what, read: Steps, response });
}

export async function readRunResult(connection: ApiConnection, runId: string): Promise<JourneyResult> {
  const what = "reading the result";
  const parts = { params: { runId } };
  const response = await exchange(connection, jsonRequestOf(operations.getJourneyRunResult, what, parts));
  return understand(connection, { what, read: Result, response });
}

/** The newest first; of one status, if it is given. */
export async function listRuns(
  connection: ApiConnection,
  limit: number,
  status?: JourneyRun["status"],
): Promise<ShownRun[]> {
  const reading = { what: "listing runs", read: Runs };
  return (await call(connection, operations.listJourneyRuns, reading, { query: { limit, status } })).runs;
}

export async function cancelRun(connection: ApiConnection, runId: string): Promise<string> {
  const reading = { what: "cancelling the run", read: CancelledJourneyRun };
  return (await call(connection, operations.cancelJourneyRun, reading, { params: { runId } })).status;
}

/** The fields that it takes to repeat a run. */
const RepeatedRun = JourneyRunDetail.pick({ seed: true, strictContract: true, inputs: true }).extend({
  artifact: z.string().regex(/^[0-9a-f]{64}$/),
});

export function readRun(connection: ApiConnection, runId: string): Promise<z.infer<typeof RepeatedRun>> {
  const reading = { what: "reading the run", read: RepeatedRun };
  return call(connection, operations.getJourneyRun, reading, { params: { runId } });
}

/** The bytes of an artifact, by their SHA-256. */
export async function readArtifactFile(connection: ApiConnection, hash: string): Promise<Buffer> {
  const what = "reading the artifact";
  const request = jsonRequestOf(operations.getJourneyArtifact, what, { params: { hash } });
  const response = await exchange(connection, request);
  if (response.status !== 200) understand(connection, { what, read: z.never(), response });
  return response.body;
}

/** The id of the environment with this name, or null if there is none. */
export async function findEnvironmentId(connection: ApiConnection, name: string): Promise<string | null> {
  const reading = { what: "listing environments", read: Environments };
  for await (const { environments } of readPages(connection, listEnvironments, reading)) {
    const found = environments.find((environment) => environment.name === name);
    if (found !== undefined) return found.id;
  }
  return null;
}

import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { readJourneyRunProgress } from "@waymark/server/journey-runs/progress.queries.ts";
import {
  findJourneyRun,
  findJourneyRunStep,
  listJourneyRunSteps,
} from "@waymark/server/journey-runs/queries.ts";
import { type JourneyRun, JourneyRunSteps } from "@waymark/shared/journey-runs/schema.ts";
import { z } from "zod";
import * as operations from "@waymark/shared/journey-runs/operations.ts";
import { actorOf } from "../lib/authenticate.ts";
import { shareReads } from "../lib/waits/share-reads.ts";
import { authorizeRun, findAuthorizedRun, type JourneyRunRouteDependencies } from "./route-definitions.ts";
import type { Serve } from "../lib/serve.ts";

/** Steps in one response: a run has 1,000 and those of its teardown. */
const STEPS_MAX = 200;

type StepRouteDependencies = Pick<JourneyRunRouteDependencies, "db" | "pool" | "waits">;

export function registerStepRoutes(serve: Serve, { db, pool, waits }: StepRouteDependencies): void {
  const runWaits = waits.watch((rows) => readJourneyRunProgress(pool, rows));
  // All requests that wait for a step read it at the same moment.
  const readAfterWait = shareReads(
    (page: StepsPage) =>
      withOrganization(db, page.organizationId, async (tx) => {
        const found = await findJourneyRun(tx, page);
        return { found, steps: found === null ? null : await readSteps(tx, found.run, page) };
      }),
    ({ organizationId, runId, after }) => `${organizationId} ${runId} ${after}`,
  );

  serve(operations.listJourneyRunSteps, async (request, reply) => {
    const actor = actorOf(request);
    const { organizationId } = actor;
    const { runId } = request.params;
    const { after, waitSeconds } = request.query;
    const page = { organizationId, runId, after };
    const first = await withOrganization(db, organizationId, async (tx) => {
      // The run first: a step that is written after it is in the next response.
      const { run } = await findAuthorizedRun(tx, actor, { runId, permission: "journeys:read" });
      return readSteps(tx, run, page);
    });
    if (waitSeconds === 0 || first.steps.length > 0 || first.isFinal) return first;
    await runWaits.until(
      { actor, reply, id: runId, waitSeconds },
      ({ lastSeq, isEnded }) => lastSeq > after || isEnded,
    );
    const { found, steps } = await readAfterWait(page);
    authorizeRun(actor, "journeys:read", found);
    return steps ?? first;
  });

  serve(operations.getJourneyRunStep, async (request) => {
    const actor = actorOf(request);
    const { organizationId } = actor;
    const { runId, seq: wanted } = request.params;
    const text = await withOrganization(db, organizationId, async (tx) => {
      await findAuthorizedRun(tx, actor, { runId, permission: "journeys:read" });
      return findJourneyRunStep(tx, { organizationId, runId, seq: wanted });
    });
    if (text === null) throw new AppError("not_found", `The run has no step ${wanted}.`);
    return { seq: wanted, result: objectOf(text) };
  });
}

interface StepsPage {
  organizationId: string;
  runId: string;
  after: number;
}

async function readSteps(
  tx: DatabaseTransactionConnection,
  run: JourneyRun,
  { organizationId, runId, after }: StepsPage,
): Promise<JourneyRunSteps> {
  const rows = await listJourneyRunSteps(tx, { organizationId, runId, from: after + 1, limit: STEPS_MAX });
  return {
    steps: rows.map((row) => ({ seq: row.seq, result: objectOf(row.result) })),
    status: run.status,
    currentStep: run.currentStep,
    isFinal: run.endedAt !== null && rows.length < STEPS_MAX,
  };
}

function objectOf(text: string): Record<string, unknown> {
  return z.record(z.string(), z.unknown()).parse(JSON.parse(text));
}

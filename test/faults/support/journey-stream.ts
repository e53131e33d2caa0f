import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { createHttpClient } from "@waymark/test-support/http-client.ts";
import { thingsJourney } from "@waymark/test-support/journey-target.ts";
import { storeDocument } from "@waymark/test-support/journeys.ts";
import { query } from "@waymark/test-support/sql.ts";
import type { KillableSystem } from "./killable-system.ts";

const LOOK_EVERY_MS = 100;
/** Between two starts of an organization. */
const PAUSE_MS = 250;

const AGED = `
  CREATE FUNCTION age_run() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN NEW.created_at := now() - interval ''2 hours''; RETURN NEW; END';
  CREATE TRIGGER aged BEFORE INSERT ON journey_runs FOR EACH ROW EXECUTE FUNCTION age_run()`;

interface JourneyStream {
  /** How many have ended so far. */
  ended: () => number;
  /** Ids of accepted runs by the text that they send to the target. */
  accepted: () => ReadonlyMap<string, string>;
  /** Answers that no fault explains. */
  wrongAnswers: () => readonly string[];
  /** Starts no more. Resolves when every start was answered. */
  stop: () => Promise<void>;
}

/** Stores a journey over the target's api in each organization. @returns its environment, by organization */
export async function storeJourneys(
  { baseUrls: [baseUrl], organizations, databaseUrl }: KillableSystem,
  { url, events }: { url: string; events: number },
): Promise<Map<string, string>> {
  // An organization starts 600 an hour: here, each run is two hours old from its beginning.
  await query({ databaseUrl }, AGED);
  const environments = new Map<string, string>();
  for (const { organizationId, apiKey } of organizations) {
    const http = createHttpClient(baseUrl, { key: apiKey });
    for (const [path, text] of Object.entries(thingsJourney({ events })))
      await storeDocument({ http }, { path, text });
    const { body } = await http.post<{ id: string }>("/api/environments", {
      name: "test",
      servers: { things: url },
    });
    environments.set(organizationId, body.id);
  }
  return environments;
}

/** Keeps so many runs of each organization unfinished. A start that got no answer is sent again, with its Idempotency-Key. */
export function startJourneyStream(
  { baseUrls, organizations, databaseUrl }: KillableSystem,
  { environments, unfinished }: { environments: ReadonlyMap<string, string>; unfinished: number },
): JourneyStream {
  const accepted = new Map<string, string>();
  const wrong: string[] = [];
  const state = { isStopped: false };
  let open = new Map<string, number>();
  let ended = 0;

  async function look(): Promise<void> {
    while (!state.isStopped) {
      // The server may be down.
      const rows = await query<{ organization_id: string; count: number }>(
        { databaseUrl },
        "SELECT organization_id, count(*)::int AS count FROM journey_run_tickets GROUP BY 1",
      ).catch(() => undefined);
      if (rows !== undefined) {
        open = new Map(rows.map((row) => [row.organization_id, row.count]));
        ended = accepted.size - rows.reduce((sum, { count }) => sum + count, 0);
      }
      await sleep(LOOK_EVERY_MS);
    }
  }

  async function startRuns({
    organizationId,
    apiKey,
  }: KillableSystem["organizations"][number]): Promise<void> {
    const clients = baseUrls.map((baseUrl) => createHttpClient(baseUrl, { key: apiKey }));
    const environmentId = environments.get(organizationId);
    while (!state.isStopped) {
      await sleep(PAUSE_MS);
      if ((open.get(organizationId) ?? 0) >= unfinished) continue;
      const run = randomUUID();
      const body = { path: "things.journey.yaml", environmentId, inputs: { run } };
      for (let attempt = 0; !accepted.has(run); attempt++) {
        const answer = await clients[attempt % 2]
          ?.post<{ runId?: string }>("/api/journey-runs", body, {
            headers: { "idempotency-key": run },
          })
          .catch(() => undefined);
        if (answer?.status === 202 && answer.body.runId !== undefined) accepted.set(run, answer.body.runId);
        else if (answer !== undefined && answer.status < 500) {
          wrong.push(`${answer.status} ${answer.text}`);
          break;
        } else await sleep(LOOK_EVERY_MS);
      }
      open.set(organizationId, (open.get(organizationId) ?? 0) + 1);
    }
  }

  const running = Promise.all([look(), ...organizations.map(startRuns)]);
  return {
    ended: () => ended,
    accepted: () => accepted,
    wrongAnswers: () => wrong,
    stop: async () => {
      state.isStopped = true;
      await running;
    },
  };
}

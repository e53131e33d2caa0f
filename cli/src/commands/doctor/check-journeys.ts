import { denial } from "@waymark/shared/api-keys/authorize.ts";
import { getLimits } from "@waymark/shared/limits/operations.ts";
import { Limits } from "@waymark/shared/limits/schema.ts";
import { type ApiConnection, call } from "../../api/api-client.ts";
import type { OwnKey } from "../../api/keys-api.ts";
import { CliError } from "../../lib/cli-error.ts";
import { plural } from "../../lib/text.ts";
import { listRuns } from "../../api/runs-api.ts";

const RUNS_MAX = 200;
/** A worker takes a run within a second. */
const WAIT_WARNING_SECONDS = 30;

/** The limit on secrets. Responses of older servers lack it. */
const StoredSecrets = Limits.pick({ storesSecrets: true }).partial();

/**
 * Returns the problems that stop journeys from running on the server, as far as the key can see them; empty if there
 * are none. Undefined for a key without permission to read journeys, and for a server without journeys.
 */
export async function findJourneyProblems(
  connection: ApiConnection,
  key: OwnKey,
  now: number,
): Promise<string[] | undefined> {
  const actor = { organizationId: key.organizationId, apiKeyId: key.id, scopes: key.scopes };
  if (denial(actor, ["journeys:read"], {}) !== undefined) return undefined;
  try {
    const reading = { what: "reading the limits", read: StoredSecrets };
    const { storesSecrets } = await call(connection, getLimits, reading, {});
    const queued = await listRuns(connection, RUNS_MAX, "queued");
    return [
      ...(storesSecrets === false
        ? ["the server stores no secrets: its operator has to set JOURNEY_KEYS for api and worker"]
        : []),
      ...waitingProblem(queued, now),
    ];
  } catch (error) {
    if (error instanceof CliError) return undefined;
    throw error;
  }
}

function waitingProblem(queued: readonly { createdAt: string }[], now: number): string[] {
  const oldest = queued.at(-1);
  const seconds = oldest === undefined ? 0 : Math.round((now - Date.parse(oldest.createdAt)) / 1_000);
  if (seconds < WAIT_WARNING_SECONDS) return [];
  const waiting = `${plural(queued.length, "run")} waiting, the oldest for ${seconds} s`;
  return [`${waiting}: no worker with the role "journeys" runs (WORKER_ROLES), or all of them are busy`];
}

import { listExpiringKeys } from "@waymark/server/api-keys/expiring.queries.ts";
import { listKeyNames } from "@waymark/server/api-keys/queries.ts";
import { listLastRefusals } from "@waymark/server/audit/queries.ts";
import type { DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import { listFailingAndRecoveredJourneys } from "@waymark/server/journey-runs/failing.queries.ts";
import { listTroubledSchedules } from "@waymark/server/journey-schedules/failing.queries.ts";
import type { listConcerns } from "@waymark/server/services/overview.queries.ts";
import {
  ConcernKind,
  EXPIRING_DAYS,
  type ExpiringKey,
  type FailingJourney,
  RECENT_DAYS,
  type RecoveredJourney,
  type RefusedKey,
  type TroubledSchedule,
} from "@waymark/shared/services/overview/schema.ts";
import {
  eventOfConcern,
  eventOfExpiring,
  eventOfFailing,
  eventOfRecovered,
  eventOfRefused,
  eventOfSchedule,
} from "@waymark/shared/services/snoozes/item-event.ts";
import type { SnoozeSplit } from "./snoozes/split-snoozed.ts";

interface ListOptions {
  organizationId: string;
  split: SnoozeSplit;
}

interface Kept<Row> {
  rows: Row[];
  count: number;
}

type Concerns = Awaited<ReturnType<typeof listConcerns>>;

/** Keeps those concerns of each kind that are shown, and counts them. */
export function keepConcerns(split: SnoozeSplit, { concerns, counts }: Concerns): Concerns {
  const kept = ConcernKind.options.map((kind) => {
    const rows = concerns.filter((concern) => concern.kind === kind);
    return { kind, ...split.keep({ rows, count: counts[kind], eventOf: eventOfConcern }) };
  });
  const shown = { ...counts };
  for (const { kind, count } of kept) shown[kind] = count;
  return { concerns: kept.flatMap(({ rows }) => rows), counts: shown };
}

/** Lists keys that expire soon. */
export async function listKeysThatExpire(
  tx: DatabaseTransactionConnection,
  { organizationId, split }: ListOptions,
): Promise<Kept<ExpiringKey>> {
  const limit = split.rowsFor("expiringKeys");
  const { keys, count } = await listExpiringKeys(tx, { organizationId, days: EXPIRING_DAYS, limit });
  const now = Date.now();
  return split.keep({ rows: keys, count, eventOf: (key) => eventOfExpiring(key, now) });
}

/** Lists keys of which requests were refused lately. */
export async function listRefusedKeys(
  tx: DatabaseTransactionConnection,
  { organizationId, split }: ListOptions,
): Promise<Kept<RefusedKey>> {
  const since = new Date(Date.now() - RECENT_DAYS * 24 * 3600 * 1000);
  const limit = split.rowsFor("refusedKeys");
  const { refusals, count } = await listLastRefusals(tx, { organizationId, since, limit });
  const apiKeyIds = refusals.map(({ apiKeyId }) => apiKeyId);
  const names = await listKeyNames(tx, { organizationId, apiKeyIds });
  const rows = refusals.map(({ apiKeyId, refusedAt, route, code }) => {
    return { apiKeyId, name: names.get(apiKeyId) ?? "", refusedAt, route, code };
  });
  return split.keep({ rows, count, eventOf: eventOfRefused });
}

/** Lists journeys that fail, and those that pass again. */
export async function listJourneys(
  tx: DatabaseTransactionConnection,
  { organizationId, split }: ListOptions,
): Promise<{ failing: Kept<FailingJourney>; recovered: Kept<RecoveredJourney> }> {
  const limit = split.rowsFor("failingJourneys", "recoveredJourneys");
  const { failing, recovered } = await listFailingAndRecoveredJourneys(tx, { organizationId, limit });
  return {
    failing: split.keep({ rows: failing.journeys, count: failing.count, eventOf: eventOfFailing }),
    recovered: split.keep({ rows: recovered.journeys, count: recovered.count, eventOf: eventOfRecovered }),
  };
}

/** Lists schedules that fail or are paused. */
export async function listSchedules(
  tx: DatabaseTransactionConnection,
  { organizationId, split }: ListOptions,
): Promise<Kept<TroubledSchedule>> {
  const limit = split.rowsFor("troubledSchedules");
  const { schedules, count } = await listTroubledSchedules(tx, { organizationId, limit });
  return split.keep({ rows: schedules, count, eventOf: eventOfSchedule });
}

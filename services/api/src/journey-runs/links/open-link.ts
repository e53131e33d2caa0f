import { findApiKey } from "@waymark/server/api-keys/queries.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool, DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import { parseLinkToken } from "@waymark/server/journey-runs/links/link-token.ts";
import {
  findLinkOrganization,
  findOpenLink,
  listStepsToShare,
  type OpenLink,
  readResultHead,
  recordOpening,
} from "@waymark/server/journey-runs/links/queries.ts";
import { findJourneyRun, type FoundJourneyRun } from "@waymark/server/journey-runs/queries.ts";
import { authorizeAll } from "@waymark/shared/api-keys/authorize.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import type { OpenedJourneyRunLink } from "@waymark/shared/journey-runs/links/schema.ts";
import { callerGrant } from "../../lib/caller-grant.ts";
import { sharedRun, sharedStep } from "./shared-run.ts";

/** Steps in one response: each may have a request and a response of 16 KB each. */
const STEPS_MAX = 50;

/** The permissions that the maker of a link needs, when it is made and each time that it is opened. */
export const TO_SHARE = ["journeys:read", "journeys:share"] as const;

interface Opening {
  token: string;
  after: number;
  /** Counts a request by this link. */
  count: (link: { organizationId: string; linkId: string }) => Promise<void>;
}

/**
 * Returns what a link shows: a page of steps, and the run.
 *
 * @throws AppError `not_found`, the same for a malformed, unknown, expired and ended link, for one whose maker could not share the run now,
 *   and where the organization shares no runs
 */
export async function openLink(
  db: DatabasePool,
  { token, after, count }: Opening,
): Promise<OpenedJourneyRunLink> {
  const tokenHash = parseLinkToken(token);
  if (tokenHash === undefined) throw unknownLink();
  const organizationId = await findLinkOrganization(db, tokenHash);
  if (organizationId === null) throw unknownLink();
  return withOrganization(db, organizationId, async (tx) => {
    const link = await findOpenLink(tx, { organizationId, tokenHash });
    if (link === null) throw unknownLink();
    const { id: linkId, run_id: runId, includes, expires_at: expiresAt } = link;
    const found = link.is_kept ? await findJourneyRun(tx, { organizationId, runId }) : null;
    await assertStillShared(tx, organizationId, { link, found });
    await count({ organizationId, linkId });
    // The pages after the first are the same opening.
    if (after === -1) await recordOpening(tx, { organizationId, linkId });
    if (found === null) return { includes, expiresAt, run: null, steps: [] };
    const { resultHash } = found;
    const head = await readResultHead(tx, { organizationId, resultHash });
    const withEvidence = includes === "exchanges";
    const page = { after, limit: STEPS_MAX + 1, withEvidence };
    const rows = await listStepsToShare(tx, { organizationId, runId }, page);
    const steps = rows.slice(0, STEPS_MAX);
    const last = steps.at(-1);
    return {
      includes,
      expiresAt,
      run: sharedRun(found, { head, includes }),
      steps: steps.map((row) => ({ seq: row.seq, result: sharedStep(row, includes) })),
      ...(rows.length > STEPS_MAX && last !== undefined && { nextAfter: last.seq }),
    };
  });
}

/** Checks that the key that made a link could make it now: a link lives no longer than the right to share. */
async function assertStillShared(
  tx: DatabaseTransactionConnection,
  organizationId: string,
  { link, found }: { link: OpenLink; found: FoundJourneyRun | null },
): Promise<void> {
  const { created_by_key_id: apiKeyId } = link;
  try {
    const key = await findApiKey(tx, { organizationId, apiKeyId });
    const { scopes } = await callerGrant(tx, organizationId, key ?? undefined);
    if (found === null) return;
    const { journeyId: workflowId, environmentId } = found.run;
    authorizeAll({ organizationId, apiKeyId, scopes }, TO_SHARE, { workflowId, environmentId });
  } catch (error) {
    // A stranger does not learn the reason.
    if (error instanceof AppError) throw unknownLink(error);
    throw error;
  }
}

function unknownLink(cause?: AppError): AppError {
  return new AppError(
    "not_found",
    "This link does not work: it is not complete, has expired, or was ended. Ask for another one.",
    { cause },
  );
}

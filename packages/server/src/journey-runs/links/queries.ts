import { type CommonQueryMethods, type DatabaseTransactionConnection, sql } from "slonik";
import { z } from "zod";
import { PrincipalSummary } from "@waymark/shared/api-keys/schema.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { JOURNEY_RUN_LINK_LIMITS } from "@waymark/shared/journey-runs/links/limits.ts";
import { type JourneyRunLink, LinkIncludes } from "@waymark/shared/journey-runs/links/schema.ts";
import { readBlob } from "../../db/blobs.ts";
import { joinOwner, PRINCIPAL_SUMMARY } from "../../db/principal-summary.ts";

const Nothing = z.object({});

const LinkRow = z.object({
  id: z.string(),
  includes: LinkIncludes,
  note: z.string().nullable(),
  created_by_key_id: z.string(),
  creator: PrincipalSummary.nullable(),
  is_own: z.boolean(),
  created_at: z.string(),
  expires_at: z.string(),
  open_count: z.number(),
  last_opened_at: z.string().nullable(),
});

interface RunRef {
  organizationId: string;
  runId: string;
}

/** The caller, who may end what its key, or another key of its user, has made. */
interface Reader {
  apiKeyId: string;
  userId?: string | undefined;
}

/** Lists the links to a run that have not expired, newest first. */
export async function listRunLinks(
  tx: DatabaseTransactionConnection,
  { organizationId, runId }: RunRef,
  { reader: { apiKeyId, userId }, id = null }: { reader: Reader; id?: string | null },
): Promise<JourneyRunLink[]> {
  const rows = await tx.any(sql.type(LinkRow)`
    SELECT l.id, l.includes, l.note, l.created_by_key_id, ${PRINCIPAL_SUMMARY} AS creator, l.created_at, l.expires_at, l.open_count,
           l.last_opened_at,
           (l.created_by_key_id = ${apiKeyId} OR coalesce(k.owner_principal_id = ${userId ?? null}::uuid, false)) AS is_own
    FROM journey_run_links l
    ${joinOwner({ organizationId: sql.fragment`l.organization_id`, keyId: sql.fragment`l.created_by_key_id` })}
    WHERE l.organization_id = ${organizationId} AND l.run_id = ${runId} AND l.expires_at > now()
      AND (${id}::uuid IS NULL OR l.id = ${id}::uuid)
    ORDER BY l.id DESC`);
  return rows.map((row) => ({
    id: row.id,
    includes: row.includes,
    note: row.note,
    createdByKeyId: row.created_by_key_id,
    creator: row.creator,
    isOwn: row.is_own,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    openCount: row.open_count,
    lastOpenedAt: row.last_opened_at,
  }));
}

/**
 * Stores a link, which expires with its key if that is earlier, and deletes the expired ones of the organization.
 *
 * @throws AppError `limit_reached`
 */
export async function insertRunLink(
  tx: DatabaseTransactionConnection,
  { organizationId, runId }: RunRef,
  link: {
    id: string;
    tokenHash: Buffer;
    includes: LinkIncludes;
    note: string | null;
    hours: number;
    createdByKeyId: string;
    /** When that key expires; null if it does not. */
    keyExpiresAt: string | null;
  },
): Promise<void> {
  await tx.query(sql.type(Nothing)`
    SELECT FROM pg_advisory_xact_lock(hashtextextended('links to runs of ' || ${organizationId}, 0))`);
  await tx.query(sql.type(Nothing)`
    DELETE FROM journey_run_links l WHERE l.organization_id = ${organizationId} AND l.expires_at <= now()`);
  const counts = await tx.one(sql.type(z.object({ all: z.number(), of_run: z.number() }))`
    SELECT count(*)::int AS all, (count(*) FILTER (WHERE l.run_id = ${runId}))::int AS of_run
    FROM journey_run_links l WHERE l.organization_id = ${organizationId}`);
  const { perRunMax, openMax } = JOURNEY_RUN_LINK_LIMITS;
  if (counts.of_run >= perRunMax)
    throw new AppError("limit_reached", `A run has at most ${perRunMax} links. End one of them.`);
  if (counts.all >= openMax)
    throw new AppError(
      "limit_reached",
      `An organization has at most ${openMax.toLocaleString("en")} links to runs. End some, or wait until they expire.`,
    );
  await tx.query(sql.type(Nothing)`
    INSERT INTO journey_run_links (organization_id, id, run_id, token_hash, includes, note, created_by_key_id, expires_at)
    VALUES (${organizationId}, ${link.id}, ${runId}, ${sql.binary(link.tokenHash)}, ${link.includes}, ${link.note}, ${link.createdByKeyId},
            least(now() + ${link.hours} * interval '1 hour', ${link.keyExpiresAt}::timestamptz))`);
}

/** Ends a link: nothing can be opened by it any more. */
export async function deleteRunLink(
  tx: DatabaseTransactionConnection,
  { organizationId, linkId }: { organizationId: string; linkId: string },
): Promise<void> {
  await tx.query(sql.type(Nothing)`
    DELETE FROM journey_run_links l WHERE l.organization_id = ${organizationId} AND l.id = ${linkId}`);
}

/** Finds the organization of a link by its token, with one indexed query. */
export async function findLinkOrganization(
  db: CommonQueryMethods,
  tokenHash: Buffer,
): Promise<string | null> {
  return db.maybeOneFirst(sql.type(z.object({ organization_id: z.string() }))`
    SELECT f AS organization_id FROM find_journey_run_link(${sql.binary(tokenHash)}) f`);
}

const OpenLink = z.object({
  id: z.string(),
  run_id: z.string(),
  includes: LinkIncludes,
  created_by_key_id: z.string(),
  expires_at: z.string(),
  is_kept: z.boolean(),
});
/** A link that works, as long as its maker may share the run. */
export type OpenLink = z.infer<typeof OpenLink>;

/**
 * Finds a link that has not expired, in an organization that shares runs. A run that was stored after the link is not the run that was
 * shared: who uploads a result gives it its id.
 */
export async function findOpenLink(
  tx: DatabaseTransactionConnection,
  { organizationId, tokenHash }: { organizationId: string; tokenHash: Buffer },
): Promise<OpenLink | null> {
  return tx.maybeOne(sql.type(OpenLink)`
    SELECT l.id, l.run_id, l.includes, l.created_by_key_id, l.expires_at,
           EXISTS (SELECT FROM journey_runs r
                   WHERE r.organization_id = l.organization_id AND r.id = l.run_id AND r.created_at <= l.created_at) AS is_kept
    FROM journey_run_links l
    JOIN organizations o ON o.id = l.organization_id AND o.shares_journey_runs
    WHERE l.organization_id = ${organizationId} AND l.token_hash = ${sql.binary(tokenHash)} AND l.expires_at > now()`);
}

/** Counts that a link was opened. */
export async function recordOpening(
  tx: DatabaseTransactionConnection,
  { organizationId, linkId }: { organizationId: string; linkId: string },
): Promise<void> {
  await tx.query(sql.type(Nothing)`
    UPDATE journey_run_links l SET open_count = least(l.open_count, 2147483646) + 1, last_opened_at = now()
    WHERE l.organization_id = ${organizationId} AND l.id = ${linkId}`);
}

const StepRow = z.object({ seq: z.number(), result: z.string(), evidence: z.string().nullable() });

/** Lists a page of a run's steps; their requests and responses are read only if they are wanted. */
export async function listStepsToShare(
  tx: DatabaseTransactionConnection,
  { organizationId, runId }: RunRef,
  { after, limit, withEvidence }: { after: number; limit: number; withEvidence: boolean },
): Promise<readonly z.infer<typeof StepRow>[]> {
  return tx.any(sql.type(StepRow)`
    SELECT s.seq, s.result, CASE WHEN ${withEvidence} THEN s.evidence END AS evidence
    FROM journey_run_steps s
    WHERE s.organization_id = ${organizationId} AND s.run_id = ${runId} AND s.seq > ${after}
    ORDER BY s.seq LIMIT ${limit}`);
}

/** Reads the result of a run without its steps, as JSON; null if it is not kept any more. */
export async function readResultHead(
  tx: DatabaseTransactionConnection,
  { organizationId, resultHash }: { organizationId: string; resultHash: Buffer | null },
): Promise<string | null> {
  if (resultHash === null) return null;
  const head = await readBlob(tx, { organizationId, hash: resultHash });
  return head === null ? null : head.toString();
}

import type { PoolClient } from "pg";
import { type DatabaseTransactionConnection, sql } from "slonik";
import { z } from "zod";
import { SNOOZE_LIMITS } from "@waymark/shared/services/snoozes/limits.ts";
import { ItemEvent, type SnoozableKind, Snooze } from "@waymark/shared/services/snoozes/schema.ts";

const Nothing = z.object({});

const StoredSnooze = ItemEvent.extend({ until: Snooze.shape.until });
export type StoredSnooze = z.infer<typeof StoredSnooze>;

interface User {
  organizationId: string;
  userId: string;
}

/** Lists what a user has snoozed and whose time is not over. */
export async function listSnoozes(
  tx: DatabaseTransactionConnection,
  { organizationId, userId }: User,
): Promise<readonly StoredSnooze[]> {
  return tx.any(sql.type(StoredSnooze)`
    SELECT s.kind, s.subject_id AS "subjectId", s.event, s.level, s.until
    FROM inbox_snoozes s
    WHERE s.organization_id = ${organizationId} AND s.principal_id = ${userId} AND s.until > now()`);
}

/** Stores a snooze in the place of one for the same item. Those of the user that end first make room for it. */
export async function storeSnooze(
  tx: DatabaseTransactionConnection,
  { organizationId, userId, ...snooze }: User & StoredSnooze,
): Promise<void> {
  const { kind, subjectId, event, level, until } = snooze;
  await tx.query(sql.type(Nothing)`
    SELECT FROM pg_advisory_xact_lock(hashtextextended('snoozes of ' || ${userId}, 0))`);
  await tx.query(sql.type(Nothing)`
    INSERT INTO inbox_snoozes (organization_id, principal_id, kind, subject_id, event, level, until)
    VALUES (${organizationId}, ${userId}, ${kind}, ${subjectId}, ${event}, ${level}, ${until})
    ON CONFLICT (organization_id, principal_id, kind, subject_id)
    DO UPDATE SET event = excluded.event, level = excluded.level, until = excluded.until`);
  await tx.query(sql.type(Nothing)`
    DELETE FROM inbox_snoozes d
    WHERE d.organization_id = ${organizationId} AND d.principal_id = ${userId} AND (d.kind, d.subject_id) IN (
      SELECT o.kind, o.subject_id FROM inbox_snoozes o
      WHERE o.organization_id = ${organizationId} AND o.principal_id = ${userId} AND (o.kind, o.subject_id) <> (${kind}, ${subjectId}::uuid)
      ORDER BY o.until DESC, o.kind, o.subject_id
      OFFSET ${SNOOZE_LIMITS.perUserMax - 1})`);
}

/** Ends a snooze, if there is one. */
export async function deleteSnooze(
  tx: DatabaseTransactionConnection,
  options: User & { kind: SnoozableKind; subjectId: string },
): Promise<void> {
  const { organizationId, userId, kind, subjectId } = options;
  await tx.query(sql.type(Nothing)`
    DELETE FROM inbox_snoozes
    WHERE organization_id = ${organizationId} AND principal_id = ${userId} AND kind = ${kind} AND subject_id = ${subjectId}`);
}

/** Deletes snoozes whose time is over. @returns how many; `batchMax` means that there may be more */
export async function deleteEndedSnoozes(
  client: PoolClient,
  { organizationId, batchMax }: { organizationId: string; batchMax: number },
): Promise<number> {
  const { rowCount } = await client.query(
    // Made once and locked: a snooze that is renewed meanwhile stays.
    `WITH ended AS MATERIALIZED (
       SELECT s.principal_id, s.kind, s.subject_id FROM inbox_snoozes s
       WHERE s.organization_id = $1 AND s.until <= now()
       LIMIT $2
       FOR UPDATE SKIP LOCKED
     )
     DELETE FROM inbox_snoozes d USING ended e
     WHERE d.organization_id = $1 AND (d.principal_id, d.kind, d.subject_id) = (e.principal_id, e.kind, e.subject_id)`,
    [organizationId, batchMax],
  );
  return rowCount ?? 0;
}

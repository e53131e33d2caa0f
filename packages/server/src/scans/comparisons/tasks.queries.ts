import { type DatabaseTransactionConnection, sql } from "slonik";
import { z } from "zod";

interface RunRef {
  organizationId: string;
  scanRunId: string;
}

/** Asks for the comparisons that a promotion changes, and uses up the approvals of what it made current. */
export async function comparePromoted(
  tx: DatabaseTransactionConnection,
  { organizationId, scanRunId }: RunRef,
): Promise<void> {
  await tx.query(sql.type(z.object({}))`SELECT FROM request_comparisons(${organizationId}, ${scanRunId})`);
  await useApprovals(tx, { organizationId, scanRunId });
}

/** Uses up the approvals of the changes that a run made current. Does nothing for a run that is not promoted or not compared. */
export async function useApprovals(
  tx: DatabaseTransactionConnection,
  { organizationId, scanRunId }: RunRef,
): Promise<void> {
  await tx.query(sql.type(z.object({}))`SELECT FROM use_change_approvals(${organizationId}, ${scanRunId})`);
  await tx.query(sql.type(z.object({}))`SELECT FROM mark_breaks_stale(${organizationId}, ${scanRunId})`);
}

/** Asks for the comparisons that the end of a promotion changes, and opens the approvals again that the run has used up. */
export async function compareWithout(
  tx: DatabaseTransactionConnection,
  { organizationId, scanRunId }: RunRef,
): Promise<void> {
  await tx.query(sql.type(z.object({}))`SELECT FROM request_comparisons(${organizationId}, ${scanRunId})`);
  await tx.query(
    sql.type(z.object({}))`SELECT FROM reopen_change_approvals(${organizationId}, ${scanRunId})`,
  );
  await tx.query(sql.type(z.object({}))`SELECT FROM mark_breaks_stale(${organizationId}, ${scanRunId})`);
}

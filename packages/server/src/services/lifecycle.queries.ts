import { type DatabaseTransactionConnection, sql } from "slonik";
import { z } from "zod";
import type { PgClient } from "../db/pool.ts";
import type { Labels } from "@waymark/shared/services/labels/schema.ts";
import type { ServiceLinks } from "@waymark/shared/services/schema.ts";

interface ServiceRef {
  organizationId: string;
  serviceId: string;
}

/** Locks a service until the end of the transaction, so that nobody else changes its names. */
export async function lockServiceNames(
  tx: DatabaseTransactionConnection,
  { organizationId, serviceId }: ServiceRef,
): Promise<void> {
  await tx.query(sql.type(z.object({}))`
    SELECT FROM lock_service_names(${organizationId}, ${serviceId})`);
}

const RenameOutcome = z.enum(["renamed", "unchanged", "taken"]);

/** Gives a service its names. Returns `taken`, and changes nothing, if another service has one of them. */
export function renameService(
  tx: DatabaseTransactionConnection,
  { organizationId, serviceId, name, aliases }: ServiceRef & { name: string; aliases: readonly string[] },
): Promise<z.infer<typeof RenameOutcome>> {
  return tx.oneFirst(sql.type(z.object({ rename_service: RenameOutcome }))`
    SELECT rename_service(${organizationId}, ${serviceId}, ${name}, ${sql.array([...aliases], "text")})`);
}

const Outcome = z.object({ changed: z.boolean() });

/** Archives a service, or restores it. Returns false if it was so before. */
export function archiveService(
  tx: DatabaseTransactionConnection,
  { organizationId, serviceId, archived }: ServiceRef & { archived: boolean },
): Promise<boolean> {
  return tx.oneFirst(sql.type(Outcome)`
    SELECT archive_service(${organizationId}, ${serviceId}, ${archived}) AS changed`);
}

/** Sets a service's labels. Returns false if it had these. */
export async function setLabels(
  tx: DatabaseTransactionConnection,
  { organizationId, serviceId, labels }: ServiceRef & { labels: Labels },
): Promise<boolean> {
  const { rowCount } = await tx.query(sql.type(z.object({}))`
    UPDATE services SET labels = ${sql.jsonb(labels)}
    WHERE organization_id = ${organizationId} AND id = ${serviceId} AND labels <> ${sql.jsonb(labels)}`);
  return rowCount > 0;
}

/** Sets a service's links. Returns false if it had these. */
export async function setLinks(
  tx: DatabaseTransactionConnection,
  { organizationId, serviceId, links }: ServiceRef & { links: ServiceLinks },
): Promise<boolean> {
  const { rowCount } = await tx.query(sql.type(z.object({}))`
    UPDATE services SET links = ${sql.jsonb(links)}
    WHERE organization_id = ${organizationId} AND id = ${serviceId} AND links <> ${sql.jsonb(links)}`);
  return rowCount > 0;
}

/** Sets the team that owns a service; null for none. Returns false if it was that before. */
export async function setOwner(
  tx: DatabaseTransactionConnection,
  { organizationId, serviceId, teamId }: ServiceRef & { teamId: string | null },
): Promise<boolean> {
  const { rowCount } = await tx.query(sql.type(z.object({}))`
    UPDATE services SET owner_team_id = ${teamId}
    WHERE organization_id = ${organizationId} AND id = ${serviceId} AND owner_team_id IS DISTINCT FROM ${teamId}::uuid`);
  return rowCount > 0;
}

/** Counts the services that a team owns. */
export function countOwned(
  tx: DatabaseTransactionConnection,
  { organizationId, teamId }: { organizationId: string; teamId: string },
): Promise<number> {
  return tx.oneFirst(sql.type(z.object({ count: z.number() }))`
    SELECT count(*)::int AS count FROM services WHERE organization_id = ${organizationId} AND owner_team_id = ${teamId}`);
}

/** Deletes a service for everybody; a worker deletes its data. Returns false if there is none. */
export function deleteService(
  tx: DatabaseTransactionConnection,
  { organizationId, serviceId }: ServiceRef,
): Promise<boolean> {
  return tx.oneFirst(sql.type(Outcome)`
    SELECT delete_service(${organizationId}, ${serviceId}) AS changed`);
}

/** How much a batch deleted of what deleted services had. */
export interface DeletedServiceData {
  runs: number;
  /** Other rows; both are 0 if nothing is left. */
  rows: number;
}

/** Deletes a part of what a deleted service had, in one transaction. */
export async function deleteServiceData(
  client: PgClient,
  { organizationId, batchMax }: { organizationId: string; batchMax: number },
): Promise<DeletedServiceData> {
  const { rows } = await client.query<DeletedServiceData>(
    "SELECT run_count AS runs, row_count AS rows FROM delete_service_data($1, $2)",
    [organizationId, batchMax],
  );
  return rows[0] ?? { runs: 0, rows: 0 };
}

/** A deleted service whose content may be stored yet. */
export interface DeletedService {
  serviceId: string;
  /** It was deleted before the time that was asked for, and has no runs or rows left. */
  isFinished: boolean;
}

export async function listDeletedServices(
  client: PgClient,
  { organizationId, deletedBefore }: { organizationId: string; deletedBefore: Date },
): Promise<DeletedService[]> {
  const { rows } = await client.query<DeletedService>(
    `SELECT service_id AS "serviceId", is_finished AS "isFinished" FROM list_deleted_services($1, $2)`,
    [organizationId, deletedBefore],
  );
  return rows;
}

/** Deletes the last rows of deleted services that have nothing left. */
export async function forgetDeletedServices(
  client: PgClient,
  { organizationId, serviceIds }: { organizationId: string; serviceIds: readonly string[] },
): Promise<void> {
  await client.query("SELECT forget_deleted_services($1, $2)", [organizationId, serviceIds]);
}

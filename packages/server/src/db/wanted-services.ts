import { type FragmentSqlToken, sql } from "slonik";
import type { WantedLabel } from "@waymark/shared/services/labels/schema.ts";
import { hasWantedLabels } from "./wanted-labels.ts";

/** The services that a list is about, of those that the caller sees. */
export interface WantedServices {
  labels: readonly WantedLabel[];
  /** `me`, `none`, or the slug of a team; null for any owner and none. */
  owner: string | null;
  /** The user of the calling key, whose teams `me` stands for. */
  userId: string | null;
}

/** Returns the condition that a service has the labels and the owner that are wanted. */
export function isWanted(service: FragmentSqlToken, wanted: WantedServices): FragmentSqlToken {
  return sql.fragment`(${hasWantedLabels(sql.fragment`${service}.labels`, wanted.labels)} AND ${hasOwner(service, wanted)})`;
}

function hasOwner(
  service: FragmentSqlToken,
  { owner, userId }: Pick<WantedServices, "owner" | "userId">,
): FragmentSqlToken {
  if (owner === null) return sql.fragment`true`;
  if (owner === "none") return sql.fragment`${service}.owner_team_id IS NULL`;
  if (owner === "me") {
    return sql.fragment`${service}.owner_team_id IN (
      SELECT m.team_id FROM team_members m
      WHERE m.organization_id = ${service}.organization_id AND m.principal_id = ${userId}::uuid)`;
  }
  return sql.fragment`${service}.owner_team_id = (
    SELECT t.id FROM teams t WHERE t.organization_id = ${service}.organization_id AND t.slug = ${owner})`;
}

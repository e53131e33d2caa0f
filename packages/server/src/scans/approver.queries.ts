import { sql } from "slonik";
import { joinOwner } from "../db/principal-summary.ts";

/** Joins the owner `p` of the key that gave the approval `a`. */
export const JOIN_APPROVER = joinOwner({
  organizationId: sql.fragment`a.organization_id`,
  keyId: sql.fragment`a.created_by_key_id`,
});

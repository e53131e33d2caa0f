import { escapeControls } from "@waymark/shared/lib/printable.ts";
import { type Claims, claimValues, type Conditions } from "./match-conditions.ts";

const CHARS_MAX = 300;
const CLAIMS_MAX = 30;

/** Claims that say which build it was. None of them is personal. */
const BUILD_CLAIMS = [
  "repository",
  "repository_id",
  "repository_owner_id",
  "ref",
  "sha",
  "environment",
  "event_name",
  "run_id",
  "run_attempt",
  "workflow_ref",
  "job_workflow_ref",
  "project_path",
  "project_id",
  "pipeline_id",
  "pipeline_source",
  "job_id",
  "pipeline_slug",
  "build_number",
  "jti",
] as const;

/** A token's text as it may be stored and shown: one line, and not too long. */
function shownText(text: string): string {
  return Array.from(escapeControls(text.toWellFormed())).slice(0, CHARS_MAX).join("");
}

/** The subject of a token, to be stored and shown. */
export const shownSubject = shownText;

/** The claims of an audit event: those that the conditions name, and those that say which build it was. */
export function auditedClaims(conditions: Conditions, claims: Claims): Record<string, string> {
  const names = [...new Set([...Object.keys(conditions), ...BUILD_CLAIMS])];
  const found = names.flatMap((name) => {
    const values = claimValues(claims, name);
    return values.length === 0 ? [] : [[name, shownText(values.join(", "))] as const];
  });
  return Object.fromEntries(found.slice(0, CLAIMS_MAX));
}

import type { ApiConnection } from "../../api/api-client.ts";
import { parseJson } from "../../lib/parse-json.ts";
import type { WorkloadKey } from "../../api/workload-key.ts";
import { printable } from "../../lib/text.ts";

/** Claims that trust policies have conditions on, in the order in which they are shown. Others are left out. */
const SHOWN = [
  "iss",
  "aud",
  "sub",
  "repository",
  "repository_id",
  "repository_owner",
  "repository_owner_id",
  "ref",
  "environment",
  "event_name",
  "job_workflow_ref",
  "project_path",
  "project_id",
  "namespace_path",
  "namespace_id",
  "ref_protected",
  "pipeline_source",
  "organization_slug",
  "pipeline_slug",
  "build_branch",
  "oidc.circleci.com/project-id",
  "kubernetes.io",
] as const;

const VALUE_CHARS_MAX = 200;

/**
 * Shows the claims of the build's token, then exchanges it. The token itself is never shown. A refusal of the server says which
 * conditions failed.
 *
 * @throws {CliError} if there is no token, or the server refuses it
 */
export async function checkIdentity(
  connection: ApiConnection,
  { identity, audienceOf, get }: WorkloadKey,
  say: (state: "ok" | "warning", text: string) => void,
): Promise<void> {
  const token = await identity.requestToken(audienceOf(connection), connection);
  say("ok", `identity: ${printable(identity.source, 400)}`);
  for (const line of describeClaims(token)) say("ok", `  ${line}`);
  await get(connection);
  say("ok", "identity: a trust policy accepts it");
  if (!identity.isRenewable)
    say("warning", "identity: this token is used up now; another command needs another one");
}

function describeClaims(token: string): string[] {
  const claims = parseJson(Buffer.from(token.split(".")[1] ?? "", "base64url"));
  if (typeof claims !== "object" || claims === null) return [];
  const values = new Map<string, unknown>(Object.entries(claims));
  return SHOWN.flatMap((name) => {
    const value = values.get(name);
    if (value === undefined || value === "") return [];
    return [
      `${name}: ${printable(typeof value === "string" ? value : JSON.stringify(value), VALUE_CHARS_MAX)}`,
    ];
  });
}

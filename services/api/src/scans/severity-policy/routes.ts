import { insertAuditEvent } from "@waymark/server/audit/queries.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool } from "@waymark/server/db/pool.ts";
import {
  findSeverityPolicy,
  lockSeverityPolicy,
  storeSeverityPolicy,
} from "@waymark/server/scans/severity-policy/queries.ts";
import { authorize } from "@waymark/shared/api-keys/authorize.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { SEVERITIES } from "@waymark/shared/scans/limits.ts";
import * as operations from "@waymark/shared/scans/severity-policy/operations.ts";
import {
  type DueDays,
  everyDueDays,
  type SeverityPolicy,
} from "@waymark/shared/scans/severity-policy/schema.ts";
import { v7 as uuidv7 } from "uuid";
import { auditOriginOf } from "../../lib/audit-origin.ts";
import { actorOf } from "../../lib/authenticate.ts";
import type { Serve } from "../../lib/serve.ts";

/** Registers the routes that read and replace an organization's severity policy. */
export function registerSeverityPolicyRoutes(serve: Serve, { db }: { db: DatabasePool }): void {
  serve(operations.getSeverityPolicy, async (request, reply) => {
    const { organizationId } = actorOf(request);
    const policy = await withOrganization(db, organizationId, (tx) =>
      findSeverityPolicy(tx, { organizationId }),
    );
    reply.header("etag", `"${policy.revision}"`);
    return policy;
  });

  serve(operations.replaceSeverityPolicy, async (request, reply) => {
    const actor = actorOf(request);
    const { organizationId, apiKeyId } = actor;
    authorize(actor, "severities:manage", {});
    const wanted = request.headers["if-match"];
    const rules = request.body.rules.toSorted((a, b) => (a.code < b.code ? -1 : 1));
    const policy = await withOrganization(db, organizationId, async (tx) => {
      await lockSeverityPolicy(tx, { organizationId });
      const before = await findSeverityPolicy(tx, { organizationId });
      if (wanted !== undefined && wanted !== `"${before.revision}"`)
        throw new AppError(
          "revision_conflict",
          `The severity policy was changed: its revision is ${before.revision}, If-Match names ${wanted.slice(1, -1)}. Read it again and apply your change to it.`,
        );
      const dueDays =
        request.body.dueDays === undefined ? before.dueDays : everyDueDays(request.body.dueDays);
      const details = { ...changesOf(before.rules, rules), dueDays: changesOfDays(before.dueDays, dueDays) };
      if (details.set.length + details.removed.length + Object.keys(details.dueDays).length === 0)
        return before;
      const stored = await storeSeverityPolicy(tx, {
        organizationId,
        rules,
        dueDays,
        updatedByKeyId: apiKeyId,
      });
      await insertAuditEvent(tx, {
        id: uuidv7(),
        organizationId,
        apiKeyId: null,
        action: "severity_policy.updated",
        details: { revision: stored.revision, ...details },
        ...auditOriginOf(request),
      });
      return stored;
    });
    reply.header("etag", `"${policy.revision}"`);
    return policy;
  });
}

type Rules = SeverityPolicy["rules"];

/** Returns the rules that get a severity, and those that lose theirs. */
function changesOf(before: Rules, after: Rules): { set: Rules; removed: string[] } {
  const [old, now] = [before, after].map(
    (rules) => new Map(rules.map(({ code, severity }) => [code, severity])),
  );
  return {
    set: after.filter(({ code, severity }) => old?.get(code) !== severity),
    removed: before.flatMap(({ code }) => (now?.has(code) === true ? [] : [code])),
  };
}

/** Returns the days of the severities that get others. */
function changesOfDays(before: DueDays, after: DueDays): Partial<DueDays> {
  return Object.fromEntries(
    SEVERITIES.flatMap((each) => (before[each] === after[each] ? [] : [[each, after[each]]])),
  );
}

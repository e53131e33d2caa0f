import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CurrentFinding, FindingSummary } from "@waymark/shared/scans/current-findings/schema.ts";
import type { FindingDecision } from "@waymark/shared/scans/finding-decisions/schema.ts";
import { SEVERITIES } from "@waymark/shared/scans/limits.ts";
import type { NormalizedFinding, RunFinding, Severity } from "@waymark/shared/scans/schema.ts";
import type { Service } from "@waymark/shared/services/schema.ts";
import { announceSeed, createRandom, scaled } from "@waymark/test-support/scale.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { ingest, waitForRun } from "@waymark/test-support/scans.ts";
import { query } from "@waymark/test-support/sql.ts";
import { type Stack, startStack } from "@waymark/test-support/stack.ts";

const ROUNDS = scaled({ short: 6, long: 100 });

let stack: Stack;
beforeAll(async () => {
  announceSeed();
  stack = await startStack({ apiEnv: { RATE_LIMIT_KEY_PER_MINUTE: "off" } });
});
afterAll(() => stack[Symbol.asyncDispose]());

const random = createRandom("severities of decisions");
const chance = (one: number) => random.integer(1, one) === 1;

async function scan(serviceName: string, findings: readonly NormalizedFinding[]) {
  const { body } = await ingest(stack, {
    ...scanPayload({ serviceName, endpoints: 1 }),
    findings: [...findings],
  });
  await waitForRun(stack, body.scanRunId);
  return body;
}

async function decide(body: object): Promise<FindingDecision> {
  const made = await stack.http.post<FindingDecision>("/api/finding-decisions", {
    kind: "accepted_risk",
    reason: "r",
    ...body,
  });
  expect(made.status).toBe(201);
  return made.body;
}

const findingsOf = async (scanRunId: string) =>
  (await stack.http.get<{ findings: RunFinding[] }>(`/api/scan-runs/${scanRunId}/findings?limit=200`)).body
    .findings;

const finding = (code: string, severity: Severity, message = "m"): NormalizedFinding => ({
  code,
  severity,
  message,
  method: "GET",
  path: "/a",
});

describe("a decision", () => {
  it("does not cover a finding that becomes more severe, and says so until it is decided again", async () => {
    const [name, code] = [randomUUID(), randomUUID()];
    const { serviceId } = await scan(name, [finding(code, "low"), finding(code, "info", "other")]);
    const decided = await decide({ serviceId, code, finding: { method: "GET", path: "/a", message: "m" } });
    expect(decided).toMatchObject({ maxSeverity: "low", findingCount: 1, exceededCount: 0 });
    const risen = await scan(name, [finding(code, "critical"), finding(code, "info", "other")]);
    const [first, second] = await findingsOf(risen.scanRunId);
    expect(first).toMatchObject({ decision: null, exceededDecision: { id: decided.id, maxSeverity: "low" } });
    expect(second).toMatchObject({ decision: null, exceededDecision: null });
    const { body } = await stack.http.get<Service>(`/api/services/${serviceId}`);
    expect(body.decidedBySeverity).toMatchObject({ critical: 0, low: 0 });
    const list = await stack.http.get<{ decisions: FindingDecision[] }>(
      `/api/finding-decisions?code=${code}`,
    );
    expect(list.body.decisions).toMatchObject([{ findingCount: 0, exceededCount: 1 }]);
    const again = await decide({ serviceId, code, finding: { method: "GET", path: "/a", message: "m" } });
    expect(again).toMatchObject({ maxSeverity: "critical", findingCount: 1, exceededCount: 0 });
    expect((await findingsOf(risen.scanRunId))[0]).toMatchObject({
      decision: { id: again.id },
      exceededDecision: null,
    });
    // A finding that becomes less severe stays decided.
    const fallen = await scan(name, [finding(code, "medium")]);
    expect((await findingsOf(fallen.scanRunId))[0]).toMatchObject({ decision: { id: again.id } });
  });

  it("about a rule is for the highest severity that it has now, or that is given; critical without findings", async () => {
    const [name, code] = [randomUUID(), randomUUID()];
    const { serviceId } = await scan(name, [finding(code, "low"), finding(code, "medium", "other")]);
    expect(await decide({ serviceId, code })).toMatchObject({ maxSeverity: "medium", findingCount: 2 });
    expect(await decide({ code })).toMatchObject({ maxSeverity: "medium", findingCount: 2 });
    const low = { maxSeverity: "low", findingCount: 1, exceededCount: 1 };
    expect(await decide({ serviceId, code, maxSeverity: "low" })).toMatchObject(low);
    expect(await decide({ serviceId, code: randomUUID() })).toMatchObject({ maxSeverity: "critical" });
  });
});

/** The rule of docs/http-interface.md, written again without the product's code. */
function covers(
  decision: FindingDecision,
  serviceId: string,
  { code, severity, message }: NormalizedFinding,
): boolean {
  if (decision.code !== code) return false;
  if (decision.serviceId !== null && decision.serviceId !== serviceId) return false;
  if (decision.finding !== null && decision.finding.message !== message) return false;
  return (
    ["info", "low", "medium", "high", "critical"].indexOf(severity) <=
    ["info", "low", "medium", "high", "critical"].indexOf(decision.maxSeverity)
  );
}

describe("random decisions", () => {
  it("cover the same findings in lists, filters and counts, derived or not, as the rule says", async () => {
    const codes = ["a", "b"].map((code) => `${code} ${randomUUID()}`) as [string, string];
    const messages = ["alpha", "beta", "gamma"] as const;
    const all = codes.flatMap((code) =>
      messages.flatMap((message) => SEVERITIES.map((severity) => finding(code, severity, message))),
    );
    const services: { serviceId: string; scanRunId: string; findings: NormalizedFinding[] }[] = [];
    for (const name of [randomUUID(), randomUUID()]) {
      const findings = all.filter(() => !chance(3));
      services.push({ ...(await scan(name, findings)), findings });
    }
    for (let round = 0; round < ROUNDS; round++) {
      await query(stack, "DELETE FROM finding_decisions");
      await setDerived(chance(2));
      const decisions: FindingDecision[] = [];
      for (let n = random.integer(1, 5); n > 0; n--) {
        const { serviceId } = random.pick(services as [(typeof services)[0]]);
        const message = random.pick(messages);
        const target = random.pick<object>([
          { serviceId, finding: { method: "GET", path: "/a", message } },
          { serviceId },
          {},
        ]);
        const made = await decide({
          ...target,
          code: random.pick(codes),
          maxSeverity: random.pick(SEVERITIES),
        });
        const isSame = (each: FindingDecision) =>
          JSON.stringify([each.serviceId, each.code, each.finding]) ===
          JSON.stringify([made.serviceId, made.code, made.finding]);
        decisions.splice(0, decisions.length, ...decisions.filter((each) => !isSame(each)), made);
      }
      for (const { serviceId, scanRunId, findings } of services) {
        const isDecided = (each: NormalizedFinding) =>
          decisions.some((decision) => covers(decision, serviceId, each));
        const wanted = findings.filter(isDecided);
        const textOf = ({ code, severity, message }: NormalizedFinding) => `${code} ${severity} ${message}`;
        const inRun = await findingsOf(scanRunId);
        expect(inRun.filter(({ decision }) => decision !== null).map(textOf)).toEqual(wanted.map(textOf));
        for (const { exceededDecision: exceeded, decision, ...each } of inRun) {
          const mayExceed = (one: FindingDecision) =>
            covers({ ...one, maxSeverity: "critical" }, serviceId, each);
          expect(exceeded !== null).toBe(decision === null && decisions.some(mayExceed));
        }
        const { body } = await stack.http.get<Service>(`/api/services/${serviceId}`);
        const counts = SEVERITIES.map(
          (severity) => wanted.filter((each) => each.severity === severity).length,
        );
        expect(SEVERITIES.map((severity) => body.decidedBySeverity?.[severity])).toEqual(counts);
        const { body: summary } = await stack.http.get<FindingSummary>(
          `/api/findings/summary?serviceId=${serviceId}`,
        );
        expect(summary.findingsByState).toEqual({
          open: findings.length - wanted.length,
          decided: wanted.length,
        });
        const listed = await stack.http.get<{ findings: CurrentFinding[] }>(
          `/api/findings?state=decided&limit=200&serviceId=${serviceId}`,
        );
        expect(listed.body.findings.map(textOf).toSorted()).toEqual(wanted.map(textOf).toSorted());
      }
    }
  }, 120_000);
});

async function setDerived(isDerived: boolean): Promise<void> {
  if (!isDerived) return void (await query(stack, "DELETE FROM service_derivations"));
  await query(
    stack,
    `SELECT set_config('waymark.organization_id', $1::text, true), index_service_rules($1::uuid, '00000000-0000-0000-0000-000000000000', 1000)`,
    [stack.organizationId],
  );
}

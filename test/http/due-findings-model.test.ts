import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { FindingSummary } from "@waymark/shared/scans/current-findings/schema.ts";
import type { FindingDecision } from "@waymark/shared/scans/finding-decisions/schema.ts";
import { SEVERITIES } from "@waymark/shared/scans/limits.ts";
import type { FindingDetails, NormalizedFinding, Severity } from "@waymark/shared/scans/schema.ts";
import type { Overview } from "@waymark/shared/services/overview/schema.ts";
import type { Service } from "@waymark/shared/services/schema.ts";
import { listAllFindings } from "@waymark/test-support/findings.ts";
import { storeUser } from "@waymark/test-support/principals.ts";
import { announceSeed, createRandom, scaled } from "@waymark/test-support/scale.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { ingest, waitForRun } from "@waymark/test-support/scans.ts";
import { query } from "@waymark/test-support/sql.ts";
import { type Stack, startStack } from "@waymark/test-support/stack.ts";

const ROUNDS = scaled({ short: 4, long: 100 });
const DAY_MS = 24 * 3600 * 1000;

let stack: Stack;
let userId: string;
beforeAll(async () => {
  announceSeed();
  stack = await startStack({ apiEnv: { RATE_LIMIT_KEY_PER_MINUTE: "off" } });
  userId = (await storeUser(stack)).id;
});
afterAll(() => stack[Symbol.asyncDispose]());

const random = createRandom("deadlines of findings");
const chance = (one: number) => random.integer(1, one) === 1;

/** A finding of the model, with all that its deadline follows from. */
interface ModelFinding extends NormalizedFinding {
  serviceId: string;
  scanRunId: string;
  index: number;
  firstDay: string;
  /** True if it is assigned to the only user. */
  isAssigned: boolean;
}

const CODES = ["a", "b"] as const;
const MESSAGES = Array.from({ length: 9 }, (_, n) => `message ${"abcdefghi"[n]}`);

/** Days around which a deadline passes, or a row of service_rules has findings of several days. */
const AGES = [0, 2, 3, 4, 10, 11, 30, 31, 32, 33, 34, 39, 40, 100] as const;
const DUE_DAYS = [3, 10, 33, 39] as const;

const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);
const plus = (day: string, days: number) => dayOf(Date.parse(day) + days * DAY_MS);
const textOf = ({ serviceId, code, severity, message }: NormalizedFinding & { serviceId: string }) =>
  `${serviceId} ${code} ${severity} ${message}`;

async function today(): Promise<string> {
  const [row] = await query<{ today: string }>(
    stack,
    "SELECT (now() AT TIME ZONE 'UTC')::date::text AS today",
  );
  return row?.today ?? "";
}

async function scan(serviceName: string): Promise<ModelFinding[]> {
  const findings = CODES.flatMap((code) =>
    SEVERITIES.flatMap((severity) =>
      MESSAGES.filter(() => !chance(4)).map((message): NormalizedFinding => {
        return { code, severity, message: `${message} ${severity}`, method: "GET", path: "/a" };
      }),
    ),
  );
  const { body } = await ingest(stack, { ...scanPayload({ serviceName, endpoints: 1 }), findings });
  await waitForRun(stack, body.scanRunId);
  const { serviceId, scanRunId } = body;
  return findings.map((each, index) => ({
    ...each,
    serviceId,
    scanRunId,
    index,
    firstDay: "",
    isAssigned: false,
  }));
}

/** Gives each finding a first day, at some time of it, as if a stored scan had had it then. */
async function setFirstDays(findings: readonly ModelFinding[], now: string): Promise<void> {
  await query(stack, "DELETE FROM seen_items");
  for (const each of findings) {
    each.firstDay = plus(now, -random.pick(AGES));
    const at = `${each.firstDay}T${random.pick(["00:00:00", "23:59:59"] as const)}Z`;
    if (each.firstDay === now) continue;
    await query(
      stack,
      `INSERT INTO seen_items (organization_id, service_id, item, first_seen_at)
       VALUES ($1, $2, finding_key($3, $4, $5, $6), $7)`,
      [stack.organizationId, each.serviceId, each.code, each.message, each.method, each.path, at],
    );
  }
}

async function setDerived(isDerived: boolean): Promise<void> {
  await query(stack, "DELETE FROM service_derivations");
  if (!isDerived) return;
  await query(
    stack,
    `SELECT set_config('waymark.organization_id', $1::text, true), index_service_rules($1::uuid, '00000000-0000-0000-0000-000000000000', 1000)`,
    [stack.organizationId],
  );
}

async function setAssigned(findings: readonly ModelFinding[]): Promise<void> {
  await query(stack, "DELETE FROM finding_assignments");
  for (const each of findings) each.isAssigned = chance(6);
  for (const { serviceId, code, method, path, message } of findings.filter(({ isAssigned }) => isAssigned)) {
    const body = { serviceId, code, finding: { method, path, message }, principalId: userId };
    expect((await stack.http.request("PUT", "/api/finding-assignments", { body })).status).toBe(200);
  }
}

type Days = Partial<Record<Severity, number | null>>;

async function setDays(): Promise<Days> {
  const dueDays: Days = {};
  for (const severity of SEVERITIES) if (!chance(4)) dueDays[severity] = random.pick(DUE_DAYS);
  const set = await stack.http.request("PUT", "/api/severity-policy", { body: { rules: [], dueDays } });
  expect(set.status).toBe(200);
  return dueDays;
}

async function setDecisions(findings: readonly ModelFinding[]): Promise<FindingDecision[]> {
  await query(stack, "DELETE FROM finding_decisions");
  const decisions: FindingDecision[] = [];
  for (let n = random.integer(0, 20); n > 0; n--) {
    const { serviceId, code, method, path, message } = random.pick(findings as [ModelFinding]);
    const one = { serviceId, finding: { method, path, message } };
    const target = chance(8) ? random.pick<object>([{ serviceId }, {}]) : one;
    const maxSeverity = random.pick(SEVERITIES);
    const body = { kind: "accepted_risk", reason: "r", code, maxSeverity, ...target };
    const made = await stack.http.post<FindingDecision>("/api/finding-decisions", body);
    expect(made.status).toBe(201);
    const isSame = (each: FindingDecision) =>
      JSON.stringify([each.serviceId, each.code, each.finding]) ===
      JSON.stringify([made.body.serviceId, made.body.code, made.body.finding]);
    decisions.splice(0, decisions.length, ...decisions.filter((each) => !isSame(each)), made.body);
  }
  const [expired] = chance(2) ? decisions.splice(0, 1) : [];
  if (expired !== undefined)
    await query(stack, "UPDATE finding_decisions SET until = current_date - 2 WHERE id = $1", [expired.id]);
  return decisions;
}

/** The rules of ADR 57 and 62, written again without the product's code. */
function judge(one: ModelFinding, state: { days: Days; decisions: FindingDecision[]; now: string }) {
  const rank = (severity: Severity) => ["info", "low", "medium", "high", "critical"].indexOf(severity);
  const isDecided = state.decisions.some(
    ({ code, serviceId, finding, maxSeverity }) =>
      code === one.code &&
      (serviceId ?? one.serviceId) === one.serviceId &&
      (finding?.message ?? one.message) === one.message &&
      rank(one.severity) <= rank(maxSeverity),
  );
  const days = state.days[one.severity] ?? null;
  const dueOn = days === null ? null : plus(one.firstDay, days);
  const isOpen = dueOn !== null && !isDecided;
  const isOverdue = isOpen && dueOn < state.now;
  return { isDecided, dueOn, isOverdue, isSoon: isOpen && !isOverdue && dueOn <= plus(state.now, 7) };
}

type Judged = ModelFinding & ReturnType<typeof judge>;

const listAll = (search: Record<string, string>) => listAllFindings(stack, search);

async function expectLists(model: readonly Judged[]): Promise<void> {
  const sorted = (found: readonly (NormalizedFinding & { serviceId: string })[]) =>
    found.map(textOf).toSorted();
  const all = await listAll({ limit: "200" });
  const lineOf = (each: { dueOn: string | null; isOverdue: boolean } & Parameters<typeof textOf>[0]) =>
    `${textOf(each)} ${each.dueOn} ${each.isOverdue}`;
  expect(all.map(lineOf).toSorted()).toEqual(model.map(lineOf).toSorted());
  const limit = random.pick(["200", "13", "3"] as const);
  const overdue = model.filter(({ isOverdue }) => isOverdue);
  expect(sorted(await listAll({ due: "overdue", limit }))).toEqual(sorted(overdue));
  expect(sorted(await listAll({ due: "soon", limit }))).toEqual(sorted(model.filter(({ isSoon }) => isSoon)));
  const letter = random.pick(["a", "c", "z"] as const);
  const searched = await listAll({ due: "overdue", limit, q: `message ${letter}`, severity: "high" });
  const matching = overdue.filter(
    ({ severity, message }) => severity === "high" && (letter === "a" || message.includes(` ${letter} `)),
  );
  // The path begins with an a.
  expect(sorted(searched)).toEqual(sorted(matching));
  expect(await listAll({ due: "overdue", state: "decided", limit })).toEqual([]);
  const mine = await listAll({ due: "overdue", limit, assignee: userId });
  expect(sorted(mine)).toEqual(sorted(overdue.filter(({ isAssigned }) => isAssigned)));
  const { text: csv } = await stack.http.get("/api/findings/export?format=csv&due=overdue");
  expect(csv.split("\r\n").filter((line) => line.endsWith(",true"))).toHaveLength(overdue.length);
}

async function expectCounts(model: readonly Judged[], services: readonly string[]): Promise<void> {
  const severity = random.pick(SEVERITIES);
  const assignee = random.pick(["", "none", userId]);
  for (const state of ["", "open", "decided"] as const)
    for (const due of ["", "overdue", "soon"] as const)
      for (const only of ["", severity]) {
        const search = new URLSearchParams(
          Object.entries({ state, due, assignee, severity: only }).filter(([, value]) => value !== ""),
        );
        const { body } = await stack.http.get<FindingSummary>(`/api/findings/summary?${String(search)}`);
        const inState = (each: Judged, one: string) => one === "" || (one === "decided") === each.isDecided;
        const inDue = (each: Judged, one: string) =>
          one === "" || (one === "overdue" ? each.isOverdue : each.isSoon);
        const passing = model.filter(
          (each) =>
            (only === "" || each.severity === only) &&
            (assignee === "" || each.isAssigned === (assignee === userId)),
        );
        const count = (one: string, other: string) =>
          passing.filter((each) => inState(each, one) && inDue(each, other)).length;
        expect([String(search), body.findingCount]).toEqual([String(search), count(state, due)]);
        expect(body.findingsByDue).toEqual({ overdue: count(state, "overdue"), soon: count(state, "soon") });
        expect(body.findingsByState).toEqual({ open: count("open", due), decided: count("decided", due) });
      }
  const overdueOf = (serviceId: string) =>
    model.filter((each) => each.serviceId === serviceId && each.isOverdue).length;
  const oldestOf = (serviceId: string) =>
    model
      .filter((each) => each.serviceId === serviceId && each.isOverdue)
      .map(({ dueOn }) => dueOn ?? "")
      .toSorted()[0];
  const { body: list } = await stack.http.get<{ services: Service[] }>("/api/services");
  expect(
    Object.fromEntries(list.services.map(({ id, overdueFindingCount }) => [id, overdueFindingCount])),
  ).toEqual(Object.fromEntries(services.map((id) => [id, overdueOf(id)])));
  const [first = ""] = services;
  const { body: one } = await stack.http.get<Service>(`/api/services/${first}`);
  expect(one.overdueFindingCount).toBe(overdueOf(first));
  const { body: overview } = await stack.http.get<Overview>("/api/overview");
  const late = services.filter((id) => overdueOf(id) > 0);
  expect(overview.overdueFindingCount).toBe(model.filter(({ isOverdue }) => isOverdue).length);
  expect(overview.overdueServiceCount).toBe(late.length);
  expect(
    Object.fromEntries(
      overview.overdueServices.map((each) => [each.serviceId, [each.overdueFindingCount, each.oldestDueOn]]),
    ),
  ).toEqual(Object.fromEntries(late.map((id) => [id, [overdueOf(id), oldestOf(id)]])));
  for (const severityOf of SEVERITIES)
    expect(overview.decidedBySeverity[severityOf]).toBe(
      model.filter((each) => each.isDecided && each.severity === severityOf).length,
    );
}

async function expectDetails(model: readonly Judged[]): Promise<void> {
  for (let n = 0; n < 8; n++) {
    const { scanRunId, index, dueOn, isOverdue } = random.pick(model as [Judged]);
    const { body } = await stack.http.get<FindingDetails>(`/api/scan-runs/${scanRunId}/findings/${index}`);
    expect([body.dueOn, body.isOverdue]).toEqual([dueOn, isOverdue]);
  }
}

it("lists, counts and details have the deadlines that first day, severity, policy, decisions and date give", async () => {
  const findings = [...(await scan(randomUUID())), ...(await scan(randomUUID()))];
  const services = [...new Set(findings.map(({ serviceId }) => serviceId))];
  let checked = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const now = await today();
    await setFirstDays(findings, now);
    await setAssigned(findings);
    await setDerived(chance(2));
    const state = { days: await setDays(), decisions: await setDecisions(findings), now };
    const model = findings.map((each) => ({ ...each, ...judge(each, state) }));
    try {
      await expectLists(model);
      await expectCounts(model, services);
      await expectDetails(model);
      checked++;
    } catch (error) {
      // At midnight, everything is a day older.
      if ((await today()) === now) throw error;
    }
  }
  expect(checked).toBeGreaterThanOrEqual(ROUNDS - 1);
}, 240_000);

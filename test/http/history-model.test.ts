import type { CurrentFinding, FindingSummary } from "@waymark/shared/scans/current-findings/schema.ts";
import type { FoundEndpoint } from "@waymark/shared/endpoint-search/schema.ts";
import type {
  FindingDetails,
  NormalizedEndpoint,
  NormalizedFinding,
  ServiceEndpoint,
} from "@waymark/shared/scans/schema.ts";
import { type Overview, RECENT_DAYS } from "@waymark/shared/services/overview/schema.ts";
import type { Service, ServiceChange } from "@waymark/shared/services/schema.ts";
import {
  byTime,
  type Content,
  endpointIdentity,
  findingIdentity,
  HistoryModel,
  type ModelRun,
} from "@waymark/test-support/scans/history-model.ts";
import { createHttpClient, type HttpClient } from "@waymark/test-support/http-client.ts";
import { announceSeed, createRandom, type Random, scaled } from "@waymark/test-support/scale.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { waitForRun } from "@waymark/test-support/scans.ts";
import { query } from "@waymark/test-support/sql.ts";
import { createHostedOrganization, type Stack, startStack } from "@waymark/test-support/stack.ts";
import { afterAll, beforeAll, expect, it } from "vitest";

const WORLDS = scaled({ short: 3, long: 150 });
const OPERATIONS = scaled({ short: 16, long: 30 });
const SERVICES = ["orders", "payments"] as const;
const SEVERITIES = ["info", "low", "medium", "high", "critical"] as const;
const HOUR_MS = 3_600_000;
const NIL_UUID = "00000000-0000-0000-0000-000000000000";

let stack: Stack;
beforeAll(async () => {
  announceSeed();
  stack = await startStack();
});
afterAll(() => stack[Symbol.asyncDispose]());

interface World {
  organizationId: string;
  http: HttpClient;
  random: Random;
  model: HistoryModel;
  ids: Map<string, string>;
  badges: Map<string, string>;
  /** The time of the newest scan. */
  now: number;
  /** The actions so far, for the failure's message. */
  log: string[];
}

function someContent(random: Random): Content {
  const paths = ["/a", "/b/{id}", "/b/{key}", "/c/{id}", "/d", "/e"] as const;
  const codes = ["no-auth", "no-tags"] as const;
  const endpoints = Array.from({ length: random.integer(0, 9) }, (): NormalizedEndpoint => ({
    method: random.pick(["GET", "POST"]),
    path: random.pick(paths),
    operationId: random.pick([null, "read", "write"]),
    tags: [],
    summary: null,
  }));
  const findings = Array.from({ length: random.integer(0, 7) }, (): NormalizedFinding => ({
    code: random.pick(codes),
    severity: random.pick(SEVERITIES),
    message: random.pick(["m", "n"]),
    method: random.pick([null, "GET"]),
    path: random.pick([null, "/a"]),
  }));
  return { endpoints, findings };
}

/** Another content, one that a service had before, or the current one in another order. */
function nextContent({ model, random }: World, service: string): Content {
  const kind = random.integer(0, 4);
  const current = model.current(service)?.content;
  if (kind === 0 || current === undefined) return someContent(random);
  if (kind === 1) return random.pick([current, ...model.runs.map(({ content }) => content)]);
  const { endpoints, findings } = structuredClone(current);
  if (kind === 2) return { endpoints: endpoints.toReversed(), findings: findings.toReversed() };
  const other = someContent(random);
  return {
    endpoints: [...endpoints.slice(random.integer(0, 1)), ...other.endpoints.slice(0, random.integer(0, 1))],
    findings: [...findings.slice(random.integer(0, 1)), ...other.findings.slice(0, random.integer(0, 2))],
  };
}

async function scan(world: World): Promise<void> {
  const { random, model, http } = world;
  const service = random.pick(SERVICES);
  const isLate = random.integer(0, 3) === 0;
  if (!isLate) world.now += random.integer(1, 5 * HOUR_MS);
  const at = isLate ? world.now - random.integer(1, 40 * HOUR_MS) : world.now;
  const promoted = random.integer(0, 3) > 0;
  const content = nextContent(world, service);
  const payload = { ...scanPayload({ serviceName: service }), ...content };
  const headers = { "scanned-at": new Date(at).toISOString(), "waymark-promote": String(promoted) };
  const { body } = await http.post<{ scanRunId: string; serviceId: string }>("/api/scans/ingest", payload, {
    headers,
  });
  const { createdAt } = await waitForRun({ http }, body.scanRunId);
  world.ids.set(service, body.serviceId);
  model.add({ id: body.scanRunId, service, at, createdAt, promoted, content });
  world.log.push(`scan ${service} ${body.scanRunId} at ${new Date(at).toISOString()} promoted ${promoted}`);
}

/** Promotes a run, and undoes it every second time. */
async function promote(world: World): Promise<void> {
  const { random, model, http, log } = world;
  const held = model.runs.filter((run) => !run.promoted);
  const run = held[random.integer(0, held.length - 1)];
  if (run === undefined) return;
  const before = model.seenBefore(run);
  await http.post(`/api/scan-runs/${run.id}/promote`);
  model.promote(run);
  log.push(`promote ${run.id}`);
  if (random.integer(0, 1) === 0) return;
  // Derived, or not. What retention has deleted is only in what was derived.
  if (random.integer(0, 1) === 0 || log.some((line) => line.startsWith("retain"))) await derive(world);
  await expectModel(world);
  const { status } = await http.request("DELETE", `/api/scan-runs/${run.id}/promotion`);
  expect(status).toBe(200);
  model.undo(run, before);
  log.push(`undo ${run.id}`);
}

function inOrganization({ organizationId }: World, calls: readonly string[]): Promise<unknown> {
  const each = calls.map((call) => `(SELECT ${call} FROM organization o)`);
  return query(
    stack,
    `WITH organization AS MATERIALIZED (SELECT set_config('waymark.organization_id', $1::text, true)::uuid AS id) SELECT ${each.join(", ")}`,
    [organizationId],
  );
}

/** As the worker does every ten seconds. */
async function derive(world: World): Promise<void> {
  for (const name of [
    "record_service_changes",
    "record_service_days",
    "index_service_rules",
    "index_endpoint_words",
  ])
    await inOrganization(world, [`${name}(o.id, '${NIL_UUID}', 1000)::text`]);
  await inOrganization(world, ["record_daily_totals(o.id)::text"]);
  world.log.push("derive");
}

async function retain(world: World): Promise<void> {
  // Runs wait until the data is derived from them.
  await derive(world);
  const keepRuns = world.random.integer(1, 3);
  await query(
    stack,
    "UPDATE snapshots SET created_at = now() - interval '2 days' WHERE organization_id = $1",
    [world.organizationId],
  );
  for (const call of [
    `delete_old_scan_runs(o.id, 0, ${keepRuns}, 1000)`,
    "collect_snapshots(o.id, 1000)",
    "collect_chunks(o.id, 1000)",
  ])
    await inOrganization(world, [call]);
  world.model.retain(keepRuns);
  world.log.push(`retain ${keepRuns}`);
}

const iso = (at: number) => new Date(at).toISOString();

async function expectTimeline({ http, model, ids }: World, service: string): Promise<void> {
  const changes: ServiceChange[] = [];
  let after = "";
  do {
    const { body } = await http.get<{ changes: ServiceChange[]; nextCursor?: string }>(
      `/api/services/${ids.get(service) ?? ""}/changes?limit=3${after}`,
    );
    changes.push(...body.changes);
    after = body.nextCursor === undefined ? "" : `&cursor=${body.nextCursor}`;
  } while (after !== "");
  expect(
    changes.map(({ scanRunId, against, endpoints, findings }) => ({
      scanRunId,
      against,
      endpoints,
      findings,
    })),
  ).toEqual(
    model.changes(service).map(({ run, before, endpoints, findings }) => {
      return { scanRunId: run.id, against: before?.id ?? null, endpoints, findings };
    }),
  );
}

async function expectOverview({ http, model, ids, log }: World): Promise<void> {
  const { body } = await http.get<Overview>("/api/overview");
  const expected: Record<string, object> = {};
  for (const service of ids.keys()) {
    const held = model.held(service);
    if (held !== undefined) expected[`held ${service}`] = { scanRunId: held.run.id, since: held.since };
    const [change] = model.changes(service);
    if (change?.before === undefined || change.run.at < Date.now() - RECENT_DAYS * 24 * HOUR_MS) continue;
    const { run, endpoints, newCritical, newHigh } = change;
    const by = { scanRunId: run.id, since: iso(run.at) };
    if (endpoints.removed > 0)
      expected[`removed ${service}`] = { ...by, removedEndpoints: endpoints.removed };
    if (newCritical + newHigh > 0) expected[`severe ${service}`] = { ...by, newCritical, newHigh };
  }
  const concerns = body.concerns.map(
    ({ kind, serviceName, scanRunId, since, removedEndpoints, newCritical, newHigh }) => {
      const own = {
        gates: {},
        held: {},
        failed: {},
        accepted: {},
        breaking: {},
        removed: { removedEndpoints },
        severe: { newCritical, newHigh },
      }[kind];
      return [`${kind} ${serviceName}`, { scanRunId, since, ...own }] as const;
    },
  );
  expect(Object.fromEntries(concerns)).toEqual(expected);
  const current = [...ids.keys()].map((service) => model.current(service)?.content);
  const count = (of: "endpoints" | "findings") =>
    current.reduce((sum, content) => sum + (content?.[of].length ?? 0), 0);
  expect([body.endpointCount, body.findingCount]).toEqual([count("endpoints"), count("findings")]);
  if (log.at(-1) === "derive" || log.at(-1)?.startsWith("retain") === true) expectDays(model, body);
}

function expectDays(model: HistoryModel, { days, pendingServiceCount }: Overview): void {
  expect(pendingServiceCount).toBe(0);
  for (let ago = 0; ago < 9; ago++) {
    const day = iso(Date.now() - ago * 24 * HOUR_MS).slice(0, 10);
    const last = days?.filter((each) => each.day <= day).at(-1);
    const findings = Object.values(last?.findingsBySeverity ?? {}).reduce((sum, each) => sum + each, 0);
    expect([day, { endpoints: last?.endpointCount ?? 0, findings }]).toEqual([day, model.totals(day)]);
  }
}

async function expectService({ http, model, ids, badges }: World, service: string): Promise<void> {
  const { body } = await http.get<{ services: Service[] }>("/api/services?trend=3");
  const found = body.services.find(({ name }) => name === service);
  const current = model.current(service);
  const held = model.held(service);
  expect(found).toMatchObject({
    currentScanRunId: current?.id ?? null,
    lastScannedAt: current === undefined ? null : iso(current.at),
    lastHeldScan: held === undefined ? null : { scanRunId: held.run.id },
  });
  expect(found?.trend?.map(({ scanRunId }) => scanRunId)).toEqual(
    model
      .history(service)
      .slice(-3)
      .map(({ id }) => id),
  );
  const runs = await http.get<{ scanRuns: { id: string }[] }>(
    `/api/services/${ids.get(service) ?? ""}/scan-runs`,
  );
  const stored = model.runs.filter((run) => run.service === service).toSorted(byTime);
  expect(runs.body.scanRuns.map(({ id }) => id)).toEqual(stored.map(({ id }) => id).toReversed());
  const isCritical = current?.content.findings.some(({ severity }) => severity === "critical") === true;
  const status =
    held !== undefined
      ? "not promoted"
      : current === undefined
        ? "no scan yet"
        : isCritical
          ? "critical findings"
          : "passing";
  const url = new URL(badges.get(service) ?? "");
  expect((await http.get(url.pathname + url.search)).text).toContain(`: ${status}</title>`);
}

async function expectItems({ http, model, ids }: World): Promise<void> {
  const runs = [...ids.keys()].map((service) => model.current(service)).filter((run) => run !== undefined);
  const { body } = await http.get<{ findings: CurrentFinding[] }>("/api/findings?limit=200");
  const linesOf = (run: ModelRun) =>
    run.content.findings.map((each) => `${run.id} ${each.severity} ${findingIdentity(each)}`);
  expect(
    body.findings.map((each) => `${each.scanRunId} ${each.severity} ${findingIdentity(each)}`).toSorted(),
  ).toEqual(runs.flatMap(linesOf).toSorted());
  const daysAgo = (at: number) =>
    (Date.parse(iso(Date.now()).slice(0, 10)) - Date.parse(iso(at).slice(0, 10))) / (24 * HOUR_MS);
  const ages = runs.flatMap((run) =>
    run.content.findings.map((each) => daysAgo(model.seen(run.service, findingIdentity(each)).first)),
  );
  const summary = await http.get<FindingSummary>("/api/findings/summary");
  const atMost = (days: number) => ages.filter((age) => age <= days).length;
  expect(summary.body.findingsByAge).toEqual({
    today: atMost(0),
    week: atMost(6),
    month: ages.length,
    older: 0,
  });
  for (const run of runs) {
    const { body: page } = await http.get<{ endpoints: ServiceEndpoint[] }>(
      `/api/services/${ids.get(run.service) ?? ""}/endpoints`,
    );
    expect(page.endpoints.map((each) => [endpointIdentity(each), each.firstSeenAt, each.lastSeenAt])).toEqual(
      run.content.endpoints.toSorted(byPlace).map((each) => {
        const { first, last } = model.seen(run.service, endpointIdentity(each));
        return [endpointIdentity(each), iso(first), iso(last)];
      }),
    );
    for (const [index, finding] of run.content.findings.entries()) {
      const { body: details } = await http.get<FindingDetails>(`/api/scan-runs/${run.id}/findings/${index}`);
      const { first, last } = model.seen(run.service, findingIdentity(finding));
      expect(details).toMatchObject({ finding, firstSeenAt: iso(first), lastSeenAt: iso(last) });
    }
  }
  const { body: search } = await http.get<{ endpoints: FoundEndpoint[] }>(
    "/api/endpoints?q=get%20b&limit=200",
  );
  const matching = runs.flatMap((run) =>
    run.content.endpoints
      .filter(({ method, path }) => method === "GET" && path.startsWith("/b"))
      .map((each) => `${run.id} ${endpointIdentity(each)}`),
  );
  expect(search.endpoints.map((each) => `${each.scanRunId} ${endpointIdentity(each)}`).toSorted()).toEqual(
    matching.toSorted(),
  );
}

/** Compares endpoints by path, then method: the order of a service's list. */
function byPlace(a: NormalizedEndpoint, b: NormalizedEndpoint): number {
  return (
    Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)) ||
    Buffer.compare(Buffer.from(a.method), Buffer.from(b.method))
  );
}

async function expectModel(world: World): Promise<void> {
  for (const service of world.ids.keys()) {
    if (!world.badges.has(service)) {
      const { body } = await world.http.post<{ url: string }>(
        `/api/services/${world.ids.get(service) ?? ""}/badge`,
      );
      world.badges.set(service, body.url);
    }
    await expectTimeline(world, service);
    await expectService(world, service);
  }
  await expectOverview(world);
  await expectItems(world);
}

it.each(Array.from({ length: WORLDS }, (_, n) => n))(
  "overview, timeline, totals, badges, lists and search answer as the model does, derived or not: world %i",
  async (n) => {
    expect.hasAssertions();
    const { organizationId, apiKey } = await createHostedOrganization(stack.databaseUrl, `World ${n}`);
    const world: World = {
      organizationId,
      http: createHttpClient(stack.api.baseUrl, { key: apiKey }),
      random: createRandom(`history ${n}`),
      model: new HistoryModel(),
      ids: new Map(),
      badges: new Map(),
      now: Date.now() - 6 * 24 * HOUR_MS,
      log: [],
    };
    try {
      for (let step = 0; step < OPERATIONS; step++) {
        const operation = world.random.integer(0, 9);
        if (operation < 6) await scan(world);
        else if (operation === 6) await promote(world);
        else if (operation === 7) await retain(world);
        else await derive(world);
        if (operation > 4) await expectModel(world);
      }
      await derive(world);
      await expectModel(world);
    } catch (error) {
      throw new Error(`after ${world.log.join("; ")}`, { cause: error });
    }
  },
);

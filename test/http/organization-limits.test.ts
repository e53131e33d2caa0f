import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { errorOf } from "@waymark/test-support/api-keys.ts";
import { createHttpClient, type HttpResponse, type HttpRequest } from "@waymark/test-support/http-client.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { countTogether } from "@waymark/test-support/shared-limits.ts";
import { requireRedis } from "@waymark/test-support/redis.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { waitForRun } from "@waymark/test-support/scans.ts";
import { query } from "@waymark/test-support/sql.ts";
import {
  createHostedOrganization,
  type Organization,
  type Stack,
  startApi,
  startStack,
} from "@waymark/test-support/stack.ts";

const DAY_SECONDS = 24 * 3600;
const FULL_SCAN = ["scans:create", "services:create", "services:update", "endpoints:write"];

interface Limits {
  organization: Record<
    "requestsPerMinute" | "scansPerDay" | "bytesPerDay",
    { limit: number; used: number } | null
  >;
}

/** Without limits, to prepare the tests. */
let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack[Symbol.asyncDispose]());

type Http = ReturnType<typeof createHttpClient>;
async function withApis(
  env: Record<string, string>,
  work: (one: Http, two: Http) => Promise<void>,
  redisUrl?: string,
) {
  await using one = await startApi({ databaseUrl: stack.databaseUrl, redisUrl, env });
  await using two = await startApi({ databaseUrl: stack.databaseUrl, redisUrl, env, hostName: "second" });
  await work(createHttpClient(one.baseUrl), createHttpClient(two.baseUrl));
}
const secondsOfDayLeft = () => DAY_SECONDS - ((Date.now() / 1000) % DAY_SECONDS);
// A day that ends in a test has a new count.
beforeEach(async () => {
  if (secondsOfDayLeft() < 120) await sleep((secondsOfDayLeft() + 1) * 1000);
});
const newOrganization = () => createHostedOrganization(stack.databaseUrl, "Limited");

const ingest = (http: Http, body: unknown, options: HttpRequest) =>
  http.post<{ scanRunId: string }>("/api/scans/ingest", body, options);
const newScan = () =>
  scanPayload({ serviceName: `service ${Math.floor(Math.random() * 5)}`, seed: randomUUID() });
const sizeOf = (payload: unknown) => Buffer.byteLength(JSON.stringify(payload));
/** Repeats a scan that gets `request_in_progress`, as clients do: on a slow machine, it can wait too long for the scans before it. */
async function ingestSoon(http: Http, body: unknown, options: HttpRequest) {
  for (;;) {
    const answer = await ingest(http, body, options);
    if (answer.status !== 409 || errorOf(answer).code !== "request_in_progress") return answer;
  }
}
const count = (answers: HttpResponse<unknown>[], status: number) =>
  answers.filter((answer) => answer.status === status).length;

const storedRuns = async ({ organizationId }: Organization) =>
  (await query(stack, "SELECT FROM scan_runs WHERE organization_id = $1", [organizationId])).length;
const usage = ({ organizationId }: Organization) =>
  query(
    stack,
    `SELECT scans::integer, bytes::integer FROM organization_usage
     WHERE organization_id = $1 AND day = (now() AT TIME ZONE 'UTC')::date`,
    [organizationId],
  );

describe("scans per day", () => {
  it("are limited exactly, for concurrent scans of every kind on two processes", async () => {
    const organization = await newOrganization();
    const other = await newOrganization();
    const key = organization.apiKey;
    const bound = await createKey(
      { ...stack, ...organization },
      FULL_SCAN.map((permission) => ({ permission, resourceConstraints: { serviceNames: ["service *"] } })),
    );
    const known = scanPayload({ serviceName: "service 1", seed: "known" });
    const before = await ingest(stack.http, known, { key });
    await waitForRun({ http: createHttpClient(stack.api.baseUrl, { key }) }, before.body.scanRunId);

    await withApis({ ORGANIZATION_SCANS_PER_DAY: "25" }, async (one, two) => {
      const sends = Array.from({ length: 96 }, (_, n) => () => {
        const body = n % 2 === 0 ? known : newScan();
        const options = {
          key: n % 3 === 0 ? bound : key,
          headers: n % 5 === 0 ? { "idempotency-key": randomUUID() } : {},
        };
        return ingestSoon(n % 4 < 2 ? one : two, body, options);
      });
      const answers = await Promise.all(sends.map((send) => send()));
      const expected = [...Array<number>(25).fill(201), ...Array<number>(71).fill(429)];
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual(expected);
      expect(await storedRuns(organization)).toBe(25 + 1);
      expect(await usage(organization)).toMatchObject([{ scans: 25 }]);

      const leftBefore = secondsOfDayLeft();
      const late = await Promise.all([ingest(one, known, { key }), ingest(two, newScan(), { key: bound })]);
      for (const refused of late) {
        const retryAfter = Number(refused.headers.get("retry-after"));
        expect(errorOf(refused)).toMatchObject({
          status: 429,
          code: "rate_limited",
          message: expect.stringMatching(/limit of 25 accepted scans a day of an organization.*midnight UTC/),
        });
        // An api counts from the moment at which it learns of the usage.
        expect(retryAfter).toBeLessThanOrEqual(leftBefore + 60);
        expect(retryAfter).toBeGreaterThanOrEqual(secondsOfDayLeft() - 1);
      }

      const unaffected = await Promise.all(
        Array.from({ length: 25 }, () => ingestSoon(one, newScan(), { key: other.apiKey })),
      );
      expect(count(unaffected, 201)).toBe(25);
    });
  });

  it("doesn't count refused or replayed scans, and replays also when the limit is reached", async () => {
    const organization = await newOrganization();
    const { apiKey: key } = organization;
    const reader = await createKey({ ...stack, ...organization }, ["services:read"]);
    await withApis({ ORGANIZATION_SCANS_PER_DAY: "3" }, async (http, other) => {
      const payload = newScan();
      const once = { key, headers: { "idempotency-key": "once" } };
      const first = await ingest(http, payload, once);
      expect(first.status).toBe(201);
      expect((await ingest(http, { ...payload, spec: {} }, { key })).status).toBe(400);
      expect((await ingest(http, payload, { key: reader })).status).toBe(403);
      expect((await ingest(http, newScan(), once)).status).toBe(422);
      const replays = await Promise.all(Array.from({ length: 8 }, () => ingest(other, payload, once)));
      expect(new Set(replays.map((answer) => answer.body.scanRunId))).toEqual(
        new Set([first.body.scanRunId]),
      );
      expect(await usage(organization)).toMatchObject([{ scans: 1 }]);

      for (const expected of [201, 201, 429])
        expect((await ingest(http, newScan(), { key })).status).toBe(expected);
      for (const each of [http, other]) {
        const replay = await ingest(each, payload, once);
        expect([replay.status, replay.body.scanRunId]).toEqual([201, first.body.scanRunId]);
      }
      expect(await usage(organization)).toMatchObject([{ scans: 3 }]);
    });
  });

  it("start anew every day, and old days are deleted", async () => {
    const organization = await newOrganization();
    await query(
      stack,
      `INSERT INTO organization_usage (organization_id, day, scans, bytes)
       SELECT $1, (now() AT TIME ZONE 'UTC')::date - ago, 1000, 1000 FROM unnest(ARRAY[1, 31, 32, 400]) ago`,
      [organization.organizationId],
    );
    await withApis({ ORGANIZATION_SCANS_PER_DAY: "1" }, async (http) => {
      const { apiKey: key } = organization;
      expect((await ingest(http, newScan(), { key })).status).toBe(201);
      expect((await ingest(http, newScan(), { key })).status).toBe(429);
    });
    const days = await query<{ ago: number }>(
      stack,
      `SELECT (now() AT TIME ZONE 'UTC')::date - day AS ago FROM organization_usage
       WHERE organization_id = $1 ORDER BY day DESC`,
      [organization.organizationId],
    );
    expect(days.map((day) => day.ago)).toEqual([0, 1, 31]);
  });

  it("leaves an audit event of the organization", async () => {
    const organization = await newOrganization();
    await withApis({ ORGANIZATION_SCANS_PER_DAY: "1" }, async (one, two) => {
      for (const http of [one, two, one]) await ingest(http, newScan(), { key: organization.apiKey });
    });
    const { body } = await stack.http.get<{ auditEvents: unknown[] }>(
      "/api/audit-events?action=rate_limit.exceeded",
      { key: organization.apiKey },
    );
    expect(body.auditEvents.at(-1)).toMatchObject({
      apiKeyId: null,
      actorKeyId: expect.any(String),
      route: "POST /api/scans/ingest",
      details: { limit: "organization.scansPerDay", value: 1 },
    });
    expect(body.auditEvents.length).toBeLessThanOrEqual(2);
  });
});

describe("bytes per day", () => {
  it("are those of decoded bodies, and a smaller scan may still fit", async () => {
    const organization = await newOrganization();
    const { apiKey: key } = organization;
    const [large, small] = [scanPayload({ endpoints: 60 }), scanPayload({ endpoints: 1, findings: 0 })];
    const max = 2 * sizeOf(large) + sizeOf(small);
    await withApis({ ORGANIZATION_BYTES_PER_DAY: String(max) }, async (http, other) => {
      const statuses = [];
      for (const [each, body] of [
        [http, large],
        [other, large],
        [http, large],
        [http, small],
        [other, small],
      ] as const) {
        statuses.push((await ingest(each, body, { key })).status);
      }
      expect(statuses).toEqual([201, 201, 429, 201, 429]);
      expect(await usage(organization)).toEqual([{ scans: 3, bytes: max }]);
      const refused = errorOf(await ingest(http, small, { key }));
      expect(refused.message).toContain(`limit of ${max} bytes of accepted scans a day`);
      expect((await other.get<Limits>("/api/limits", { key })).body.organization).toMatchObject({
        requestsPerMinute: null,
        scansPerDay: null,
        bytesPerDay: { limit: max, used: max, resetSeconds: expect.any(Number) },
      });
    });
  });
});

describe("requests per minute", () => {
  it("of all keys of an organization are counted together, by all processes on Redis", async () => {
    await using redis = await requireRedis();
    const organization = await newOrganization();
    const other = await newOrganization();
    const second = await createKey({ ...stack, ...organization }, ["*"]);
    const env = { RATE_LIMIT_ORGANIZATION_PER_MINUTE: "6", RATE_LIMIT_REDIS_TIMEOUT_MS: "10000" };
    await withApis(
      env,
      async (one, two) => {
        await countTogether(stack, [one, two]);
        const answers = [];
        for (const http of [one, two]) {
          for (const key of [organization.apiKey, second]) {
            answers.push(await http.get("/api/services", { key }));
            answers.push(await ingest(http, newScan(), { key }));
          }
        }
        expect(answers.map((answer) => answer.status)).toEqual([200, 201, 200, 201, 200, 201, 429, 429]);
        expect(answers.map((answer) => answer.headers.get("ratelimit-remaining"))).toEqual(
          ["5", "4", "3", "2", "1", "0", "0", "0"], // oxfmt-ignore
        );
        const refused = answers.at(-1);
        expect(refused?.headers.get("retry-after")).toBe(refused?.headers.get("ratelimit-reset"));
        expect((await one.get("/api/services", { key: other.apiKey })).status).toBe(200);
      },
      redis.url,
    );
  });

  it("doesn't count requests that the key's own limit refuses", async () => {
    const organization = await newOrganization();
    const [loud, quiet] = [
      await createKey({ ...stack, ...organization }, ["*"]),
      await createKey({ ...stack, ...organization }, ["*"]),
    ];
    const env = { RATE_LIMIT_CI_KEY_PER_MINUTE: "3", RATE_LIMIT_ORGANIZATION_PER_MINUTE: "5" };
    await withApis(env, async (http) => {
      for (let i = 0; i < 20; i++) await http.get("/api/services", { key: loud });
      expect((await http.get("/api/services", { key: quiet })).status).toBe(200);
    });
  });
});

describe("the limits of an organization", () => {
  it("are off unless they are set, and then nothing is counted", async () => {
    const organization = await newOrganization();
    await ingest(stack.http, newScan(), { key: organization.apiKey });
    expect(await usage(organization)).toEqual([]);
    const { body } = await stack.http.get<Limits>("/api/limits", { key: organization.apiKey });
    expect(body.organization).toEqual({ requestsPerMinute: null, scansPerDay: null, bytesPerDay: null });
  });

  it("are shown with their usage, and the response headers name the limit with the least left", async () => {
    const organization = await newOrganization();
    const { apiKey: key } = organization;
    const env = {
      RATE_LIMIT_CI_KEY_PER_MINUTE: "50",
      RATE_LIMIT_ORGANIZATION_PER_MINUTE: "40",
      ORGANIZATION_SCANS_PER_DAY: "30",
    };
    await withApis(env, async (http) => {
      const scan = await ingest(http, newScan(), { key });
      const shown = (answer: HttpResponse<unknown>) =>
        ["limit", "remaining"].map((name) => answer.headers.get(`ratelimit-${name}`));
      expect(shown(scan)).toEqual(["30", "29"]);
      expect(Number(scan.headers.get("ratelimit-reset"))).toBeLessThanOrEqual(DAY_SECONDS);
      const read = await http.get<Limits>("/api/limits", { key });
      expect(shown(read)).toEqual(["40", "38"]);
      expect(read.body.organization).toMatchObject({
        requestsPerMinute: { limit: 40, used: 2 },
        scansPerDay: { limit: 30, used: 1 },
        bytesPerDay: null,
      });
    });
  });
});

import { generateApiKey } from "@waymark/server/api-keys/key-format.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { REDIS_FAULTS } from "../faults/support/redis-faults.ts";
import { errorOf, lastUseIsRecorded, makeKey } from "@waymark/test-support/api-keys.ts";
import { countTogether } from "@waymark/test-support/shared-limits.ts";
import { type CountedPostgres, startCountedPostgres } from "@waymark/test-support/postgres/counted.ts";
import { createHttpClient } from "@waymark/test-support/http-client.ts";
import { withAnotherSecret } from "@waymark/test-support/guessed-key.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { storeUser } from "@waymark/test-support/principals.ts";
import { requireRedis } from "@waymark/test-support/redis.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { serviceUrl } from "@waymark/test-support/service-url.ts";
import { type Stack, startApi, startStack, type TestApi } from "@waymark/test-support/stack.ts";
import { startTcpProxy } from "@waymark/test-support/tcp-proxy.ts";

let stack: Stack;
let counted: CountedPostgres;
beforeAll(async () => {
  stack = await startStack();
  counted = await startCountedPostgres(stack.databaseUrl);
});
afterAll(async () => {
  await counted[Symbol.asyncDispose]();
  await stack[Symbol.asyncDispose]();
});

/** One more api on the stack's database, with limits of its own. */
async function withApi(
  env: Record<string, string>,
  work: (http: ReturnType<typeof createHttpClient>, api: TestApi) => Promise<void>,
  { redisUrl, hostName }: { redisUrl?: string; hostName?: string } = {},
) {
  await using api = await startApi({
    databaseUrl: counted.url,
    redisUrl,
    hostName,
    env: { DATABASE_DIRECT_URL: serviceUrl(stack.databaseUrl), ...env },
  });
  await work(createHttpClient(api.baseUrl), api);
}

type Get = Awaited<ReturnType<ReturnType<typeof createHttpClient>["get"]>>;
const statuses = (answers: Get[]) => answers.map((answer) => answer.status);

async function repeat<T>(times: number, work: () => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let i = 0; i < times; i++) results.push(await work());
  return results;
}

describe("the limit per key", () => {
  it("counts down in RateLimit-* headers, then responds to this key with 429 and Retry-After", async () => {
    await withApi({ RATE_LIMIT_KEY_PER_MINUTE: "5" }, async (http) => {
      const [key, other] = [
        await createKey(stack, ["services:read"]),
        await createKey(stack, ["services:read"]),
      ];
      const answers = await repeat(7, () => http.get("/api/services", { key }));
      expect(statuses(answers)).toEqual([200, 200, 200, 200, 200, 429, 429]);
      expect(answers.map((answer) => answer.headers.get("ratelimit-remaining"))).toEqual([
        "4",
        "3",
        "2",
        "1",
        "0",
        "0",
        "0",
      ]);
      const last = answers[6];
      expect(last?.headers.get("ratelimit-limit")).toBe("5");
      const reset = Number(last?.headers.get("ratelimit-reset"));
      expect(reset).toBeGreaterThan(0);
      expect(reset).toBeLessThanOrEqual(60);
      expect(last?.headers.get("retry-after")).toBe(String(reset));
      expect(last === undefined ? undefined : errorOf(last)).toMatchObject({
        code: "rate_limited",
        requestId: expect.any(String),
      });
      expect((await http.get("/api/services", { key: other })).status).toBe(200);
    });
  });

  it("is another one for keys that may submit scans, unless they are a person's", async () => {
    const env = { RATE_LIMIT_KEY_PER_MINUTE: "1", RATE_LIMIT_CI_KEY_PER_MINUTE: "3" };
    await withApi(env, async (http) => {
      const reader = await createKey(stack, ["services:read"]);
      expect(statuses(await repeat(2, () => http.get("/api/services", { key: reader })))).toEqual([200, 429]);
      const ci = await createKey(stack, ["scans:create", "services:read"]);
      const answers = await repeat(4, () => http.get("/api/services", { key: ci }));
      expect(statuses(answers)).toEqual([200, 200, 200, 429]);
      const last = answers[3];
      expect(last === undefined ? undefined : errorOf(last)).toMatchObject({
        message: expect.stringContaining("3 requests a minute of one API key that may submit scans"),
      });
      const person = await storeUser(stack);
      expect(statuses(await repeat(2, () => http.get("/api/services", { key: person.rawKey })))).toEqual([
        200, 429,
      ]);
    });
  });

  it("does not count scans unless configured, and lets a key revoke itself above any limit", async () => {
    await withApi({ RATE_LIMIT_CI_KEY_PER_MINUTE: "1" }, async (http) => {
      const key = await createKey(stack, ["*"]);
      const scans = await repeat(5, () => http.post("/api/scans/ingest", scanPayload({}), { key }));
      expect(statuses(scans)).toEqual([201, 201, 201, 201, 201]);
      expect(scans[0]?.headers.has("ratelimit-limit")).toBe(false);
      expect(statuses(await repeat(2, () => http.get("/api/limits", { key })))).toEqual([200, 429]);
      expect((await http.post("/api/api-keys/self/revoke", undefined, { key })).status).toBe(200);
    });
    await withApi({ RATE_LIMIT_INGEST_PER_MINUTE: "2" }, async (http) => {
      const key = await createKey(stack, ["*"]);
      const scans = await repeat(3, () => http.post("/api/scans/ingest", scanPayload({}), { key }));
      expect(statuses(scans)).toEqual([201, 201, 429]);
    });
  });

  it("counts an unusable key against itself", async () => {
    await withApi(
      { RATE_LIMIT_KEY_PER_MINUTE: "1", RATE_LIMIT_FAILED_AUTH_PER_MINUTE: "2" },
      async (http) => {
        const key = await createKey(stack, ["*"], { revoked: true });
        expect(statuses(await repeat(3, () => http.get("/api/limits", { key })))).toEqual([401, 401, 429]);
        expect((await http.get("/api/limits", { key: stack.apiKey })).status).toBe(200);
      },
    );
    const off = { RATE_LIMIT_KEY_PER_MINUTE: "2", RATE_LIMIT_FAILED_AUTH_PER_MINUTE: "off" };
    await withApi(off, async (http) => {
      const key = await createKey(stack, ["*"], { revoked: true });
      expect(statuses(await repeat(3, () => http.get("/api/limits", { key })))).toEqual([401, 401, 429]);
    });
  });
});

describe("the limit on failed authentication per address", () => {
  it.each([
    ["junk", () => "junk"],
    ["nothing", () => null],
    ["keys that are well formed and unknown", () => generateApiKey().rawKey],
  ])("refuses an address that sent %s too often, before any query", async (_name, key) => {
    await withApi({ RATE_LIMIT_FAILED_AUTH_PER_MINUTE: "10" }, async (http) => {
      const tries = await repeat(10, () => http.get("/api/limits", { key: key() }));
      expect(new Set(statuses(tries))).toEqual(new Set([401]));
      const before = counted.queries();
      const refused = await http.get("/api/limits", { key: key() });
      expect(errorOf(refused)).toMatchObject({ status: 429, code: "rate_limited" });
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
      // A valid key that this process has not seen yet is refused too.
      expect((await http.get("/api/limits", { key: stack.apiKey })).status).toBe(429);
      expect(counted.queries()).toBe(before);
    });
  });

  it("exempts a key that was recently valid here from the limit, but not from the check", async () => {
    await withApi({ RATE_LIMIT_FAILED_AUTH_PER_MINUTE: "3" }, async (http) => {
      const { id, rawKey } = await makeKey(stack, {});
      expect((await http.get("/api/limits", { key: rawKey })).status).toBe(200);
      await lastUseIsRecorded(stack, rawKey);
      await repeat(3, () => http.get("/api/limits", { key: "junk" }));
      expect((await http.get("/api/limits", { key: "junk" })).status).toBe(429);
      expect((await http.get("/api/limits", { key: rawKey })).status).toBe(200);

      // The public prefix of such a key is not enough: a guessed secret is limited, without a query.
      const guessed = withAnotherSecret(rawKey);
      const before = counted.queries();
      expect((await http.get("/api/limits", { key: guessed })).status).toBe(429);
      expect(counted.queries()).toBe(before);

      await stack.http.post(`/api/api-keys/${id}/revoke`);
      expect(errorOf(await http.get("/api/limits", { key: rawKey }))).toMatchObject({
        status: 401,
        code: "api_key_revoked",
      });
    });
  });

  it("trusts X-Forwarded-For only from the proxies that TRUST_PROXY names", async () => {
    const from = (address: string) => ({ key: "junk", headers: { "x-forwarded-for": address } });
    const limit = { RATE_LIMIT_FAILED_AUTH_PER_MINUTE: "2" };
    await withApi(limit, async (http) => {
      const answers = [];
      for (const n of [1, 2, 3]) answers.push(await http.get("/api/limits", from(`192.0.2.${n}`)));
      expect(statuses(answers)).toEqual([401, 401, 429]);
    });
    for (const TRUST_PROXY of ["loopback", "127.0.0.0/8", "1"]) {
      await withApi({ ...limit, TRUST_PROXY }, async (http, api) => {
        expect(statuses(await repeat(3, () => http.get("/api/limits", from("192.0.2.1"))))).toEqual([
          401, 401, 429,
        ]);
        expect((await http.get("/api/limits", from("192.0.2.2"))).status).toBe(401);
        // Entries that a client adds before its proxy's own entry are not trusted.
        expect((await http.get("/api/limits", from("203.0.113.9, 192.0.2.1"))).status).toBe(429);
        // Lines are written when the responses are out already.
        await expect.poll(() => api.logLines().map((line) => line["ip"])).toContain("192.0.2.1");
      });
    }
  });
});

describe("limits on Redis", () => {
  it("are counted by all processes together", async () => {
    await using redis = await requireRedis();
    const env = {
      RATE_LIMIT_KEY_PER_MINUTE: "6",
      RATE_LIMIT_FAILED_AUTH_PER_MINUTE: "4",
      // Long enough for a busy machine.
      RATE_LIMIT_REDIS_TIMEOUT_MS: "10000",
    };
    await withApi(
      env,
      async (one) => {
        await withApi(
          env,
          async (two) => {
            await countTogether(stack, [one, two]);
            const key = await createKey(stack, ["services:read"]);
            const answers = [];
            for (const http of [one, two, one, two, one, two, one, two])
              answers.push(await http.get("/api/limits", { key }));
            expect(statuses(answers)).toEqual([200, 200, 200, 200, 200, 200, 429, 429]);
            for (const http of [one, two, one, two]) await http.get("/api/limits", { key: "junk" });
            expect((await one.get("/api/limits", { key: "junk" })).status).toBe(429);
            expect((await two.get("/api/limits", { key: "junk" })).status).toBe(429);
          },
          { redisUrl: redis.url, hostName: "second" },
        );
      },
      { redisUrl: redis.url },
    );
  });

  it("let requests pass when Redis stops responding, and count together again when it is back", async () => {
    await using redis = await requireRedis();
    await using proxy = await startTcpProxy(redis.url);
    const env = { RATE_LIMIT_KEY_PER_MINUTE: "20", RATE_LIMIT_FAILED_AUTH_PER_MINUTE: "100" };
    await withApi(
      env,
      async (http, api) => {
        const key = await createKey(stack, ["services:read"]);
        const remaining = async () =>
          Number((await http.get("/api/limits", { key })).headers.get("ratelimit-remaining"));
        expect(await remaining()).toBe(19);
        proxy.goSilent();
        expect(statuses(await repeat(15, () => http.get("/api/limits", { key })))).toEqual(
          Array(15).fill(200),
        );
        expect((await http.get("/api/limits", { key: "junk" })).status).toBe(401);
        const warnings = api
          .logLines()
          .filter((line) => String(line["msg"]).startsWith("the Redis of the rate"));
        expect(warnings).toHaveLength(1);

        proxy.resume();
        // Redis counted only the first request and those that reached it late, so more remain there than here.
        await expect.poll(remaining, { interval: 1_000 }).toBeGreaterThan(5);
      },
      { redisUrl: proxy.url },
    );
  });

  it.each(["blocked", "full", "read-only"] as const)(
    "are kept by each process while Redis is %s",
    async (kind) => {
      await using fault = await REDIS_FAULTS[kind]();
      await withApi(
        { RATE_LIMIT_KEY_PER_MINUTE: "5" },
        async (http) => {
          await fault.begin();
          const key = await createKey(stack, ["services:read"]);
          const answers = await repeat(7, () => http.get("/api/limits", { key }));
          expect(statuses(answers)).toEqual([200, 200, 200, 200, 200, 429, 429]);
          await fault.end();
        },
        { redisUrl: fault.url },
      );
    },
  );
});

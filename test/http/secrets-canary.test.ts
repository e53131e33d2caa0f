import { randomBytes, randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDatabasePool } from "@waymark/server/db/pool.ts";
import { KeyRingField } from "@waymark/server/encryption/key-ring.ts";
import type { Environment } from "@waymark/shared/environments/schema.ts";
import { findFreePort } from "../../scripts/postgres/free-port.ts";
import { createSecretOpener } from "../../services/worker/src/journeys/open-secrets.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { scrape } from "@waymark/test-support/metrics.ts";
import { type OtlpCollector, startOtlpCollector } from "@waymark/test-support/otlp-collector.ts";
import { encodingsOf } from "@waymark/test-support/secret-encodings.ts";
import { dumpStack, type SearchedText } from "@waymark/test-support/secret-search.ts";
import { serviceUrl } from "@waymark/test-support/service-url.ts";
import { query } from "@waymark/test-support/sql.ts";
import {
  QUEUES,
  type ProcessStack,
  startProcessStack,
  TEST_JOURNEY_KEYS,
} from "@waymark/test-support/stack.ts";

const HOSTS = ["api.example.com"];

describe.each(QUEUES)("on the %s queue", (queue) => {
  let stack: ProcessStack;
  let collector: OtlpCollector;
  let environment: string;
  const metricsPorts: number[] = [];
  const answers: SearchedText[] = [];
  /** Letters and digits, so that no encoding leaves a part as it is; the values have more around them. */
  const canaries = Array.from({ length: 3 }, () =>
    randomBytes(24).toString("base64").replaceAll(/[^\w]/g, "x"),
  );
  const [first = "", second = "", refused = ""] = canaries;
  const forms = canaries.flatMap((canary) =>
    [...encodingsOf(canary)].flatMap(([encoding, texts]) => texts.map((form) => ({ encoding, form }))),
  );

  beforeAll(async () => {
    collector = await startOtlpCollector();
    for (let n = 0; n < 2; n++) metricsPorts.push(await findFreePort());
    const env = { LOG_LEVEL: "trace", OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint };
    stack = await startProcessStack({
      queue,
      apiEnv: { ...env, METRICS_PORT: String(metricsPorts[0]) },
      workerEnv: { ...env, METRICS_PORT: String(metricsPorts[1]) },
    });
    const created = await stack.http.post<Environment>("/api/environments", { name: "staging" });
    environment = created.body.id;
  });
  afterAll(async () => {
    await stack[Symbol.asyncDispose]();
    await collector[Symbol.asyncDispose]();
  });

  async function send(
    method: string,
    path: string,
    options: Parameters<ProcessStack["http"]["request"]>[2] = {},
  ) {
    const answer = await stack.http.request(method, path, options);
    const headers = JSON.stringify([...answer.headers]);
    answers.push({ place: `answer to ${method} (${answer.status})`, text: headers + answer.text });
    return answer.status;
  }

  function find(texts: readonly SearchedText[]): { place: string; encoding: string }[] {
    return texts.flatMap(({ place, text }) => {
      // Postgres shows a row with its backslashes doubled.
      const shown = [text, text.replaceAll("\\\\", "\\")];
      return forms
        .filter(({ form }) => shown.some((one) => one.includes(form)))
        .map(({ encoding }) => ({ place, encoding }));
    });
  }

  async function everything(): Promise<SearchedText[]> {
    const scrapes = await Promise.all(metricsPorts.map(scrape));
    return [
      ...answers,
      ...(await dumpStack(stack)),
      ...scrapes.map(({ text }) => ({ place: "metrics", text })),
      { place: "traces", text: JSON.stringify(collector.spans()) },
    ];
  }

  it("a secret is set, replaced, refused in every way, used by a run, listed and deleted", async () => {
    const secrets = `/api/environments/${environment}/secrets`;
    expect(
      await send("PUT", `${secrets}/TOKEN`, { body: { value: `<"${second}"> &/\\`, hosts: HOSTS } }),
    ).toBe(204);
    expect(await send("PUT", `${secrets}/TOKEN`, { body: { value: `ä ${first}\n`, hosts: HOSTS } })).toBe(
      204,
    );
    expect(await send("PUT", `${secrets}/GONE`, { body: { value: second, hosts: HOSTS } })).toBe(204);
    expect(await send("DELETE", `${secrets}/GONE`)).toBe(204);

    const db = await createDatabasePool(serviceUrl(stack.databaseUrl), { max: 1, applicationName: "test" });
    const { organizationId } = stack;
    const open = createSecretOpener(db, KeyRingField.parse(TEST_JOURNEY_KEYS));
    const run = { organizationId, environmentId: environment, runId: randomUUID(), names: ["TOKEN"] };
    expect((await open(run))["TOKEN"]?.value).toBe(`ä ${first}\n`);
    await db.end();

    const reader = await createKey(stack, ["environments:read"]);
    const value = refused;
    for (const [options, status] of [
      [{ body: { value, hosts: [value] } }, 400],
      [{ body: { value, hosts: HOSTS, [value]: 1 } }, 400],
      [{ body: { value: [value], hosts: HOSTS } }, 400],
      [{ body: { value: { value }, hosts: HOSTS } }, 400],
      [{ body: { value: value.slice(0, 7) + value, hosts: [] } }, 400],
      [{ body: { value: value.repeat(3_000), hosts: HOSTS } }, 400],
      [{ body: { value: `\0${value}`, hosts: HOSTS } }, 400],
      [{ body: value }, 400],
      [{ body: `{"value": "${value}", hosts}` }, 400],
      [{ body: JSON.stringify(value) }, 400],
      [{ body: value, headers: { "content-type": "text/plain" } }, 415],
      [{ body: { value, hosts: HOSTS }, key: null }, 401],
      [{ body: { value, hosts: HOSTS }, key: value }, 401],
      [{ body: { value, hosts: HOSTS }, key: reader }, 403],
      [{ body: { value: value.repeat(20_000), hosts: HOSTS } }, 413],
    ] as const) {
      expect(await send("PUT", `${secrets}/TOKEN`, options)).toBe(status);
    }
    const body = { value, hosts: HOSTS };
    expect(await send("PUT", `/api/environments/${randomUUID()}/secrets/TOKEN`, { body })).toBe(404);
    expect(await send("POST", `${secrets}/TOKEN`, { body })).toBe(405);
    expect(await send("PUT", `${secrets}/not-a-name`, { body })).toBe(404);
    expect(
      await send("PUT", `/api/environments/${environment}`, { body, headers: { "if-match": '"1"' } }),
    ).toBe(400);
    expect(await send("POST", "/api/environments", { body: { name: "x", secrets: body } })).toBe(400);
  });

  it("an error of the database that concerns it says nothing of it", async () => {
    // A disk that is full, a broken constraint: whatever the database refuses, with the row that it refuses.
    await query(stack, "ALTER TABLE environment_secrets ADD CONSTRAINT broken CHECK (name <> 'BROKEN')");
    const path = `/api/environments/${environment}/secrets/BROKEN`;
    expect(await send("PUT", path, { body: { value: refused, hosts: HOSTS } })).toBe(500);
    await expect.poll(() => stack.api.output()).toContain("environment_secrets");
  });

  it("every route that reads is asked", async () => {
    interface OpenApi {
      paths: Record<string, { get?: { parameters?: { in: string; name: string; required?: boolean }[] } }>;
    }
    const { body } = await stack.http.get<OpenApi>("/openapi.json", { key: null });
    const own = { environmentId: environment, organizationId: stack.organizationId, name: "TOKEN" };
    const asked = Object.entries(body.paths).filter(([, { get }]) => get !== undefined);
    for (const [path, { get }] of asked) {
      const filled = path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) =>
        name in own ? own[name as keyof typeof own] : randomUUID(),
      );
      const needed = (get?.parameters ?? []).filter(
        (parameter) => parameter.in === "query" && parameter.required,
      );
      const queryString = needed.map(({ name }) => `${name}=${own[name as keyof typeof own]}`).join("&");
      expect(await send("GET", `${filled}?${queryString}`)).toBeLessThan(500);
    }
    expect(asked.length).toBeGreaterThan(15);
  });

  it("and it is found nowhere in twelve encodings: tables, queue, logs, answers, metrics, traces", async () => {
    await collector.waitFor(({ name }) => name.includes("/secrets/:name"));
    const texts = await everything();
    const all = new Map(texts.map(({ place, text }) => [place, text]));
    // The search looked at what there is.
    expect(encodingsOf("x".repeat(30)).size).toBe(12);
    expect(all.get("table public.environment_secrets")).toContain("TOKEN");
    expect(all.get("table public.audit_events")).toContain("secret.used");
    expect(all.get("table public.audit_events")).toContain("permission_denied");
    expect(all.get("log of the api")).toContain("/secrets/");
    expect(all.get("traces")).toContain("/secrets/:name");
    expect(all.get("metrics")).toContain("waymark_");
    expect(find(texts)).toEqual([]);
  });

  it("and the search sees one in each of these encodings", async () => {
    const written = [...encodingsOf(first).values()].flat().join("\n");
    await query(stack, "UPDATE environments SET name = $1", [written]);
    const found = find(await dumpStack(stack));
    expect(new Set(found.map(({ encoding }) => encoding))).toEqual(new Set(encodingsOf(first).keys()));
    expect(new Set(found.map(({ place }) => place))).toEqual(new Set(["table public.environments"]));
  });
});

import { randomUUID } from "node:crypto";
import type { ScanIngestionPayload, ScanIngestionResult } from "@waymark/shared/scans/schema.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { readAllItems, waitForRun } from "@waymark/test-support/scans.ts";
import { query } from "@waymark/test-support/sql.ts";
import { QUEUES, type Stack, startStack } from "@waymark/test-support/stack.ts";

type Json = null | string | number | boolean | Json[] | { [name: string]: Json };

/** Functions that format a scan as JSON writers of other languages do. The first one's text is canonical. */
const WRITERS: [string, (payload: ScanIngestionPayload) => string][] = [
  ["canonical", (payload) => JSON.stringify(payload)],
  ["pretty printed", (payload) => JSON.stringify(payload, null, 2)],
  [
    "with tabs and carriage returns",
    (payload) => JSON.stringify(payload, null, "\t").replaceAll("\n", "\r\n"),
  ],
  ["with every field in another order", (payload) => JSON.stringify(reversed(asJson(payload)))],
  [
    "with its lists first",
    ({ endpoints, findings, ...description }) => JSON.stringify({ findings, endpoints, ...description }),
  ],
  ["in ASCII", (payload) => JSON.stringify(payload).replaceAll(/[^ -~]/g, escaped)],
  ["with every letter escaped", (payload) => spaced(asJson(payload), allEscaped)],
  ["with escaped slashes", (payload) => JSON.stringify(payload).replaceAll("/", "\\/")],
  ["as Python writes it", (payload) => spaced(asJson(payload)).replaceAll(/[^ -~]/g, escaped)],
  ["with white space around it", (payload) => `\n ${JSON.stringify(payload)} \r\n`],
  [
    "with a list twice, of which the last counts",
    (payload) =>
      JSON.stringify(payload).replace('"endpoints":', '"\\u0065ndpoints":[{"bad":1}],"endpoints":'),
  ],
  [
    "with a list twice, of which the escaped one counts",
    ({ endpoints, ...rest }) =>
      JSON.stringify({ ...rest, endpoints: [] }).replace(
        /\}$/,
        `,"\\u0065ndpoints":${JSON.stringify(endpoints)}}`,
      ),
  ],
];

function asJson(payload: ScanIngestionPayload): Json {
  return JSON.parse(JSON.stringify(payload)) as Json;
}

function reversed(value: Json): Json {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, inner]) => [name, reversed(inner)] as const)
      .toReversed(),
  );
}

function spaced(value: Json, string: (text: string) => string = JSON.stringify): string {
  if (typeof value === "string") return string(value);
  if (Array.isArray(value)) return `[${value.map((item) => spaced(item, string)).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, inner]) => `${string(name)}: ${spaced(inner, string)}`);
  return `{${members.join(", ")}}`;
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function allEscaped(text: string): string {
  return `"${text.split("").map(escaped).join("")}"`;
}

describe.each(QUEUES)("scans of any JSON writer, queue: %s", (queue) => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack({ queue });
  });
  afterAll(() => stack[Symbol.asyncDispose]());

  type Answer = ScanIngestionResult & {
    error?: { code: string; details: { path: string; message: string }[] };
  };
  const send = (body: string) => stack.http.post<Answer>("/api/scans/ingest", body);

  async function accept(body: string): Promise<ScanIngestionResult> {
    const answer = await send(body);
    expect(answer).toMatchObject({ status: 201 });
    return answer.body;
  }

  async function readBack(scanRunId: string) {
    return {
      endpoints: await readAllItems(stack, scanRunId, "endpoints"),
      findings: await readAllItems(stack, scanRunId, "findings"),
    };
  }

  it.each(["canonical", "as Python writes it"])(
    "are one content, however they are written: first %s",
    async (first) => {
      const serviceName = randomUUID();
      const payload = scanPayload({ serviceName, seed: serviceName, endpoints: 60, findings: 20 });
      const write = WRITERS.find(([name]) => name === first)?.[1] ?? JSON.stringify;
      const stored = await accept(write(payload));
      expect(stored).toMatchObject({
        status: "accepted",
        unchanged: false,
        endpointCount: 60,
        findingCount: 20,
      });
      await waitForRun(stack, stored.scanRunId);
      const content = { endpoints: payload.endpoints, findings: payload.findings };
      expect(await readBack(stored.scanRunId)).toEqual(content);
      for (const [name, writeAgain] of WRITERS) {
        const again = await accept(writeAgain(payload));
        expect({ name, ...again }).toMatchObject({
          name,
          status: "completed",
          unchanged: true,
          endpointCount: 60,
          findingCount: 20,
          serviceId: stored.serviceId,
        });
        expect({ name, ...(await readBack(again.scanRunId)) }).toEqual({ name, ...content });
      }
      const snapshots = await query<{ count: number }>(
        stack,
        "SELECT count(DISTINCT snapshot_id)::int AS count FROM scan_runs WHERE service_id = $1",
        [stored.serviceId],
      );
      expect(snapshots).toEqual([{ count: 1 }]);
    },
  );

  it("are accepted if some of their content is stored, in any format", async () => {
    const serviceName = randomUUID();
    const payload = scanPayload({ serviceName, seed: serviceName, endpoints: 300, findings: 40 });
    await waitForRun(stack, (await accept(JSON.stringify(payload))).scanRunId);
    for (const [name, write] of WRITERS) {
      Object.assign(payload.endpoints[150] ?? {}, { summary: name });
      const evolved = await accept(write(payload));
      expect({ name, ...evolved }).toMatchObject({ name, status: "accepted", unchanged: false });
      await waitForRun(stack, evolved.scanRunId);
      const content = { endpoints: payload.endpoints, findings: payload.findings };
      expect({ name, ...(await readBack(evolved.scanRunId)) }).toEqual({ name, ...content });
    }
  });

  it.each(["endpoints", "findings", 'x"endpoints', '"findings":[', '{"method":'])(
    "may have a service and a title named %s",
    async (text) => {
      const payload = scanPayload({ serviceName: text, seed: text });
      payload.spec.title = text;
      const { scanRunId } = await accept(JSON.stringify(payload));
      expect(await waitForRun(stack, scanRunId)).toMatchObject({ serviceName: text, spec: { title: text } });
      expect((await readBack(scanRunId)).endpoints).toEqual(payload.endpoints);
    },
  );

  describe("with an invalid item", () => {
    const seed = randomUUID();
    const payload = () => scanPayload({ serviceName: seed, seed, endpoints: 2000, findings: 500 });
    beforeAll(async () => {
      await waitForRun(stack, (await accept(JSON.stringify(payload()))).scanRunId);
    });

    it.each([
      ["endpoints[0].method", (scan: Json) => set(scan, "endpoints", 0, { method: "get" })],
      ["endpoints[1203].path", (scan: Json) => set(scan, "endpoints", 1203, { path: 1 })],
      ["endpoints[1999].summary", (scan: Json) => set(scan, "endpoints", 1999, { summary: "\0" })],
      ["endpoints[7].tags[1]", (scan: Json) => set(scan, "endpoints", 7, { tags: ["", null] })],
      ["endpoints[8].path", (scan: Json) => set(scan, "endpoints", 8, { path: "\ud800" })],
      ["findings[499].severity", (scan: Json) => set(scan, "findings", 499, { severity: "none" })],
      ["findings[250]", (scan: Json) => set(scan, "findings", 250, { more: {} })],
    ])("respond with 400 and report %s, if all other items are stored", async (path, spoil) => {
      const scan = asJson(payload());
      spoil(scan);
      for (const body of [JSON.stringify(scan), JSON.stringify(scan, null, 1)]) {
        const answer = await send(body);
        expect(answer.status).toBe(400);
        expect(answer.body.error).toMatchObject({ code: "validation_failed", details: [{ path }] });
        expect(answer.body.error?.details).toHaveLength(1);
      }
    });

    it("respond with 400 if other items changed too, and store nothing", async () => {
      const count = () => query(stack, "SELECT count(*) FROM chunks");
      const before = await count();
      const scan = asJson(payload());
      for (const index of [3, 700, 1500]) set(scan, "endpoints", index, { summary: "changed" });
      set(scan, "endpoints", 1777, { operationId: 5 });
      const answer = await send(JSON.stringify(scan));
      expect(answer.status).toBe(400);
      expect(answer.body.error?.details.map(({ path }) => path)).toEqual(["endpoints[1777].operationId"]);
      expect(await count()).toEqual(before);
    });

    it("respond with 20 details at most, the first ones", async () => {
      const scan = asJson(payload());
      for (let index = 100; index < 2000; index++) set(scan, "endpoints", index, { method: "get" });
      const answer = await send(JSON.stringify(scan));
      expect(answer.status).toBe(400);
      expect(answer.body.error?.details.map(({ path }) => path)).toEqual(
        Array.from({ length: 20 }, (_, index) => `endpoints[${100 + index}].method`),
      );
    });

    it("respond with 400 to stored endpoints that are sent as findings, and to stored findings as endpoints", async () => {
      const stored = scanPayload({ serviceName: seed, seed: `${seed}/swapped`, endpoints: 1, findings: 1 });
      await waitForRun(stack, (await accept(JSON.stringify(stored))).scanRunId);
      const { endpoints, findings } = stored;
      for (const lists of [
        { endpoints: findings, findings: [] },
        { endpoints: [], findings: endpoints },
        { endpoints: findings, findings: endpoints },
      ]) {
        expect((await send(JSON.stringify({ ...stored, ...lists }))).status).toBe(400);
      }
    });
  });
});

function set(scan: Json, list: "endpoints" | "findings", index: number, fields: Record<string, Json>): void {
  Object.assign((scan as Record<string, Record<string, Json>[]>)[list]?.[index] ?? {}, fields);
}

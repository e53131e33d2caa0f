import { join } from "node:path";
import { DOMParser } from "@xmldom/xmldom";
import { describe, expect, test } from "vitest";
import { isReportFormat, REPORT_FORMATS } from "@waymark/journeys/report/formats.ts";
import { renderReport } from "@waymark/journeys/report/report.ts";
import { isObject } from "@waymark/openapi/json.ts";
import type { JourneyResult } from "@waymark/journeys/result/result.ts";
import { artifactOf, FIXTURES } from "./support/build.ts";
import { fakeTransport, virtualClock } from "./support/fake.ts";
import { run } from "./support/run.ts";
import { ENCODED, SECRET, unescaped } from "./support/secret.ts";

/** A target that returns the secret in every form and place, with wrong responses. */
async function failingRun(): Promise<JourneyResult> {
  const artifact = await artifactOf({
    file: join(FIXTURES, "notes.journey.yaml"),
    overlays: [join(FIXTURES, "notes.gone.overlay.yaml")],
    edit: (text) =>
      text
        .replace(
          "outputs: { id: $response.body#/id }",
          "outputs: { id: $response.body#/id, all: $response.body, head: $response.header.x-echo }",
        )
        .replace(
          "condition: $response.body#/title == $inputs.title",
          "condition: $response.body#/echo == $inputs.title",
        ),
  });
  const { transport } = fakeTransport(() => ({
    status: 409,
    headers: { "X-Echo": Object.values(ENCODED).join(" "), "X-Latin": ENCODED["base64"] ?? "" },
    body: {
      id: SECRET,
      echo: `not ${SECRET}`,
      [SECRET]: Object.values(ENCODED),
      nested: JSON.stringify(ENCODED),
    },
  }));
  return run(artifact, { secret: SECRET, deps: { transport, clock: virtualClock() } });
}

const result = await failingRun();
const reports = REPORT_FORMATS.filter(isReportFormat).map(
  (format) => [format, renderReport(format, [result])] as const,
);

describe.each(reports)("the %s report", (_format, text) => {
  test("has actual, expected, and file:line of every failed assertion", () => {
    const failed = result.steps.flatMap(({ assertions }) =>
      assertions.filter(({ status }) => status === "failed"),
    );
    expect(failed.length).toBeGreaterThanOrEqual(2);
    const readable = unescaped(text).replaceAll("\\n", "\n").replaceAll('\\"', '"');
    for (const { actual, expected, source } of failed) {
      for (const value of [actual, expected]) {
        expect(readable).toContain(typeof value === "string" ? value : JSON.stringify(value));
      }
      const place = `${source.file}:${source.line}`;
      const asFields = new RegExp(`"file": "${source.file}",\\s+"line": ${source.line}`);
      expect(readable.includes(place) || asFields.test(readable)).toBe(true);
    }
  });

  test.each(Object.entries(ENCODED))("contains no planted secret, %s", (_name, encoded) => {
    for (const form of [
      encoded,
      JSON.stringify(encoded).slice(1, -1),
      encoded.toLowerCase(),
      encoded.toUpperCase(),
    ]) {
      expect(text).not.toContain(form);
      expect(unescaped(text)).not.toContain(form);
    }
    expect(text).toContain("[redacted]");
  });
});

function report(format: string): string {
  return reports.find(([name]) => name === format)?.[1] ?? "";
}

test("a secret of one letter doesn't change the rest of a result", async () => {
  const artifact = await artifactOf({ file: join(FIXTURES, "notes.journey.yaml") });
  const { transport } = fakeTransport(() => ({ status: 409, body: { c: "c" } }));
  const short = await run(artifact, { secret: "c", deps: { transport, clock: virtualClock() } });
  expect(short.steps[0]?.contract).toMatchObject([{ check: "status-documented", status: "failed" }]);
  const down = fakeTransport(() => "refused");
  const unreachable = await run(artifact, {
    secret: "c",
    deps: { transport: down.transport, clock: virtualClock() },
  });
  expect(unreachable.error).toMatchObject({ code: "unreachable" });
});

describe("the formats", () => {
  test("JUnit and HTML are well-formed and count what failed", () => {
    const junit = new DOMParser().parseFromString(report("junit"), "text/xml");
    const suite = junit.getElementsByTagName("testsuite")[0];
    expect(suite?.getAttribute("tests")).toBe(String(result.steps.length));
    expect(suite?.getAttribute("failures")).toBe(String(junit.getElementsByTagName("failure").length));
    expect(suite?.getAttribute("skipped")).toBe(String(junit.getElementsByTagName("skipped").length));
    expect(report("html")).toMatch(/^<!doctype html>/);
    expect(report("html")).not.toMatch(/<script|<img|<link|https?:\/\/(?!127\.0\.0\.1)/);
  });

  test("HTML shows a document's text as text", async () => {
    const titled = { ...result, journey: { ...result.journey, title: '<script>alert("x")</script>' } };
    expect(renderReport("html", [titled])).not.toContain("<script>");
    expect(renderReport("junit", [titled])).not.toContain("<script>");
  });

  test("HAR has an entry with request and response for every exchange", () => {
    const har: unknown = JSON.parse(report("har"));
    expect(har).toMatchObject({ log: { version: "1.2", creator: { name: "waymark" } } });
    const log = isObject(har) && isObject(har["log"]) ? har["log"] : {};
    const entries: unknown[] = Array.isArray(log["entries"]) ? log["entries"] : [];
    expect(entries).toHaveLength(result.steps.filter(({ evidence }) => evidence !== undefined).length);
    expect(entries[0]).toMatchObject({
      startedDateTime: expect.stringMatching(/^\d{4}-/),
      time: expect.any(Number),
      request: {
        method: "POST",
        httpVersion: expect.any(String),
        headers: expect.any(Array),
        headersSize: -1,
      },
      response: { status: 409, content: { mimeType: "application/json" } },
      timings: { send: 0, wait: expect.any(Number), receive: 0 },
    });
  });

  test("CTRF counts every step once", () => {
    const ctrf: unknown = JSON.parse(report("ctrf"));
    expect(ctrf).toMatchObject({ reportFormat: "CTRF", results: { tool: { name: "waymark" } } });
    const results = isObject(ctrf) && isObject(ctrf["results"]) ? ctrf["results"] : {};
    const summary = isObject(results["summary"]) ? results["summary"] : {};
    const { tests, passed, failed, skipped } = summary;
    expect(tests).toBe(result.steps.length);
    expect(Number(passed) + Number(failed) + Number(skipped)).toBe(tests);
  });

  test.each([
    ["retry", { retries: 1, flaky: true }],
    ["poll", { retries: 0 }],
  ] as const)("CTRF says of a step that passed after a %s: %j", (outcome, expected) => {
    const [step] = result.steps;
    if (step === undefined) throw new Error("no step");
    const attempts = [
      { n: 1, ms: 1, outcome },
      { n: 2, ms: 1, outcome: "passed" as const },
    ];
    const passed = { ...result, steps: [{ ...step, status: "passed" as const, attempts }] };
    const [first] = JSON.parse(renderReport("ctrf", [passed])).results.tests;
    expect({ retries: first.retries, ...(first.flaky !== undefined && { flaky: first.flaky }) }).toEqual(
      expected,
    );
  });
});

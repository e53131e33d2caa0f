import type { IncomingMessage, ServerResponse } from "node:http";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { isObject, ownArray, ownObject, ownString, ownValue } from "@waymark/openapi/json.ts";
import { REPORT_FORMATS } from "@waymark/journeys/report/formats.ts";
import { FIXTURES } from "./support/build.ts";
import { startRecordsServer } from "./support/records-server.ts";
import { ENCODED, SECRET, unescaped } from "./support/secret.ts";
import { serve } from "./support/serve.ts";
import { temporaryFolder, waymark } from "./support/waymark.ts";

function startServer(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  return serve((request, response) => {
    request.resume();
    answer(request, response);
  });
}

test("a secret that the server returns in every encoding is in no output, and every failure has its position", async () => {
  const cwd = temporaryFolder();
  const url = await startServer((_request, response) => {
    response.writeHead(409, { "content-type": "application/json", "x-echo": ENCODED["base64"] ?? "" });
    const nested = JSON.stringify(ENCODED);
    response.end(
      JSON.stringify({ id: SECRET, title: `not ${SECRET}`, [SECRET]: Object.values(ENCODED), nested }),
    );
  });
  copyFileSync(join(FIXTURES, "notes.openapi.yaml"), join(cwd, "notes.openapi.yaml"));
  const text = readFileSync(join(FIXTURES, "notes.journey.yaml"), "utf8").replace(
    "outputs: { id: $response.body#/id }",
    "outputs: { id: $response.body#/id, all: $response.body, head: $response.header.x-echo }",
  );
  writeFileSync(join(cwd, "notes.journey.yaml"), text);
  const reports = REPORT_FORMATS.flatMap((format) => ["--report", `${format}=report.${format}`]);
  const args = ["journey", "run", "notes.journey.yaml", "--server", `notes=${url}`, "--verbose", ...reports];
  const ended = await waymark(args, { cwd, env: { NOTES_TOKEN: SECRET } });
  expect(ended.exitCode).toBe(1);

  const outputs = [
    ended.stdout + ended.stderr,
    ...REPORT_FORMATS.map((format) => readFileSync(join(cwd, `report.${format}`), "utf8")),
  ];
  const result: unknown = JSON.parse(readFileSync(join(cwd, "report.json"), "utf8"));
  const steps: unknown[] = isObject(result) && Array.isArray(result["steps"]) ? result["steps"] : [];
  const failed = steps.flatMap((step) =>
    ownArray(step, "assertions").filter((assertion) => ownValue(assertion, "status") === "failed"),
  );
  expect(failed.length).toBeGreaterThanOrEqual(2);
  for (const output of outputs) {
    expect(output).toContain("[redacted]");
    for (const encoded of Object.values(ENCODED)) {
      for (const form of [
        encoded,
        JSON.stringify(encoded).slice(1, -1),
        encoded.toLowerCase(),
        encoded.toUpperCase(),
      ]) {
        expect(output).not.toContain(form);
        expect(unescaped(output)).not.toContain(form);
      }
    }
    const readable = unescaped(output).replaceAll("\\n", "\n").replaceAll('\\"', '"');
    for (const assertion of failed) {
      for (const value of [ownValue(assertion, "actual"), ownValue(assertion, "expected")]) {
        expect(readable).toContain(typeof value === "string" ? value : JSON.stringify(value));
      }
      const source = ownObject(assertion, "source");
      const [file, line] = [ownString(source, "file"), JSON.stringify(ownValue(source, "line"))];
      const asFields = new RegExp(`"file": "${file}",\\s+"line": ${line}`);
      expect(readable.includes(`${file}:${line}`) || asFields.test(readable)).toBe(true);
    }
  }
});

describe("a hostile journey", () => {
  const HEAD =
    "arazzo: 1.1.0\ninfo: { title: T, version: 1.0.0 }\nsourceDescriptions: []\nworkflows:\n  - workflowId: main\n    steps:\n";
  const step = (url: string, more = "") =>
    `      - { stepId: s, x-operation: { method: GET, url: "${url}/" }${more} }\n`;

  async function run(text: string, args: readonly string[] = []) {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "hostile.yaml"), text);
    return waymark(["journey", "run", "hostile.yaml", ...args], { cwd });
  }

  const bomb = `a: &a0 [x,x,x,x,x,x,x,x,x,x]\n${Array.from({ length: 12 }, (_, n) => `b${n}: &a${n + 1} [${Array(10).fill(`*a${n}`).join(",")}]\n`).join("")}`;

  test.each([
    ["an alias bomb", `${HEAD}${step("http://127.0.0.1:9")}x-bomb:\n  ${bomb.replaceAll("\n", "\n  ")}`],
    ["a key __proto__", `${HEAD}${step("http://127.0.0.1:9")}x-a: { __proto__: { polluted: true } }\n`],
    [
      "a hundred thousand levels",
      `${HEAD}${step("http://127.0.0.1:9")}x-a: ${"[".repeat(100_000)}${"]".repeat(100_000)}\n`,
    ],
    ["more text than is read", `${HEAD}${step("http://127.0.0.1:9")}# ${"x".repeat(5 * 1024 * 1024)}\n`],
  ])("with %s is refused with its position", async (_name, text) => {
    const ended = await run(text);
    expect(ended).toMatchObject({ exitCode: 2, stdout: "" });
    expect(ended.stderr).toMatch(
      /hostile\.yaml does not compile: \d+ errors?\.\n {2}hostile\.yaml:\d+:\d+ error /,
    );
    expect(ended.stderr.length).toBeLessThan(100_000);
  });

  test("with a million retries ends with 5 at the limit, and so does one with an endless loop", async () => {
    let requests = 0;
    const url = await startServer((_request, response) => {
      requests++;
      response.writeHead(500).end();
    });
    const retries =
      "onFailure: [{ name: on, type: retry, retryLimit: 1000000 }], successCriteria: [{ condition: $statusCode == 200 }]";
    expect(await run(HEAD + step(url, `, ${retries}`))).toMatchObject({ exitCode: 5 });
    expect(requests).toBe(101);
    const circles = await run(HEAD + step(url, ", onSuccess: [{ name: on, type: goto, stepId: s }]"));
    expect(circles).toMatchObject({
      exitCode: 5,
      stdout: expect.stringContaining("The run has started its 1000 steps."),
    });
  });

  test("with endless redirects ends with 5, and without --follow-redirects a redirect is the response", async () => {
    const url = await startServer((_request, response) =>
      response.writeHead(302, { location: "/again" }).end(),
    );
    expect(await run(HEAD + step(url), ["--follow-redirects"])).toMatchObject({ exitCode: 5 });
    const criterion = ", successCriteria: [{ condition: $statusCode == 302 }]";
    expect(await run(HEAD + step(url, criterion))).toMatchObject({ exitCode: 0 });
  });

  test("with an endless response body reads five megabytes of it, and its result stays small", async () => {
    const url = await startServer((_request, response) => {
      const write = () => {
        while (!response.destroyed && response.write(Buffer.alloc(262_144, "x")));
      };
      response.on("drain", write);
      write();
    });
    const ended = await run(HEAD + step(url), ["--report", "json=-"]);
    expect(JSON.parse(ended.stdout)).toMatchObject({
      steps: [{ evidence: { truncated: true, response: { bodyBytes: 5 * 1024 * 1024 } } }],
    });
    expect(ended.stdout.length).toBeLessThan(100_000);
  });

  test("with a regular expression that takes exponential time elsewhere ends normally", async () => {
    const url = await startServer((_request, response) => response.end(`${"a".repeat(50_000)}!`));
    const criterion = ", successCriteria: [{ context: $response.body, type: regex, condition: '^(a+)+$' }]";
    expect(await run(HEAD + step(url, criterion))).toMatchObject({ exitCode: 1 });
  });
});

test("an interrupt ends the run with 5, after its teardown", async () => {
  const server = await startRecordsServer({ collection: "notes", versionField: "revision", token: "t" });
  onTestFinished(() => server[Symbol.asyncDispose]());
  const begun = { step: false, kill: undefined as ((signal: NodeJS.Signals) => void) | undefined };
  const interruptStep = () => {
    if (!begun.step || begun.kill === undefined) return;
    begun.kill("SIGINT");
    begun.step = false;
  };
  // The second step polls a busy server forever.
  server.fault = ({ method, path }) => {
    if (method !== "PUT" || path === "/notes") return undefined;
    begun.step = true;
    interruptStep();
    return { status: 503, headers: { "retry-after": "30" } };
  };
  const args = ["journey", "run", join(FIXTURES, "notes.journey.yaml"), "--server", `notes=${server.url}`];
  const ended = await waymark(args, {
    env: { NOTES_TOKEN: "t" },
    onOutput: (_, kill) => {
      begun.kill = kill;
      interruptStep();
    },
  });
  expect(ended).toMatchObject({ exitCode: 5, stderr: expect.stringContaining("Interrupted") });
  expect(ended.stdout).toContain("✓ drop (teardown)");
  expect(ended.stdout).toMatch(/^ {2}✗ \w+ {2}interrupted$/m);
  expect(server.rows.size).toBe(0);
});

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { renderReport } from "@waymark/journeys/report/report.ts";
import type { JourneyResult } from "@waymark/journeys/result/result.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type JourneyTarget,
  startJourneyTarget,
  thingsJourney,
} from "@waymark/test-support/journey-target.ts";
import { type Stack, startStack } from "@waymark/test-support/stack.ts";
import { type WaymarkOptions, waymark } from "../support/waymark.ts";

function resultIn(file: string): JourneyResult | undefined {
  const parsed: JourneyResult | JourneyResult[] = JSON.parse(readFileSync(file, "utf8"));
  return Array.isArray(parsed) ? parsed[0] : parsed;
}

const FILE = "things.journey.yaml";

describe("the command and the server", () => {
  let target: JourneyTarget;
  let stack: Stack;
  let cwd: string;
  beforeAll(async () => {
    target = await startJourneyTarget();
    stack = await startStack({
      workerEnv: { WORKER_ROLES: "journeys", JOURNEY_EGRESS_ALLOW: `127.0.0.1:${target.port}` },
    });
    cwd = mkdtempSync(join(tmpdir(), "waymark-cloud-"));
    for (const [file, text] of Object.entries(thingsJourney())) writeFileSync(join(cwd, file), text);
    await stack.http.post("/api/environments", { name: "test", servers: { things: target.url } });
    const { exitCode, stderr } = await run(["push"]);
    if (exitCode !== 0) throw new Error(`journey push: ${stderr}`);
  });
  afterAll(async () => {
    rmSync(cwd, { recursive: true });
    await stack[Symbol.asyncDispose]();
    await target[Symbol.asyncDispose]();
  });

  const run = (args: string[], options: WaymarkOptions = {}) =>
    waymark(["journey", ...args, "--api-url", stack.api.baseUrl], {
      cwd,
      env: { SERVICE_API_KEY: stack.apiKey },
      ...options,
    });
  const inCloud = ["run", "--cloud", "--env", "test", FILE, "--input", "run=r"];

  it("shows a run on the server as one on this machine, with its reports", async () => {
    const { exitCode, stdout, stderr } = await run([...inCloud, "--report", "json=result.json"]);
    expect(stderr).toBe("");
    expect(exitCode).toBe(0);
    for (const step of ["create", "add0", "add1", "add2", "read", "remove"])
      expect(stdout).toContain(`✓ ${step}  `);
    const result: unknown = JSON.parse(readFileSync(join(cwd, "result.json"), "utf8"));
    expect(result).toMatchObject({ status: "passed", where: { runner: "cloud", environment: "test" } });
  });

  it("starts without waiting, and shows the result later", async () => {
    const { stdout } = await run([...inCloud, "--no-wait"]);
    const [runId = ""] = stdout.split("  ");
    await expect
      .poll(async () => (await stack.http.get(`/api/journey-runs/${runId}`)).text, { timeout: 60_000 })
      .toContain('"status":"passed"');
    expect((await run(["result", runId])).stdout).toContain("✓ create");
    expect((await run(["runs"])).stdout).toMatch(new RegExp(`${runId} +passed .*${FILE} 1 in test`));
    expect((await run(["cancel", runId])).stdout).toContain("had ended: passed");
  });

  it("uploads the result of a run here, also of a program that the server has not built, and repeats it", async () => {
    writeFileSync(
      join(cwd, "waymark.yaml"),
      JSON.stringify({ environments: { local: { servers: { things: target.url } } } }),
    );
    await stack.http.post("/api/environments", { name: "local", servers: { things: target.url } });
    const here = ["run", FILE, "--env", "local", "--input", "run=u", "--report", "json=local.json"];
    const { exitCode, stderr } = await run([...here, "--upload"]);
    expect(exitCode).toBe(0);
    const runId = /Uploaded: .*\/api\/journey-runs\/(\S+)/.exec(stderr)?.[1] ?? stderr;
    const uploaded = await stack.http.get(`/api/journey-runs/${runId}`);
    expect(uploaded.body).toMatchObject({
      origin: "uploaded",
      status: "passed",
      trigger: "cli",
      journeyPath: FILE,
    });
    expect((await run(["upload", "local.json"])).stdout).toContain("it was there already");
    // The server's reports are the command's, for the same result.
    const { body: result } = await stack.http.get<JourneyResult>(`/api/journey-runs/${runId}/result`);
    for (const format of ["junit", "html", "har", "ctrf"] as const) {
      const report = await stack.http.get(`/api/journey-runs/${runId}/reports/${format}`);
      expect(report.text).toBe(renderReport(format, [result]));
    }
    const again = await run(["run", "--replay", runId, "--report", "json=again.json"]);
    expect(again).toMatchObject({ exitCode: 0, stderr: "" });
    const [before, after] = ["local.json", "again.json"].map((file) => resultIn(join(cwd, file)));
    expect(after).toMatchObject({ seed: before?.seed, artifact: before?.artifact, inputs: { run: "u" } });
    rmSync(join(cwd, "waymark.yaml"));
  });

  it("cancels the run when it is interrupted, and waits for the teardown", async () => {
    const add = target.hold("add0");
    const { exitCode, stderr } = await run([...inCloud, "--verbose"], {
      onOutput: (text, kill) => {
        if (text.includes("✓ create")) kill("SIGINT");
      },
    });
    add.release();
    expect(stderr).toContain("Interrupted: the cloud runner tears down");
    expect(exitCode).toBe(5);
    expect(target.left()).toEqual([]);
  });

  it("runs the others if the server does not have one of the documents, and reports both", async () => {
    const both = ["run", "--cloud", "--env", "test", "none.yaml", FILE, "--input", "run=b"];
    const { exitCode, stdout, stderr } = await run([...both, "--report", "junit=both.xml"]);
    expect(stderr).toMatch(/^none[.]yaml:\nstarting the journey failed: .*There is no journey or overlay/);
    expect(stdout).toContain("passed");
    expect(exitCode).toBe(2);
    const report = readFileSync(join(cwd, "both.xml"), "utf8");
    expect(report).toMatch(/<testsuite [^>]*name="none[.]yaml" [^>]*tests="1" failures="0" errors="1"/);
    expect(report).toMatch(/<testcase classname="[^"]+" name="create" time="[\d.]+"\/>/);
  });

  it("runs a journey once for each row of a file, and says which row the server refuses", async () => {
    writeFileSync(join(cwd, "rows.json"), JSON.stringify([{ run: "one" }, {}, { run: "three" }]));
    const rows = [
      "run",
      "--cloud",
      "--env",
      "test",
      FILE,
      "--data",
      "rows.json",
      "--report",
      "json=rows.out.json",
    ];
    const { exitCode, stdout, stderr } = await run(rows);
    expect(exitCode).toBe(3);
    expect(stderr).toContain(`${FILE} [row 2]:`);
    expect(stderr).toContain("These inputs are required: run");
    const results: JourneyResult[] = JSON.parse(readFileSync(join(cwd, "rows.out.json"), "utf8"));
    expect(results.map(({ status, inputs }) => [status, inputs["run"]])).toEqual([
      ["passed", "one"],
      ["passed", "three"],
    ]);
    expect(stdout).toContain(`${FILE} [row 3] on the server`);
  });

  it.each([
    [["run", "--cloud", FILE], 2, "--cloud needs --env"],
    [["run", "--cloud", "--env", "none", FILE], 2, 'no environment "none"'],
    [["run", "--cloud", "--env", "test", "none.yaml"], 2, "There is no journey or overlay"],
    [["run", "--cloud", "--env", "test", FILE], 3, "These inputs are required: run"],
    [[...inCloud, "--server", "things=http://x.example"], 2, "--cloud does not go with --server"],
    [[...inCloud, "--no-wait", "--report", "json=x"], 2, "--no-wait has no result to report"],
    [["runs", "--limit", "0"], 2, "--limit must be"],
    [["result", "nothing"], 2, "HTTP 404"],
  ])("refuses %j", async (args, exitCode, message) => {
    const ended = await run(args);
    expect(ended.stderr).toContain(message);
    expect(ended.exitCode).toBe(exitCode);
  });
});

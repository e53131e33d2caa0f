import { describe, expect, test } from "vitest";
import { runCaptured, temporaryFolder } from "../test-support/run-captured.ts";

const responses = { 200: { description: "d" }, 400: { description: "d" } };
const operation = (operationId: string, more = {}) => ({ operationId, summary: "s", responses, ...more });
const head = {
  openapi: "3.1.0",
  info: { title: "T", version: "1", license: { name: "MIT", identifier: "MIT" } },
  servers: [{ url: "https://example.test" }],
  security: [],
};
const base = {
  ...head,
  paths: {
    "/kept": { get: operation("kept") },
    "/gone": { get: operation("gone") },
    "/renamed": { get: operation("oldName") },
    "/text": { get: operation("text") },
    "/item/{id}": { parameters: [parameter("id")], get: operation("item") },
  },
};
const changed = {
  ...head,
  paths: {
    "/kept": { get: operation("kept") },
    "/renamed": { get: operation("newName") },
    "/text": { get: operation("text", { summary: "another" }) },
    "/item/{itemId}": { parameters: [parameter("itemId")], get: operation("item") },
    "/new/{id}": { get: operation("new") },
  },
};

function parameter(name: string) {
  return { name, in: "path", required: true, schema: { type: "string" } };
}

async function diff(args: string[] = [], [before, after]: [unknown, unknown] = [base, changed]) {
  const folder = await temporaryFolder();
  await folder.write("base.json", JSON.stringify(before));
  await folder.write("head.json", JSON.stringify(after, null, 2));
  return runCaptured(["diff", "base.json", "head.json", ...args], { cwd: folder.path });
}

describe("waymark diff", () => {
  test("shows what was added, removed and changed, and what breaks clients", async () => {
    expect(await diff()).toEqual({
      exitCode: 0,
      stderr: "",
      stdout: [
        "Endpoints: 1 added, 1 removed, 3 changed",
        "  removed  GET /gone",
        "  changed  GET /renamed: operationId",
        "  changed  GET /text: summary",
        "  changed  GET /item/{itemId}: names of path parameters (was /item/{id})",
        "  added    GET /new/{id}",
        "Breaks clients: 1 change",
        "  GET /gone",
        "    GET /gone was removed: every call to it fails. (base.json:1) [operation-removed]",
        "May break clients: 1 change",
        "  GET /renamed",
        '    The operationId "oldName" is now "newName": generated clients name the call differently. (head.json:33) [operation-id-changed]',
        "Breaks no client: 1 change",
        "  GET /new/{id}",
        "    GET /new/{id} was added. (head.json:85) [operation-added]",
        "",
      ].join("\n"),
    });
  });

  test("a path parameter with another name is no removal, for the gate as in words", async () => {
    const path = (template: string) => ({ ...head, paths: { [template]: { get: operation("one") } } });
    const renamed: [unknown, unknown] = [path("/a/{id}/b/{part}.json"), path("/a/{itemId}/b/{piece}.json")];
    expect(await diff(["--fail-on-removed"], renamed)).toEqual({
      exitCode: 0,
      stderr: "",
      stdout: [
        "Endpoints: 0 added, 0 removed, 1 changed",
        "  changed  GET /a/{itemId}/b/{piece}.json: names of path parameters (was /a/{id}/b/{part}.json)",
        "Breaks clients: no change found in 1 operation",
        "",
      ].join("\n"),
    });
    const twice = {
      ...head,
      paths: { "/a/{x}": { get: operation("x") }, "/a/{y}": { get: operation("y") } },
    };
    const one = await diff(["--fail-on-removed"], [twice, path("/a/{z}")]);
    expect(one).toMatchObject({
      exitCode: 1,
      stderr: "Gate --fail-on-removed failed:\n  removed: GET /a/{y}\n",
    });
  });

  test("with --lint compares the findings, with the lines of new ones", async () => {
    const { stdout } = await diff(["--lint"]);
    expect(stdout).toMatch(/^Findings: 1 new, 0 fixed$/m);
    expect(stdout).toMatch(
      /^ {2}new {6}high path-parameters-defined at GET \/new\/\{id\}: .* \(head\.json:\d+\)$/m,
    );
    // The endpoint of the finding is removed: nobody has fixed it.
    const back = (await diff(["--lint"], [changed, base])).stdout;
    expect(back).toMatch(/^Findings: 0 new, 0 fixed, 1 removed with its endpoint$/m);
    expect(back).toMatch(
      /^ {2}removed {2}high path-parameters-defined at GET \/new\/\{id\}: .*, with its endpoint$/m,
    );
  });

  test("has the gates of a scan, with its exit codes", async () => {
    const removed = await diff(["--fail-on-removed"]);
    expect(removed.exitCode).toBe(1);
    expect(removed.stderr).toBe("Gate --fail-on-removed failed:\n  removed: GET /gone\n");
    const findings = await diff(["--fail-on", "high"]);
    expect(findings.exitCode).toBe(1);
    expect(findings.stderr).toMatch(
      /^Gate --fail-on high --new-only failed:\n {2}high path-parameters-defined .*\(head\.json:\d+\)\n$/,
    );
    expect(await diff(["--fail-on", "high", "--fail-on-removed"], [changed, changed])).toMatchObject({
      exitCode: 0,
      stderr: "",
    });
    expect(await diff(["--fail-on", "grave"])).toMatchObject({ exitCode: 2, stdout: "" });
  });

  test("prints one JSON object", async () => {
    const { stdout, exitCode } = await diff(["--json", "--fail-on", "high"]);
    expect(JSON.parse(stdout)).toMatchObject({
      exitCode,
      endpoints: { removed: [{ path: "/gone" }] },
      findings: {
        new: [{ code: "path-parameters-defined", severity: "high", method: "GET", path: "/new/{id}" }],
      },
      breaking: [expect.stringContaining("GET /gone was removed")],
      maybe: [expect.stringContaining("operationId")],
      brokenGates: [{ gate: "--fail-on high --new-only" }],
    });
    expect(Object.keys(JSON.parse(stdout).findings.new[0])).not.toContain("file");
  });

  test("with --format jsonl prints a line for each change, and the result", async () => {
    const { stdout, exitCode } = await diff(["--format", "jsonl", "--fail-on-removed"]);
    const lines = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(exitCode).toBe(1);
    expect(lines.map(({ change, before, after }) => [change, (after ?? before)?.path])).toEqual([
      ["removed", "/gone"],
      ["changed", "/renamed"],
      ["changed", "/text"],
      ["changed", "/item/{itemId}"],
      ["added", "/new/{id}"],
      [undefined, undefined],
      [undefined, undefined],
      [undefined, undefined],
      [undefined, undefined],
    ]);
    expect(lines.at(-1)).toMatchObject({
      type: "result",
      exitCode: 1,
      breaking: [expect.anything()],
      maybe: [expect.anything()],
    });
  });

  test("reads one of the files from standard input, and names an invalid file", async () => {
    const folder = await temporaryFolder();
    await folder.write("head.json", JSON.stringify(changed));
    const options = { cwd: folder.path, stdin: JSON.stringify(base) };
    expect((await runCaptured(["diff", "-", "head.json"], options)).stdout).toContain("Endpoints: 1 added");
    expect(await runCaptured(["diff", "-", "-"], options)).toMatchObject({ exitCode: 2, stdout: "" });
    const missing = await runCaptured(["diff", "head.json", "nope.json"], options);
    expect(missing).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("nope.json") });
  });
});

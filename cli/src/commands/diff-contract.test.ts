import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { createRepository } from "../test-support/git-repository.ts";
import { runCaptured, temporaryFolder } from "../test-support/run-captured.ts";

const base = `openapi: 3.0.3
info: { title: Locks, version: "1" }
paths:
  /locks/{id}:
    get:
      operationId: readLock
      parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
      responses:
        "200":
          description: d
          content:
            application/json:
              schema: { $ref: "#/components/schemas/Lock" }
    put:
      operationId: writeLock
      parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
      requestBody:
        content:
          application/json:
            schema: { $ref: "#/components/schemas/Lock" }
      responses: { "200": { description: d } }
components:
  schemas:
    Lock:
      type: object
      required: [owner]
      properties:
        owner: { type: string }
        state: { type: string, enum: [open, closed] }
`;
const narrowed = base.replace("enum: [open, closed]", "enum: [open]");

async function diff(before: string, after: string, args: string[] = [], files: Record<string, string> = {}) {
  const folder = await temporaryFolder();
  for (const [name, text] of Object.entries({ "base.yaml": before, "head.yaml": after, ...files })) {
    await folder.write(name, text);
  }
  return runCaptured(["diff", "base.yaml", "head.yaml", ...args], { cwd: folder.path });
}

describe("waymark diff on contracts", () => {
  test("names keys that occur twice, each once, also in files of schemas", async () => {
    const files = {
      "item.yaml":
        "get: { responses: { 200: { $ref: 'parts.json#/ok' } } }\nget: { responses: { 200: { $ref: 'parts.json#/ok' } } }\n",
      "parts.json": '{"ok":{"description":"d"},\n"ok":{"description":"e"}}',
    };
    const text = "openapi: 3.1.0\ninfo: { title: T, version: '1' }\npaths: { /a: { $ref: item.yaml } }\n";
    const { stderr } = await diff(text, text, [], files);
    const notes = stderr.trim().split("\n");
    const each = (place: string) => expect.stringContaining(place);
    expect(notes).toEqual([
      each("base.yaml: 1 key occurs more than once, and only the last one counts: get (item.yaml:1, 2)."),
      each("base.yaml: 1 key occurs more than once, and only the last one counts: ok (parts.json:1, 2)."),
      each("head.yaml: 1 key occurs more than once, and only the last one counts: get (item.yaml:1, 2)."),
      each("head.yaml: 1 key occurs more than once, and only the last one counts: ok (parts.json:1, 2)."),
    ]);
  });

  test("says what breaks whom, where, with a value, and once for all operations", async () => {
    const { stdout, exitCode } = await diff(base, narrowed);
    expect(exitCode).toBe(0);
    expect(stdout).toBe(
      [
        "Endpoints: 0 added, 0 removed, 0 changed",
        "Breaks clients: 1 change",
        "  PUT /locks/{id}",
        '    The property "state" no longer allows "closed": requests that were valid are refused. (head.yaml:29) [request-enum-value-removed]',
        '      no longer valid: {"owner":"a","state":"closed"}',
        "Breaks no client: 1 change",
        "  GET /locks/{id}",
        '    The property "state" no longer allows "closed". (head.yaml:29) [response-enum-value-removed]',
        "",
      ].join("\n"),
    );
  });

  test("says how much was compared where nothing breaks", async () => {
    expect((await diff(base, base.replace("title: Locks", "title: Doors"))).stdout).toBe(
      "Endpoints: 0 added, 0 removed, 0 changed\nBreaks clients: no change found in 2 operations\n",
    );
  });

  test("fails on changes that break, and on request on those that may", async () => {
    const breaking = await diff(base, narrowed, ["--fail-on", "breaking"]);
    expect(breaking).toMatchObject({ exitCode: 1 });
    expect(breaking.stderr).toMatch(
      /^Gate --fail-on breaking failed:\n {2}PUT \/locks\/\{id\}: .* \(head\.yaml:29\)\n$/,
    );
    const optional = base.replace("        state: { type: string, enum: [open, closed] }\n", "");
    expect(await diff(base, optional, ["--fail-on", "breaking"])).toMatchObject({ exitCode: 0, stderr: "" });
    expect(await diff(base, optional, ["--fail-on", "maybe"])).toMatchObject({ exitCode: 1 });
    expect(await diff(base, base, ["--fail-on", "maybe", "--fail-on", "high"])).toMatchObject({
      exitCode: 0,
    });
    expect(await diff(base, base, ["--fail-on", "maybe", "--fail-on", "breaking"])).toMatchObject({
      exitCode: 2,
    });
  });

  test("prints verdicts in JSON, in JSON lines and in Markdown", async () => {
    const json = JSON.parse((await diff(base, narrowed, ["--json"])).stdout);
    expect(json).toMatchObject({
      exitCode: 0,
      breaking: [expect.stringContaining("PUT /locks/{id}: ")],
      maybe: [],
      compared: { base: 2, head: 2 },
      endpoints: { added: [], removed: [] },
    });
    expect(json.verdicts[0]).toMatchObject({
      id: "request-enum-value-removed",
      level: "breaking",
      direction: "request",
      operations: [{ method: "PUT", path: "/locks/{id}" }],
      witness: { owner: "a", state: "closed" },
      base: {
        file: "base.yaml",
        pointer: "/components/schemas/Lock/properties/state/enum",
        line: 29,
        column: 32,
      },
      head: { file: "head.yaml", line: 29 },
      fingerprint: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    const lines = (await diff(base, narrowed, ["--format", "jsonl"])).stdout.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line).type)).toEqual(["verdict", "verdict", "result"]);
    const markdown = await diff(base, narrowed, ["--format", "markdown"]);
    expect(markdown.stdout).toMatch(
      /^\*\*1 change breaks clients\*\*\n\n### Breaks clients: 1 change\n\n- \*\*PUT /,
    );
  });

  test("takes levels and exceptions from waymark.yaml, and names exceptions that match nothing", async () => {
    const settings = `contract:
  failOn: breaking
  levels: { request-enum-value-removed: maybe }
  ignores:
    - { id: response-enum-value-removed, reason: agreed, until: 2099-01-01 }
    - { id: request-type-changed, reason: old }
`;
    const { stdout, stderr, exitCode } = await diff(base, narrowed, [], { "waymark.yaml": settings });
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^May break clients: 1 change$/m);
    expect(stdout).toMatch(/^With an exception: 1 change$[^]*exception: agreed$/m);
    expect(stderr).toContain("exception for request-type-changed");
  });

  test.each([
    [
      "a renamed path parameter",
      base,
      base.replaceAll("{id}", "{lock}").replaceAll("name: id", "name: lock"),
      "no change",
    ],
    [
      "a base path that moves into the paths",
      `servers: [{ url: /v1 }]\n${base}`,
      base.replace("/locks/{id}", "/v1/locks/{id}"),
      "no change",
    ],
  ])("%s breaks nobody and passes every gate", async (_name, before, after, breaks) => {
    const { stdout, stderr, exitCode } = await diff(before, after, [
      "--fail-on-removed",
      "--fail-on",
      "maybe",
    ]);
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    expect(stdout).toContain("Endpoints: 0 added, 0 removed, 2 changed");
    expect(stdout).toContain(`Breaks clients: ${breaks} found in 2 operations`);
  });

  test("another base path breaks the clients of every operation", async () => {
    const result = await diff(`servers: [{ url: /v1 }]\n${base}`, `servers: [{ url: /v2 }]\n${base}`, [
      "--fail-on-removed",
    ]);
    expect(result.exitCode).toBe(1);
    expect(result.stdout).toContain("The servers' path is /v2 instead of /v1");
    expect(result.stderr).toContain("removed: PUT /locks/{id}");
  });

  test("reads descriptions that are too large for a scan", async () => {
    const padded = `${base}x-padding: ${"x".repeat(11 * 1024 * 1024)}\n`;
    expect(await diff(padded, base)).toMatchObject({ exitCode: 0, stderr: "" });
  });
});

describe("waymark diff on revisions", () => {
  const paths = 'get: { operationId: read, responses: { "200": { description: d } } }\n';
  const entry =
    'openapi: 3.0.3\ninfo: { title: T, version: "1" }\npaths: { "/a": { $ref: ./paths/a.yaml } }\n';

  async function repository() {
    const { folder, git, write } = await createRepository();
    await write("api/openapi.yaml", entry);
    await write(
      "api/paths/a.yaml",
      `${paths}delete: { operationId: drop, responses: { "204": { description: d } } }\n`,
    );
    git("add", "-A");
    git("commit", "-qm", "base");
    await write("api/paths/a.yaml", paths);
    return folder;
  }

  test("REV:path is read with its references at that revision", async () => {
    const folder = await repository();
    const args = ["diff", "HEAD:api/openapi.yaml", "api/openapi.yaml", "--fail-on", "breaking"];
    const { stdout, exitCode } = await runCaptured(args, { cwd: folder });
    expect(exitCode).toBe(1);
    expect(stdout).toContain("DELETE /a was removed: every call to it fails. (HEAD:api/paths/a.yaml:2)");
    const below = ["diff", "HEAD:./openapi.yaml", "openapi.yaml", "--fail-on", "breaking"];
    expect((await runCaptured(below, { cwd: path.join(folder, "api") })).exitCode).toBe(1);
  });

  test("names a revision, and a file of it, that isn't there", async () => {
    const folder = await repository();
    const run = (name: string) => runCaptured(["diff", name, "api/openapi.yaml"], { cwd: folder });
    expect(await run("nowhere:api/openapi.yaml")).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("nowhere is no revision"),
    });
    expect(await run("--output=x:y")).toMatchObject({ exitCode: 2 });
    expect(await run("HEAD:nope.yaml")).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("HEAD has no file nope.yaml"),
    });
    await writeFile(path.join(folder, "HEAD:api"), entry.replace("./paths", "./api/paths"));
    expect(await run("HEAD:api")).toMatchObject({ exitCode: 0 });
  });

  test("says how to get a revision that the checkout of a pipeline lacks", async () => {
    const { folder, git } = await createRepository({ branch: "main" });
    const clone = await temporaryFolder();
    git("commit", "-q", "--allow-empty", "-m", "two");
    git("branch", "other");
    const at = path.join(clone.path, "shallow");
    git("clone", "-q", "--depth=1", "--no-single-branch", `file://${folder}`, at);
    const run = (name: string) => runCaptured(["diff", name, name], { cwd: at });
    expect(await run("other:api.yaml")).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("The remote's branch is here: origin/other:api.yaml."),
    });
    expect(await run("HEAD~1:api.yaml")).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/only the newest commits: .*fetch-depth: 0.*diff current/),
    });
    expect((await runCaptured(["diff", "nope:a.yaml", "b"], { cwd: folder })).stderr).not.toContain(
      "fetch-depth",
    );
  });

  test("refuses standard input whose references would be those of the working directory", async () => {
    const folder = await repository();
    const options = { cwd: path.join(folder, "api"), stdin: entry };
    const refused = await runCaptured(["diff", "-", "openapi.yaml"], options);
    expect(refused).toMatchObject({ exitCode: 2, stdout: "", stderr: expect.stringContaining("REV:path") });
    const named = await runCaptured(["diff", "-", "openapi.yaml", "--stdin-name", "openapi.yaml"], options);
    expect(named).toMatchObject({ exitCode: 0 });
  });
});

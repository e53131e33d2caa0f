import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { parseDocument } from "@waymark/openapi/parse/parse-document.ts";
import { writeArtifact } from "@waymark/journeys/compile/artifact.ts";
import { compileLoaded } from "@waymark/journeys/load/compile-loaded.ts";
import { loadJourney } from "@waymark/journeys/load/load-journey.ts";
import { runCaptured, temporaryFolder } from "../../test-support/run-captured.ts";

const SOURCE = `openapi: 3.1.0
info: { title: Things, version: 1.0.0 }
servers:
  - { url: "https://things.example" }
  - { url: "https://staging.things.example", x-environment: staging }
paths:
  /things:
    get: { operationId: listThings, responses: { "200": { $ref: "responses.yaml#/list" } } }
`;
const RESPONSES = "list: { description: ok, content: { application/json: { schema: { type: object } } } }\n";
const JOURNEY = `arazzo: 1.1.0
info: { title: Things, version: 1.0.0 }
sourceDescriptions: [{ name: things, type: openapi, url: ../api/things.yaml }]
workflows:
  - workflowId: main
    steps:
      - stepId: list
        operationId: listThings
        successCriteria: [{ x-id: ok, condition: $statusCode == 200 }]
`;
const OVERLAY = `overlay: 1.1.0
info: { title: Stricter, version: 1.0.0, x-overlay: { id: stricter, extendsVersion: ^1.0.0 } }
extends: ./things.journey.yaml
actions:
  - target: $.workflows[?@.workflowId=='main'].steps[?@.stepId=='list']
    update: { timeout: 500 }
`;

async function project() {
  const folder = await temporaryFolder();
  await folder.write("api/things.yaml", SOURCE);
  await folder.write("api/responses.yaml", RESPONSES);
  await folder.write("journeys/things.journey.yaml", JOURNEY);
  await folder.write("journeys/stricter.overlay.yaml", OVERLAY);
  return folder;
}

test("build writes the artifact beside the journey and prints its hash", async () => {
  const { path: cwd } = await project();
  const result = await runCaptured(["journey", "build", "journeys/things.journey.yaml"], { cwd });
  expect(result).toMatchObject({
    exitCode: 0,
    stderr: "",
    stdout: expect.stringMatching(
      /^Artifact: sha256:[0-9a-f]{64}\nFile: journeys\/things\.artifact\.json\nDigest of the file: sha256:[0-9a-f]{64}\n$/,
    ),
  });
});

test("the same journey gives the same bytes in another folder, from another working directory", async () => {
  const texts = await Promise.all(
    ["", "journeys"].map(async (below) => {
      const folder = await project();
      const cwd = path.join(folder.path, below);
      const file = path.relative(cwd, path.join(folder.path, "journeys/stricter.overlay.yaml"));
      expect(await runCaptured(["journey", "build", file, "--out", "a.json"], { cwd })).toMatchObject({
        exitCode: 0,
      });
      return readFile(path.join(cwd, "a.json"), "utf8");
    }),
  );
  expect(texts[0]).toBe(texts[1]);
  expect(texts[0]).not.toContain("waymark-cli-");
  expect(JSON.parse(texts[0] ?? "")).toMatchObject({ provenance: { overlays: [{ id: "stricter" }] } });
});

test("an overlay as argument means its base with the overlay applied", async () => {
  const { path: cwd } = await project();
  const ids = await Promise.all(
    [
      ["journeys/stricter.overlay.yaml"],
      ["journeys/things.journey.yaml", "--overlay", "journeys/stricter.overlay.yaml"],
    ].map(async (args) => (await runCaptured(["journey", "build", ...args, "--out", "-"], { cwd })).stderr),
  );
  expect(ids[0]).toMatch(/^sha256:/);
  expect(ids[0]).toBe(ids[1]);
});

test("an environment selects its servers, and an unknown one is refused", async () => {
  const { path: cwd } = await project();
  await writeFile(
    path.join(cwd, "waymark.yaml"),
    "environments: { local: { servers: { things: 'http://127.0.0.1:1' } } }\n",
  );
  const serverIn = async (env: string) => {
    const { stdout } = await runCaptured(
      ["journey", "build", "journeys/things.journey.yaml", "--env", env, "--out", "-"],
      { cwd },
    );
    return /"server":"([^"]*)"/.exec(stdout)?.[1];
  };
  expect(await serverIn("staging")).toBe("https://staging.things.example");
  expect(await serverIn("local")).toBe("http://127.0.0.1:1");
  expect(
    await runCaptured(["journey", "build", "journeys/things.journey.yaml", "--env", "prod"], { cwd }),
  ).toEqual({
    exitCode: 2,
    stdout: "",
    stderr: 'There is no environment "prod": there is local, staging.\n',
  });
});

test("all errors of all files are reported at once, as file:line:column, and nothing is written", async () => {
  const { path: cwd, write } = await project();
  await write(
    "journeys/things.journey.yaml",
    JOURNEY.replace("listThings", "nothing").replace("== 200", "= 200"),
  );
  const result = await runCaptured(["journey", "build", "journeys/things.journey.yaml"], { cwd });
  expect(result).toMatchObject({ exitCode: 2, stdout: "" });
  expect(result.stderr).toMatch(
    /does not compile: 2 errors\.\n {2}journeys\/things\.journey\.yaml:8:9 error .*\n {2}journeys\/things\.journey\.yaml:9:\d+ error/,
  );
  await expect(readFile(path.join(cwd, "journeys/things.artifact.json"))).rejects.toThrow("ENOENT");
});

test.each([
  ["a file that is missing", "url: ../api/gone.yaml", "Can't read ../api/gone.yaml".replace("../", "")],
  ["an address", "url: https://things.example/openapi.yaml", "give a local copy with --source things=FILE"],
])("a source that is %s is reported with its line", async (_name, url, message) => {
  const { path: cwd, write } = await project();
  await write("journeys/things.journey.yaml", JOURNEY.replace("url: ../api/things.yaml", url));
  const refused = await runCaptured(["journey", "lint", "journeys/things.journey.yaml"], { cwd });
  expect(refused.exitCode).toBe(2);
  expect(refused.stdout).toContain("journeys/things.journey.yaml:3:");
  expect(refused.stdout).toContain(message);
  const given = await runCaptured(
    ["journey", "lint", "journeys/things.journey.yaml", "--source", "things=api/things.yaml"],
    { cwd },
  );
  expect(given).toEqual({ exitCode: 0, stdout: "1 journey: no problems\n", stderr: "" });
});

test("documents can refer to each other; workflows that call each other end at a limit", async () => {
  const { path: cwd, write } = await project();
  const calling = (other: string) =>
    `arazzo: 1.1.0\ninfo: { title: C, version: 1.0.0 }\nsourceDescriptions: [{ name: other, type: arazzo, url: ./${other}.yaml }]
workflows: [{ workflowId: main, steps: [{ stepId: s, workflowId: $sourceDescriptions.other.main }] }]\n`;
  await write("a.yaml", calling("b"));
  await write("b.yaml", calling("a"));
  const result = await runCaptured(["journey", "build", "a.yaml"], { cwd });
  expect(result.exitCode).toBe(0);
  const run = await runCaptured(["journey", "run", "a.yaml"], { cwd });
  expect(run.exitCode).toBe(5);
  expect(run.stdout).toContain("Workflows call each other more than");
});

test("references that leave the folder of a description are not read", async () => {
  const { path: cwd, write } = await project();
  await write("outside.yaml", RESPONSES);
  await mkdir(path.join(cwd, "work"));
  await write("api/things.yaml", SOURCE.replace("responses.yaml", "../outside.yaml"));
  const inside = await runCaptured(["journey", "build", "journeys/things.journey.yaml", "--out", "-"], {
    cwd,
  });
  expect(inside.exitCode).toBe(0);
  const outside = await runCaptured(["journey", "build", "../journeys/things.journey.yaml"], {
    cwd: path.join(cwd, "work"),
  });
  expect(outside.exitCode).toBe(2);
  expect(outside.stderr).toContain("was not given");
});

test("lint compiles every workflow of a document that doesn't determine which one runs", async () => {
  const { path: cwd, write } = await project();
  const two =
    JOURNEY.replace("workflowId: main", "workflowId: one") +
    "  - { workflowId: two, steps: [{ stepId: s, operationId: gone }] }\n";
  await write("journeys/things.journey.yaml", two);
  const result = await runCaptured(["journey", "lint", "--json", "journeys/things.journey.yaml"], { cwd });
  expect(result.exitCode).toBe(2);
  const problems: unknown = JSON.parse(result.stdout);
  expect(problems).toMatchObject([{ code: "unknown-operation", line: 10 }]);
});

test("the bytes are the same as from files in memory", async () => {
  const { path: cwd } = await project();
  const built = await runCaptured(["journey", "build", "journeys/stricter.overlay.yaml", "--out", "-"], {
    cwd,
  });
  const files = new Map([
    ["api/things.yaml", SOURCE],
    ["api/responses.yaml", RESPONSES],
    ["journeys/things.journey.yaml", JOURNEY],
    ["journeys/stricter.overlay.yaml", OVERLAY],
  ]);
  const journey = await loadJourney(
    {
      read: async (file) => (files.has(file) ? Buffer.from(files.get(file) ?? "") : undefined),
      parse: parseDocument,
    },
    { file: "journeys/stricter.overlay.yaml", overlays: [], given: new Map() },
  );
  const compiled = await compileLoaded(journey);
  expect(compiled.ok && writeArtifact(compiled.artifact)).toBe(built.stdout);
});

test("a run has the digest of the file that build would write, from the document and from the artifact", async () => {
  const { path: cwd } = await project();
  const file = "journeys/stricter.overlay.yaml";
  const { stdout } = await runCaptured(["journey", "build", file, "--out", "a.json", "--json"], { cwd });
  const { id, fileDigest } = JSON.parse(stdout);
  for (const [given, place] of [
    [file, "journeys/things.journey.yaml"],
    ["a.json", "things.journey.yaml"],
  ] as const) {
    const ran = await runCaptured(
      ["journey", "run", given, "--server", "things=http://127.0.0.1:9", "--report", "json=-"],
      { cwd },
    );
    const result = JSON.parse(ran.stdout);
    expect(result).toMatchObject({ artifact: id, artifactFile: fileDigest });
    expect(result.steps[0].assertions[0].source.file).toBe(place);
  }
});

test("lint takes a folder, for the journeys below it, and annotates their lines on GitHub", async () => {
  const { path: cwd, write } = await project();
  await write(
    "journeys/deeper/broken.journey.yaml",
    JOURNEY.replace("../api", "../../api").replace("listThings", "none"),
  );
  await write("journeys/node_modules/x/other.journey.yaml", "not read");
  await write("empty/readme.md", "");
  const env = { GITHUB_ACTIONS: "true", GITHUB_WORKSPACE: cwd };
  const result = await runCaptured(["journey", "lint", "journeys"], { cwd, env });
  expect(result.exitCode).toBe(2);
  expect(result.stdout).toMatch(
    /^journeys\/deeper\/broken\.journey\.yaml:8:\d+ error .*\n2 journeys: 1 error\n$/,
  );
  expect(result.stderr).toMatch(
    /^::error file=journeys\/deeper\/broken\.journey\.yaml,line=8,col=\d+,title=[\w-]+::[^\n]+\n$/,
  );
  expect((await runCaptured(["journey", "lint", "journeys"], { cwd })).stderr).toBe("");
  expect(await runCaptured(["journey", "lint", "empty"], { cwd })).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(/^There are no journeys below empty: their names end in /),
  });
});

describe("run with a folder in which a journey does not compile", () => {
  const BROKEN = "journeys/broken.journey.yaml";

  test("runs the others, reports it in each format for test results, and ends with the highest exit code", async () => {
    const { path: cwd, write } = await project();
    await write(BROKEN, JOURNEY.replace("listThings", "none"));
    const reports = ["junit", "ctrf", "html", "json"].flatMap((format) => [
      "--report",
      `${format}=r.${format}`,
    ]);
    const { exitCode, stdout, stderr } = await runCaptured(
      ["journey", "run", "journeys", "--server", "things=http://127.0.0.1:9", ...reports],
      { cwd },
    );
    expect(stderr).toMatch(
      /^journeys\/broken\.journey\.yaml does not compile: 1 error\.\n {2}journeys\/broken\.journey\.yaml:8:\d+ error /,
    );
    expect(stdout).toMatch(/\n\d runs?: 0 passed, \d did not; 1 journey can't run\n$/);
    expect(exitCode).toBe(4);
    const read = async (format: string) => readFile(path.join(cwd, `r.${format}`), "utf8");
    expect(await read("junit")).toMatch(
      /<testsuite [^>]*name="journeys\/broken\.journey\.yaml" [^>]*tests="1" failures="0" errors="1" skipped="0">[^]*<testcase classname="journeys\/broken\.journey\.yaml" name="document" time="0\.000"><error message="journeys\/broken\.journey\.yaml does not compile: 1 error\." type="document">journeys\/broken\.journey\.yaml:8:/,
    );
    expect(await read("junit")).toMatch(/<testcase classname="[^"]+" name="list"/);
    const { results } = JSON.parse(await read("ctrf"));
    expect(results.tests).toContainEqual(
      expect.objectContaining({ status: "failed", suite: [BROKEN], filePath: BROKEN, name: "document" }),
    );
    expect(results.summary.tests).toBe(results.tests.length);
    expect(await read("html")).toContain("broken.journey.yaml does not compile");
    expect(JSON.parse(await read("json"))).not.toContain("broken");
  });

  test("ends with 2 if no other journey ends with more", async () => {
    const { path: cwd, write } = await project();
    await write(BROKEN, JOURNEY.replace("listThings", "none"));
    await write("journeys/things.journey.yaml", JOURNEY.replace("workflowId", "workflow"));
    const args = ["journey", "run", "journeys", "--report", "junit=r.xml"];
    const { exitCode, stdout } = await runCaptured(args, { cwd });
    expect({ exitCode, stdout }).toEqual({
      exitCode: 2,
      stdout: "0 runs: 0 passed, 0 did not; 2 journeys can't run\n",
    });
    expect((await readFile(path.join(cwd, "r.xml"), "utf8")).match(/<error /g)).toHaveLength(2);
  });

  test("runs the others also with a server and an input that only the broken one may have", async () => {
    const { path: cwd, write } = await project();
    await write(BROKEN, JOURNEY.replace("listThings", "none"));
    const given = ["--server", "things=http://127.0.0.1:9", "--server", "shop=http://127.0.0.1:9"];
    const args = ["journey", "run", "journeys", ...given, "--input", "customer=c"];
    const { stdout, stderr } = await runCaptured(args, { cwd });
    expect(stderr).not.toContain("--server names a source");
    expect(stderr).not.toContain("There is no input");
    expect(stdout).toMatch(/\n1 run: 0 passed, 1 did not; 1 journey can't run\n$/);
  });

  test("runs nothing with --bail", async () => {
    const { path: cwd, write } = await project();
    await write(BROKEN, JOURNEY.replace("listThings", "none"));
    const { exitCode, stdout, stderr } = await runCaptured(["journey", "run", "--bail", "journeys"], { cwd });
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toMatch(/^journeys\/broken\.journey\.yaml does not compile: 1 error\./);
  });
});

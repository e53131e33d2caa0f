import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { startFakeApi } from "../test-support/fake-api.ts";
import { runCaptured, temporaryFolder } from "../test-support/run-captured.ts";

function spec(title = "T", version = "1"): string {
  return `openapi: 3.1.0\ninfo: { title: ${title}, version: "${version}" }\npaths: { /a: { get: { responses: {} } } }\n`;
}

const SWAGGER = JSON.stringify({
  swagger: "2.0",
  info: { title: "Old", version: "1" },
  paths: { "/a": { get: {} } },
});

/** A folder with these files. */
async function repository(files: Record<string, string | Buffer>) {
  const folder = await temporaryFolder();
  for (const [name, text] of Object.entries(files)) await folder.write(name, text);
  return folder;
}

/** The services of `waymark.yaml` in a dry run, by their descriptions. */
async function namesOf(files: Record<string, string>): Promise<Record<string, string>> {
  const { path: cwd } = await repository(files);
  const { stdout, stderr, exitCode } = await runCaptured(["init", "--dry-run", "--ci", "none"], { cwd });
  expect({ exitCode, stderr: exitCode === 0 ? "" : stderr }).toEqual({ exitCode: 0, stderr: "" });
  const settings: { services?: { service: string; spec: string }[]; service: string; spec: string } =
    parse(stdout);
  const { services = [settings] } = settings;
  return Object.fromEntries(services.map(({ spec: file, service }) => [file, service]));
}

test("services are named after their file, folder or package, with the version of the path", async () => {
  const files = {
    "orders/v1/openapi.yaml": spec(),
    "orders/v2/openapi.yaml": spec(),
    "billing/v1/openapi.yaml": spec(),
    "services/carts/package.json": '{"name":"@acme/carts-api"}',
    "services/carts/src/main/resources/openapi.json": SWAGGER,
    "docs/returns.openapi.yml": spec(),
    "docs/openapi-2024-05-01.yaml": spec(),
  };
  expect(await namesOf(files)).toEqual({
    "orders/v1/openapi.yaml": "orders-v1",
    "orders/v2/openapi.yaml": "orders-v2",
    "billing/v1/openapi.yaml": "billing-v1",
    "services/carts/src/main/resources/openapi.json": "carts-api",
    "docs/returns.openapi.yml": "returns",
    "docs/openapi-2024-05-01.yaml": expect.stringMatching(/-2024-05-01$/),
  });
});

test.each([
  [
    "the repository's package",
    { "package.json": '{"name":"@acme/shop"}', "openapi.yaml": spec("Title") },
    "shop",
  ],
  ["the title", { "api/openapi.yaml": spec("Orders API") }, "Orders API"],
])("a description at the root is named after %s", async (_, files, name) => {
  expect(Object.values(await namesOf(files))).toEqual([name]);
});

test("names that would be equal get more of their paths, so that all differ", async () => {
  const names = await namesOf({
    "eu/orders/openapi.yaml": spec(),
    "us/orders/openapi.yaml": spec(),
    "x/openapi.yaml": spec("A"),
    "x/swagger.yaml": spec("B"),
    "v1/openapi.yaml": spec("Same"),
    "api/v1/openapi.yaml": spec("Same"),
  });
  expect(names).toMatchObject({
    "eu/orders/openapi.yaml": "eu-orders",
    "us/orders/openapi.yaml": "us-orders",
  });
  const all = Object.values(names);
  expect(all).toHaveLength(6);
  expect(new Set(all.map((name) => name.toLowerCase())).size).toBe(all.length);
});

test("names that are equal in their first 120 characters differ all the same", async () => {
  const folders = ["y", "z"].map((letter) => "x".repeat(100) + letter.repeat(20));
  const files = folders.flatMap((folder) => [`${folder}/openapi.yaml`, `${folder}/swagger.yaml`]);
  const names = await namesOf(Object.fromEntries(files.map((file, index) => [file, spec(`T${index}`)])));
  expect(new Set(Object.values(names)).size).toBe(4);
});

test("a description in JSON beside another one in YAML is a service of its own", async () => {
  const files = { "a.yaml": spec("A"), "a.json": SWAGGER };
  expect(Object.keys(await namesOf(files))).toEqual(["a.json", "a.yaml"]);
});

test("a file of blank lines is read in time that grows with its size", async () => {
  const files = { "blank.yaml": `a: 1${"\n".repeat(200_000)}b: 1\n`, "openapi.yaml": spec("Shop") };
  expect(await namesOf(files)).toEqual({ "openapi.yaml": "Shop" });
});

test("only whole descriptions of the repository's own services are found", async () => {
  const { path: cwd } = await repository({
    "openapi.yaml": spec("Shop"),
    "openapi.json": JSON.stringify(parse(spec("Shop"))),
    "swagger.json": SWAGGER,
    "flow.yaml": "{openapi: 3.0.3, info: {title: Flow, version: '1'}, paths: {/b: {get: {}}}}\n",
    ".gitignore": "/generated/\n*.local.yaml\n!kept.local.yaml\n",
    "generated/openapi.yaml": spec(),
    "a.local.yaml": spec(),
    "kept.local.yaml": spec("Kept"),
    "sub/.gitignore": "!b.local.yaml\nhidden.yaml\n",
    "sub/b.local.yaml": spec("B"),
    "sub/hidden.yaml": spec(),
    "node_modules/x/openapi.yaml": spec(),
    "vendor/x/openapi.yaml": spec(),
    ".hidden/openapi.yaml": spec(),
    "module/.git": "gitdir: ../.git/modules/module\n",
    "module/openapi.yaml": spec(),
    "src/fixtures/openapi.yaml": spec(),
    "parts/schemas.yaml": "components: { schemas: {} }\n",
    "parts/part.yaml": "openapi: 3.1.0\ncomponents: {}\n",
    "parts/empty.yaml": "openapi: 3.1.0\ninfo: { title: E, version: '1' }\npaths: {}\n",
    "old.yaml": "swagger: '1.2'\ninfo: {}\npaths: { /a: {} }\n",
    "broken.yaml": "openapi: 3.1.0\ninfo: [\n",
    "chart/values.yaml": "waymark:\n  openapi: true\n",
    "async.yaml": "asyncapi: 3.0.0\ninfo: { title: A, version: '1' }\n",
    "bare.yaml": "openapi: 3.1.0\n",
    "latin1.yaml": Buffer.from("openapi: 3.1.0\ninfo: { title: Größe }\n", "latin1"),
    "latin1.openapi.yaml": Buffer.from("openapi: 3.1.0\ninfo: { title: Größe }\n", "latin1"),
  });
  const { stdout, stderr } = await runCaptured(["init", "--dry-run", "--ci", "none"], { cwd });
  const found: { services: { spec: string }[] } = parse(stdout);
  expect(found.services.map((each) => each.spec)).toEqual([
    "flow.yaml",
    "kept.local.yaml",
    "openapi.yaml",
    "sub/b.local.yaml",
    "swagger.json",
  ]);
  expect(stderr.split("\n").slice(0, -1)).toEqual([
    "8 descriptions left out:",
    "  bare.yaml: a part of a description, without info",
    expect.stringMatching(/^ {2}broken\.yaml: /),
    expect.stringMatching(/^ {2}latin1\.openapi\.yaml: .*is not a text file in UTF-8/),
    expect.stringMatching(/^ {2}old\.yaml: .*"swagger: 1\.2", which is not supported/),
    "  parts/empty.yaml: without paths",
    "  parts/part.yaml: a part of a description, without info",
    "  src/fixtures/openapi.yaml: in a folder of tests",
    "  openapi.json: the same as openapi.yaml",
  ]);
});

test("what .gitignore excludes in the repository is left out below a folder of it, too", async () => {
  const { path: root } = await repository({
    ".git/HEAD": "ref: refs/heads/main\n",
    ".gitignore": "generated/\n/sub/local.yaml\n*.tmp.yaml\n",
    "sub/.gitignore": "!kept.tmp.yaml\n",
    "sub/shop/openapi.yaml": spec("Shop"),
    "sub/generated/openapi.yaml": spec(),
    "sub/local.yaml": spec(),
    "sub/a.tmp.yaml": spec(),
    "sub/kept.tmp.yaml": spec("Kept"),
    "sub/shop/kept.tmp.yaml": spec("Kept in the shop"),
    "sub/shop/b.tmp.yaml": spec(),
  });
  const foundIn = async (folder: string) => {
    const { stdout } = await runCaptured(["init", "--dry-run", "--ci", "none"], {
      cwd: path.join(root, folder),
    });
    const found: { services: { spec: string }[] } = parse(stdout);
    return found.services.map((each) => each.spec);
  };
  expect(await foundIn("sub")).toEqual(["kept.tmp.yaml", "shop/kept.tmp.yaml", "shop/openapi.yaml"]);
  // Rules of a folder go before those above it.
  expect(await foundIn("sub/shop")).toEqual(["kept.tmp.yaml", "openapi.yaml"]);
});

test("a repository on GitHub gets waymark.yaml and a job without a stored key", async () => {
  const { path: cwd } = await repository({
    "orders/openapi.yaml": spec(),
    "carts/openapi.yaml": spec(),
    ".github/CODEOWNERS": "",
  });
  const url = "https://waymark.example.com/";
  const { exitCode, stdout } = await runCaptured(["init", "--yes", "--api-url", url], { cwd });
  expect(exitCode).toBe(0);
  expect(stdout).toContain(
    "Wrote waymark.yaml and .github/workflows/waymark.yml.\nNext:\n  1. See what a scan sends: waymark scan --dry-run\n",
  );
  const text = await readFile(path.join(cwd, ".github/workflows/waymark.yml"), "utf8");
  const {
    on,
    jobs,
  }: { on: object; jobs: { scan: { permissions: object; env: object; steps: { run?: string }[] } } } =
    parse(text);
  expect(Object.keys(on)).toEqual(["push", "pull_request"]);
  expect(jobs.scan.permissions).toEqual({ "id-token": "write", contents: "read" });
  expect(jobs.scan.env).toEqual({ SERVICE_API_URL: "https://waymark.example.com" });
  expect(jobs.scan.steps.at(-1)?.run).toBe('"$RUNNER_TEMP/waymark/node_modules/.bin/waymark" scan');
  expect(text).not.toMatch(/secrets\.|API_KEY/);
  const dry = await runCaptured(["scan", "--dry-run"], { cwd });
  expect(dry.stdout.match(/^Service: .*$/gm)).toEqual(["Service: carts", "Service: orders"]);
});

test("GitLab gets a file of its own where there is one already, and the line that includes it", async () => {
  const url = ["--api-url", "https://waymark.example.com"];
  const fresh = await repository({ "openapi.yaml": spec() });
  execFileSync("git", ["init", "--quiet"], { cwd: fresh.path });
  execFileSync("git", ["remote", "add", "origin", "git@gitlab.example.com:acme/shop.git"], {
    cwd: fresh.path,
  });
  expect((await runCaptured(["init", "--yes", ...url], { cwd: fresh.path })).exitCode).toBe(0);
  const job: { waymark: { id_tokens: object; script: string[] } } = parse(
    await readFile(path.join(fresh.path, ".gitlab-ci.yml"), "utf8"),
  );
  expect(job.waymark.id_tokens).toEqual({ WAYMARK_ID_TOKEN: { aud: "$SERVICE_API_URL" } });
  expect(job.waymark.script.at(-1)).toBe("/tmp/waymark/node_modules/.bin/waymark scan");
  const used = await repository({ "openapi.yaml": spec(), ".gitlab-ci.yml": "test: { script: [make] }\n" });
  const { stdout } = await runCaptured(["init", "--yes", ...url], { cwd: used.path });
  expect(stdout).toContain("Add to .gitlab-ci.yml: include: { local: .gitlab/waymark.yml }");
  expect(await readFile(path.join(used.path, ".gitlab-ci.yml"), "utf8")).toBe("test: { script: [make] }\n");
});

test("an unknown system gets no job, and is told how", async () => {
  const { path: cwd } = await repository({ "openapi.yaml": spec() });
  const { stdout } = await runCaptured(["init", "--yes"], { cwd });
  expect(stdout).toContain("Wrote waymark.yaml.\n");
  expect(stdout).toContain("docs/workload-identity.md has a job for each system");
});

test("a file that exists is not replaced without being asked, and then nothing is written", async () => {
  const { path: cwd, write } = await repository({
    "openapi.yaml": spec("New"),
    "waymark.yaml": "service: old\n",
  });
  await write(".github/CODEOWNERS", "");
  const refused = await runCaptured(["init", "--yes"], { cwd });
  expect(refused).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("waymark.yaml exists already, so nothing was written."),
  });
  expect(existsSync(path.join(cwd, ".github/workflows"))).toBe(false);
  const answers = "\nn\n";
  const asked = await runCaptured(["init"], { cwd, stdin: answers, asks: true });
  expect(asked).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("waymark.yaml exists. Replace it? [y/N]"),
  });
  expect(await readFile(path.join(cwd, "waymark.yaml"), "utf8")).toBe("service: old\n");
  expect((await runCaptured(["init", "--yes", "--force"], { cwd })).exitCode).toBe(0);
  expect(await readFile(path.join(cwd, "waymark.yaml"), "utf8")).toContain("service: New\n");
});

test("on a terminal it asks for each name until it can be one", async () => {
  const { path: cwd } = await repository({ "a/openapi.yaml": spec(), "b/openapi.yaml": spec() });
  const answers = "Orders\nOrders\nx\u202ey\n\n";
  const { exitCode, stderr } = await runCaptured(["init", "--ci", "none"], {
    cwd,
    stdin: answers,
    asks: true,
  });
  expect(exitCode).toBe(0);
  expect(stderr).toContain("The name is that of a/openapi.yaml.");
  expect(stderr).toContain("The name must not contain control or invisible characters: it has U+202E");
  expect(parse(await readFile(path.join(cwd, "waymark.yaml"), "utf8"))).toEqual({
    services: [
      { service: "Orders", spec: "a/openapi.yaml" },
      { service: "b", spec: "b/openapi.yaml" },
    ],
  });
  const ended = await runCaptured(["init", "--force"], { cwd, stdin: "x\n", asks: true });
  expect(ended).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("Interrupted: nothing was written."),
  });
});

test.each([
  ["no terminal", ["init"], "pass --yes to take the guessed ones, or --dry-run."],
  ["another system", ["init", "--yes", "--ci", "jenkins"], "--ci must be github, gitlab or none."],
  [
    "an address that is none",
    ["init", "--yes", "--api-url", "waymark"],
    '--api-url must be an http:// or https:// address, and is "waymark".',
  ],
  [
    "an address with a password, which would get into the repository",
    ["init", "--yes", "--api-url", "https://user:secret@waymark.example.com"],
    "--api-url must not contain a user name or password",
  ],
  [
    "an address with a query",
    ["init", "--yes", "--api-url", "https://waymark.example.com/?a=b"],
    '--api-url must be a base address, without "?" and "#"',
  ],
])("%s is refused", async (_, args, message) => {
  const { path: cwd } = await repository({ "openapi.yaml": spec() });
  expect(await runCaptured(args, { cwd })).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining(message),
  });
});

test("a repository without a description is told what was left out", async () => {
  const { path: cwd } = await repository({ "test/openapi.yaml": spec() });
  const { exitCode, stderr } = await runCaptured(["init", "--yes"], { cwd });
  expect(exitCode).toBe(2);
  expect(stderr).toContain("There is no OpenAPI description below the working directory.");
  expect(stderr).toContain("test/openapi.yaml: in a folder of tests");
});

test("scan --discover sends what init finds, under the names of waymark.yaml where it has them", async () => {
  const { path: cwd } = await repository({
    "orders/openapi.yaml": spec(),
    "carts/openapi.yaml": spec(),
    "waymark.yaml": "service: Orders of acme\nspec: orders/openapi.yaml\n",
  });
  const server = await startFakeApi();
  const args = ["scan", "--discover", "--api-key", "k", "--api-url", server.url];
  expect((await runCaptured(args, { cwd })).exitCode).toBe(0);
  const sent = server.requests
    .filter(({ url }) => url === "/api/scans/ingest")
    .map(({ body }) => JSON.parse(body).service.name);
  expect(sent).toEqual(["carts", "Orders of acme"]);
  for (const more of [
    ["--spec", "x.yaml"],
    ["--service", "s"],
    ["--service-from", "file"],
  ]) {
    const { exitCode, stderr } = await runCaptured([...args, ...more], { cwd });
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: expect.stringContaining("--discover finds the descriptions"),
    });
  }
});

test("the services of waymark.yaml are scanned one by one, or one of them by its name or file", async () => {
  const { path: cwd, write } = await repository({
    "a.yaml": spec(),
    "b.yaml": spec(),
    "waymark.yaml": "services:\n  - { service: A, spec: a.yaml }\n  - { service: B, spec: b.yaml }\n",
  });
  const scanned = async (...args: string[]) =>
    (await runCaptured(["scan", "--dry-run", ...args], { cwd })).stdout.match(/^Service: .*$/gm);
  expect(await scanned()).toEqual(["Service: A", "Service: B"]);
  expect(await scanned("--service", "B")).toEqual(["Service: B"]);
  for (const file of ["b.yaml", "./b.yaml", path.join(cwd, "b.yaml")])
    expect(await scanned("--spec", file)).toEqual(["Service: B"]);
  expect(await scanned("--spec", "b.yaml", "--service", "C")).toEqual(["Service: C"]);
  await write("waymark.yaml", "spec: a.yaml\nservices: [{ service: A, spec: a.yaml }]\n");
  const both = await runCaptured(["scan", "--dry-run"], { cwd });
  expect(both).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("services stands instead of service, serviceFrom and spec"),
  });
});

import { mkdir, readFile, symlink } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { startFakeApi } from "../test-support/fake-api.ts";
import { answerJson, RUN_ID } from "../test-support/fake-server.ts";
import { runCaptured, temporaryFolder } from "../test-support/run-captured.ts";

function spec(title: string | undefined, paths: Record<string, unknown> = { "/a": { get: {} } }): string {
  const info = title === undefined ? { version: "1" } : { title, version: "1" };
  return JSON.stringify({ openapi: "3.1.0", info, paths });
}

/** A repository with three services, and files that are none of theirs. */
async function monorepo(files: Record<string, string> = {}) {
  const folder = await temporaryFolder();
  const all = {
    "services/orders/openapi.json": spec("Orders API"),
    "services/carts/openapi.json": spec("Carts API", { "/c": { get: {}, post: {} } }),
    "services/deep/er/payments.openapi.json": spec("Payments API"),
    "services/orders/node_modules/x/openapi.json": spec("Not this one"),
    "services/.hidden/openapi.json": spec("Nor this one"),
    "services/readme.md": "no description",
    ...files,
  };
  for (const [name, text] of Object.entries(all)) await folder.write(name, text);
  const server = await startFakeApi();
  const scan = (args: string[], options: Parameters<typeof runCaptured>[1] = {}) =>
    runCaptured(["scan", "--api-key", "k", "--api-url", server.url, ...args], {
      cwd: folder.path,
      ...options,
    });
  const sent = () =>
    server.requests
      .filter(({ url }) => url === "/api/scans/ingest")
      .map(({ body }) => JSON.parse(body).service.name as string);
  return { folder, server, scan, sent };
}

describe("--service-from", () => {
  test("scans every file that matches, each as the service of its title", async () => {
    const { scan, sent, server } = await monorepo();
    const result = await scan(["--spec", "services/*/openapi.json", "--service-from", "title"]);
    const run = (name: string, file: string, endpoints: number) =>
      `${name} (${file})\nScan ingested: ${RUN_ID}\nResult URL: ${server.url}/scan-runs/${RUN_ID}\n` +
      `Endpoints: ${endpoints}; findings: 0\n`;
    expect(result).toEqual({
      exitCode: 0,
      stderr: "",
      stdout:
        run("Carts API", "services/carts/openapi.json", 2) +
        run("Orders API", "services/orders/openapi.json", 1),
    });
    expect(sent()).toEqual(["Carts API", "Orders API"]);
  });

  test("follows links to files and folders, and no circle of them", async () => {
    const { folder, scan, sent } = await monorepo({ "store/payments/openapi.json": spec("Payments API") });
    const link = async (name: string, target: string) => {
      const file = path.join(folder.path, name);
      await mkdir(path.dirname(file), { recursive: true });
      await symlink(target, file);
    };
    await link("services/bazel/openapi.json", "../../store/payments/openapi.json");
    await link("services/linked", "../store/payments");
    await link("services/linked-twice", "linked");
    await link("store/payments/up", "../../services");
    await link("services/orders/here", ".");
    expect(await scan(["--spec", "services/*/openapi.json", "--service-from", "file"])).toMatchObject({
      exitCode: 0,
    });
    expect(sent()).toEqual(["bazel", "carts", "linked-twice", "linked", "orders"]);
    const below = ["--spec", "services/{linked,orders}/**/*.json", "--service-from", "file"];
    expect(await scan(below)).toMatchObject({ exitCode: 0 });
    expect(sent().slice(5)).toEqual(["linked", "orders"]);
  });

  test("reads a link that leads nowhere, and so tells it", async () => {
    const { folder, scan, sent } = await monorepo();
    await symlink("../gone.json", path.join(folder.path, "services/orders/dangling.json"));
    expect(await scan(["--spec", "services/orders/*.json", "--service-from", "file"])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("services/orders/dangling.json: there is no such file"),
    });
    expect(sent()).toEqual([]);
  });

  test.each([
    ["services/*/openapi.json", ["carts", "orders"]],
    ["services/**/*openapi.json", ["carts", "payments", "orders"]],
    ["./services/{orders,nothing}/openapi.json", ["orders"]],
    ["services/order?/openapi.json", ["orders"]],
    ["services/orders/openapi.json", ["orders"]],
  ])("names the service after the file or its folder: %s", async (pattern, services) => {
    const { scan, sent } = await monorepo();
    expect(await scan(["--spec", pattern, "--service-from", "file"])).toMatchObject({ exitCode: 0 });
    expect(sent()).toEqual(services);
  });

  test("prints an object for each service with --json, in lines of their own", async () => {
    const { scan } = await monorepo();
    const args = ["--spec", "services/*/openapi.json", "--service-from", "file", "--json"];
    for (const more of [[], ["--dry-run"]]) {
      const { stdout } = await scan([...args, ...more]);
      const objects = stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line));
      expect(objects).toMatchObject([
        { service: "carts", spec: "services/carts/openapi.json", exitCode: 0 },
        { service: "orders", spec: "services/orders/openapi.json", exitCode: 0 },
      ]);
    }
  });

  test("sends nothing if a description is wrong, and names every wrong one", async () => {
    const { scan, sent } = await monorepo({
      "services/bad/openapi.json": "{}",
      "services/worse/openapi.json": "[",
    });
    const result = await scan(["--spec", "services/*/openapi.json", "--service-from", "file"]);
    expect(result).toMatchObject({ exitCode: 2, stdout: "" });
    expect(result.stderr).toMatch(/^2 of 4 descriptions can't be scanned, so nothing was sent:\n/);
    expect(result.stderr).toMatch(/^ {2}services\/bad\/openapi\.json: /m);
    expect(result.stderr).toMatch(/^ {2}services\/worse\/openapi\.json: /m);
    expect(sent()).toEqual([]);
  });

  test("refuses two descriptions of one service, and a description without a title", async () => {
    const { scan, sent } = await monorepo({ "services/copy/openapi.json": spec("Orders API") });
    const same = await scan(["--spec", "services/*/openapi.json", "--service-from", "title"]);
    expect(same.exitCode).toBe(2);
    expect(same.stderr).toContain("  Orders API: services/copy/openapi.json, services/orders/openapi.json\n");
    const untitled = await monorepo({ "services/none/openapi.json": spec(undefined) });
    const refused = await untitled.scan(["--spec", "services/*/openapi.json", "--service-from", "title"]);
    expect(refused.stderr).toContain("services/none/openapi.json has no info.title to name its service by");
    expect([...sent(), ...untitled.sent()]).toEqual([]);
  });

  test("goes on after a scan that fails, and ends with the highest exit code", async () => {
    const { folder } = await monorepo();
    const server = await startFakeApi({
      intercept: (request, response) => {
        if (request.url !== "/api/scans/ingest" || JSON.parse(request.body).service.name !== "carts")
          return false;
        answerJson(response, 403, { error: { code: "forbidden", message: "Not this service." } });
        return true;
      },
    });
    const args = ["scan", "--spec", "services/*/openapi.json", "--service-from", "file", "--json"];
    const at = ["--api-key", "k", "--api-url", server.url];
    const result = await runCaptured([...args, ...at], { cwd: folder.path });
    expect(result.exitCode).toBe(3);
    expect(result.stderr).toMatch(
      /^services\/carts\/openapi\.json: scan ingestion failed: HTTP 403 forbidden/,
    );
    const [carts, orders] = result.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(carts).toMatchObject({ service: "carts", exitCode: 3, error: { message: expect.any(String) } });
    expect(orders).toMatchObject({ service: "orders", exitCode: 0, scanRunId: RUN_ID });
  });

  test("waits once for a server that is down, and keeps every scan", async () => {
    const { folder } = await monorepo();
    const server = await startFakeApi({
      intercept: (_request, response) => {
        answerJson(response, 503, { error: { code: "unavailable", message: "Later." } });
        return true;
      },
    });
    const args = ["scan", "--spec", "services/*/openapi.json", "--service-from", "file", "--spool", "spool"];
    const at = ["--api-key", "k", "--api-url", server.url];
    const result = await runCaptured([...args, ...at], { cwd: folder.path, times: { attemptsMax: 3 } });
    expect(result.exitCode).toBe(4);
    expect(result.stderr.match(/The scan is kept in /g)).toHaveLength(2);
    expect(server.requests.filter(({ url }) => url === "/api/scans/ingest")).toHaveLength(4);
  });

  test("writes one report of all findings, the most severe first", async () => {
    const { scan, folder } = await monorepo({
      "services/bad/openapi.json": spec("B", { "/b/{id}": { get: {} } }),
    });
    await scan([
      "--spec",
      "services/*/openapi.json",
      "--service-from",
      "file",
      "--lint",
      "--report-sarif",
      "all.sarif",
    ]);
    const { runs } = JSON.parse(await readFile(path.join(folder.path, "all.sarif"), "utf8"));
    const results: {
      level: string;
      locations: { physicalLocation: { artifactLocation: { uri: string } } }[];
    }[] = runs[0].results;
    const files = results.map((each) => each.locations[0]?.physicalLocation.artifactLocation.uri);
    expect(new Set(files)).toEqual(
      new Set(["services/bad/openapi.json", "services/carts/openapi.json", "services/orders/openapi.json"]),
    );
    const levels = results.map(({ level }) => ["error", "warning", "note"].indexOf(level));
    expect(levels).toEqual(levels.toSorted((a, b) => a - b));
  });

  test("sets the outputs of the step: a list of the scans that are stored", async () => {
    const { scan, folder, server } = await monorepo();
    const output = path.join(folder.path, "output");
    const args = ["--spec", "services/*/openapi.json", "--service-from", "file"];
    await scan(args, { env: { GITHUB_ACTIONS: "true", GITHUB_OUTPUT: output } });
    const lines = (await readFile(output, "utf8")).trimEnd().split("\n");
    const stored = (service: string, endpointCount: number) => ({
      service,
      spec: `services/${service}/openapi.json`,
      scanRunId: RUN_ID,
      resultUrl: `${server.url}/scan-runs/${RUN_ID}`,
      endpointCount,
      findingCount: 0,
    });
    // Set after each scan, so that a job that is cancelled has those before. The last value counts.
    expect(lines.map((line) => line.slice(0, line.indexOf("=")))).toEqual(["scans", "scans"]);
    expect(JSON.parse(lines[1]?.slice("scans=".length) ?? "")).toEqual([
      stored("carts", 2),
      stored("orders", 1),
    ]);
  });

  test("can stand in waymark.yaml, over which --service takes precedence", async () => {
    const { scan, sent } = await monorepo({
      "waymark.yaml": "service: unused\nserviceFrom: file\nspec: services/*/openapi.json\n",
    });
    await scan([]);
    await scan(["--service", "one", "--spec", "services/orders/openapi.json"]);
    expect(sent()).toEqual(["carts", "orders", "one"]);
  });

  test.each([
    [
      ["--spec", "services/*/openapi.json", "--service", "s"],
      "pass --service-from title or --service-from file",
    ],
    [["--spec", "a.json", "--service", "s", "--service-from", "file"], "pass only one of them"],
    [["--spec", "a.json", "--service-from", "folder"], "--service-from must be title or file."],
    [
      ["--spec", "services/*/none.json", "--service-from", "file"],
      "No file matches --spec services/*/none.json.",
    ],
    [["--spec", "nowhere/*.json", "--service-from", "file"], "there is no such"],
    [["--spec", "-", "--service-from", "file"], "Standard input has no file to name its service by"],
    [["--spec", "services/a.json", "services/b.json"], "Put a pattern in quotes"],
  ])("%j is refused with what to do", async (args, message) => {
    const { scan, sent } = await monorepo();
    const result = await scan(args, { stdin: spec("T") });
    expect(result).toMatchObject({ exitCode: 2, stdout: "", stderr: expect.stringContaining(message) });
    expect(sent()).toEqual([]);
  });
});

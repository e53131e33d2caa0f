import { spawnSync } from "node:child_process";
import path from "node:path";
import { beforeAll, expect, it } from "vitest";
import { temporaryFolder } from "./test-support/run-captured.ts";

const BIN = path.resolve(import.meta.dirname, "../bin/waymark.mjs");
/** The file that `BIN` loads in the published package. In a checkout, `BIN` also checks whether it is up to date. */
const MAIN = path.resolve(import.meta.dirname, "../dist/main.mjs");
const HOOK = `process.on("exit", () => process.stderr.write("loaded: " + process.moduleLoadList.join(",")));`;

/** The built-in modules that the command loads, without standard input, as in a pipeline. */
function loadedBy(cwd: string, args: readonly string[]): string[] {
  const hook = `data:text/javascript,${encodeURIComponent(HOOK)}`;
  const { stderr } = spawnSync(process.execPath, ["--import", hook, MAIN, ...args], {
    cwd,
    stdio: ["ignore", "pipe", "pipe"],
    encoding: "utf8",
  });
  return stderr.slice(stderr.indexOf("loaded: ")).split(",");
}

async function folderWithJourney() {
  const folder = await temporaryFolder();
  const description = {
    openapi: "3.1.0",
    info: { title: "t", version: "1" },
    paths: { "/a": { get: { operationId: "getA", responses: { 200: { description: "ok" } } } } },
  };
  await folder.write("openapi.json", JSON.stringify(description));
  await folder.write(
    "t.journey.yaml",
    `arazzo: 1.1.0
info: { title: T, version: 1.0.0 }
sourceDescriptions: [{ name: api, url: openapi.json, type: openapi }]
workflows: [{ workflowId: main, steps: [{ stepId: a, operationId: getA, successCriteria: [{ condition: $statusCode == 200 }] }] }]
`,
  );
  return folder;
}

beforeAll(() => {
  spawnSync(process.execPath, [BIN, "help"], { stdio: "ignore" });
});

// TLS takes 30 ms of a start, and whatever talks to Waymark's api brings its models: as much again.
it.each([
  ["scan --dry-run", ["scan", "--dry-run", "--service", "s", "--spec", "openapi.json"]],
  ["journey lint", ["journey", "lint", "t.journey.yaml"]],
  ["journey run", ["journey", "run", "t.journey.yaml", "--server", "api=http://127.0.0.1:9"]],
])("%s doesn't load TLS", async (_, args) => {
  const folder = await folderWithJourney();
  const loaded = loadedBy(folder.path, args);
  expect(loaded).toContain("NativeModule path");
  expect(loaded.filter((name) => /NativeModule _?tls|NativeModule https/.test(name))).toEqual([]);
});

// The code that opens standard input takes 5 ms of a start, and compression takes as much.
it("a dry run of a small JSON file loads nothing for standard input, compression or the network", async () => {
  const folder = await folderWithJourney();
  const loaded = loadedBy(folder.path, ["scan", "--dry-run", "--service", "s", "--spec", "openapi.json"]);
  expect(loaded).toContain("NativeModule crypto");
  const unneeded = /NativeModule (fs\/promises|internal\/fs\/streams|readline|zlib|http|tls|dns)$/;
  expect(loaded.filter((name) => unneeded.test(name))).toEqual([]);
});

import { expect, test } from "vitest";
import { runCaptured, temporaryFolder } from "../../test-support/run-captured.ts";

type Status = "proven" | "failed" | "notRun" | "unproven";

/** The parts of a result that are added up. */
function result(
  statuses: Record<string, Status>,
  called: Record<string, [calls: number, asserted: boolean]>,
) {
  return {
    schema: "journey-result/1",
    status: Object.values(statuses).includes("failed") ? "failed" : "passed",
    journey: { id: "shop", title: "Shop" },
    acceptance: Object.entries(statuses).map(([id, status]) => ({
      id,
      text: `What ${id} says`,
      severity: id.startsWith("M") ? "must" : "could",
      status,
      by: [],
    })),
    coverage: {
      operations: Object.entries(called).map(([path, [calls, asserted]]) => ({
        source: "shop",
        method: "GET",
        path,
        calls,
        statuses: calls > 0 ? [200] : [],
        asserted,
      })),
      notInInventory: [{ method: "POST", url: "https://mail.example/send", calls: 2 }],
    },
  };
}

async function cover(args: readonly string[], results: Record<string, unknown>) {
  const folder = await temporaryFolder();
  for (const [name, content] of Object.entries(results)) {
    await folder.write(name, typeof content === "string" ? content : JSON.stringify(content));
  }
  return runCaptured(
    ["journey", "coverage", ...Object.keys(results).filter((name) => name.endsWith(".json")), ...args],
    {
      cwd: folder.path,
    },
  );
}

const FIRST = result({ M1: "proven", M2: "notRun", C1: "proven" }, { "/a": [1, true], "/b": [0, false] });
const SECOND = result({ M1: "proven", M2: "proven", C1: "failed" }, { "/a": [2, false], "/b": [1, false] });

test("a criterion is proven if a run proves it and none fails it; calls are added up", async () => {
  const ended = await cover(["--json"], { "one.json": FIRST, "two.json": [SECOND] });
  expect(ended).toMatchObject({ exitCode: 0, stderr: "" });
  expect(JSON.parse(ended.stdout)).toMatchObject({
    runs: { total: 2, passed: 1 },
    acceptance: [
      { id: "M1", status: "proven" },
      { id: "M2", status: "proven" },
      { id: "C1", status: "failed" },
    ],
    operations: [
      { path: "/a", calls: 3, asserted: true, statuses: [200] },
      { path: "/b", calls: 1, asserted: false },
    ],
    notInInventory: [{ url: "https://mail.example/send", calls: 4 }],
    shares: {
      acceptance: { covered: 2, total: 3 },
      must: { covered: 2, total: 2 },
      asserted: { covered: 1, total: 2 },
    },
  });
});

test("missing items are named, with --openapi also operations that no journey calls", async () => {
  const openapi =
    "openapi: 3.1.0\ninfo: { title: S, version: 1.0.0 }\npaths: { /a: { get: {} }, /c: { put: { operationId: putC } } }\n";
  const { stdout } = await cover(["--openapi", "shop=shop.yaml"], {
    "one.json": FIRST,
    "shop.yaml": openapi,
  });
  expect(stdout.split("\n")).toEqual([
    "Runs: 1 of 1 passed",
    "Acceptance criteria proven: 2 of 3 (66 %); must: 1 of 2 (50 %)",
    "  not run  shop M2 (must): What M2 says",
    "Operations called: 1 of 3 (33 %); asserted: 1 of 3 (33 %)",
    "  not called  shop GET /b",
    "  not called  shop PUT /c",
    "  outside every source  POST https://mail.example/send (2)",
    "",
  ]);
});

test.each([
  [["--min", "50"], 0, ""],
  [["--min", "60"], 1, "Gate operations failed: 1 of 2, at least 60 % are required.\n"],
  [["--min", "must=51"], 1, "Gate must failed: 1 of 2, at least 51 % are required.\n"],
  [["--min", "must=50", "--min", "acceptance=66.6", "--min", "asserted=50"], 0, ""],
])("%j exits with %i", async (args, exitCode, stderr) => {
  expect(await cover(args, { "one.json": FIRST })).toMatchObject({ exitCode, stderr });
});

test.each([
  [["--min", "101"], FIRST, "--min takes a percentage"],
  [["--min", "mist=10"], FIRST, "--min takes a percentage"],
  [[], "{", "one.json is not valid JSON"],
  [[], { schema: "journey-result/2" }, "one.json is no result of a journey (0.schema"],
  [["--openapi", "a=gone.yaml"], FIRST, "Can't read gone.yaml"],
])("%j with a wrong file or gate is refused", async (args, content, message) => {
  expect(await cover(args, { "one.json": content })).toMatchObject({
    exitCode: 2,
    stdout: "",
    stderr: expect.stringContaining(message),
  });
});

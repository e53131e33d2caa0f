import type { JourneyCoverage } from "@waymark/shared/journey-coverage/schema.ts";
import { expect, test } from "vitest";
import { answerJson, RUN_ID, startFakeServer } from "../../test-support/fake-server.ts";
import { runCaptured } from "../../test-support/run-captured.ts";

const criterion = (
  id: string,
  state: "proven" | "stale" | "failed",
): JourneyCoverage["criteria"][number] => ({
  journeyId: RUN_ID,
  journeyPath: "shop.journey.yaml",
  id,
  text: `What ${id} says`,
  severity: "must",
  state,
  provenBy: ["a#ok"],
  verdict: null,
});

const operation = (
  path: string,
  state: JourneyCoverage["operations"][number]["state"],
  serviceName: string | null = "shop",
): JourneyCoverage["operations"][number] => ({
  serviceId: serviceName === null ? null : RUN_ID,
  serviceName,
  sourcePath: "shop.openapi.yaml",
  method: "GET",
  path,
  operationId: null,
  state,
  calls: 1,
  statuses: [200],
  calledAt: null,
  assertedAt: null,
  journeyCount: 1,
  journeys: [],
});

const COVERAGE: JourneyCoverage = {
  windowDays: 30,
  since: "2026-01-01T00:00:00Z",
  shares: {
    acceptance: { covered: 1, total: 3 },
    must: { covered: 1, total: 3 },
    operations: { covered: 2, total: 3 },
    asserted: { covered: 1, total: 3 },
  },
  criteriaByState: { proven: 1, failed: 1, stale: 1, notRun: 0, unproven: 0 },
  notInInventoryCount: 1,
  criteria: [criterion("AC-1", "stale")],
  operations: [operation("/a", "uncalled"), operation("/b", "called")],
};

async function cover(args: string[]) {
  const server = await startFakeServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url, "http://x");
    if (pathname === "/api/services")
      return answerJson(response, 200, { services: [{ id: RUN_ID, name: "shop" }] });
    if (pathname === "/api/environments")
      return answerJson(response, 200, { environments: [{ id: RUN_ID, name: "test" }] });
    const first = { ...COVERAGE, criteriaCursor: "c", operationsCursor: "o" };
    if (searchParams.has("criteriaCursor"))
      return answerJson(response, 200, {
        ...first,
        criteria: [criterion("AC-2", "failed")],
        criteriaCursor: undefined,
      });
    if (searchParams.has("operationsCursor"))
      return answerJson(response, 200, {
        ...first,
        operations: [operation("/c", "notInInventory", null)],
        operationsCursor: undefined,
      });
    answerJson(response, 200, first);
  });
  const result = await runCaptured(["journey", "coverage", "--cloud", ...args], {
    env: { SERVICE_API_KEY: "k", SERVICE_API_URL: server.url },
  });
  return { ...result, urls: server.requests.map(({ url }) => url) };
}

test("the coverage on the server names every gap of all pages", async () => {
  const { exitCode, stdout, stderr, urls } = await cover([]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(stdout.split("\n")).toEqual([
    "Runs of the newest versions in the last 30 days",
    "Acceptance criteria proven: 1 of 3 (33 %); must: 1 of 3 (33 %)",
    "  stale  shop.journey.yaml AC-1 (must): What AC-1 says",
    "  failed  shop.journey.yaml AC-2 (must): What AC-2 says",
    "Operations called: 2 of 3 (66 %); asserted: 1 of 3 (33 %)",
    "  not called  shop GET /a",
    "  not asserted  shop GET /b",
    "  not in the inventory  shop.openapi.yaml GET /c",
    "",
  ]);
  expect(urls).toHaveLength(3);
});

test("filters are sent to the server, as ids", async () => {
  const { urls } = await cover(
    "--env test --service shop --origin cloud --window 7 --severity must".split(" "),
  );
  expect(Object.fromEntries(new URL(urls.at(-3) ?? "", "http://x").searchParams)).toEqual({
    window: "7",
    origin: "cloud",
    severity: "must",
    environmentId: RUN_ID,
    serviceId: RUN_ID,
    gaps: "true",
    limit: "2000",
  });
});

test("--json has everything, and the gates apply to the server's figures", async () => {
  const { exitCode, stdout, stderr, urls } = await cover([
    "--json",
    "--min",
    "must=34",
    "--min",
    "operations=66",
  ]);
  expect({ exitCode, stderr }).toEqual({
    exitCode: 1,
    stderr: "Gate must failed: 1 of 3, at least 34 % are required.\n",
  });
  expect(JSON.parse(stdout)).toMatchObject({
    shares: COVERAGE.shares,
    criteria: [{ id: "AC-1" }, { id: "AC-2" }],
    operations: [{ path: "/a" }, { path: "/b" }, { path: "/c" }],
  });
  expect(urls.every((url) => !url.includes("gaps"))).toBe(true);
});

test.each([
  [["--window", "0"], "--window must be"],
  [["--window", "401"], "--window must be"],
  [["--origin", "elsewhere"], "--origin must be one of cloud, uploaded"],
  [["--env", "none"], "There is no environment none."],
  [["--service", "none"], "There is no service none."],
  [["--min", "x=1"], "--min takes a percentage"],
  [["results.json"], "it takes no files"],
  [["--openapi", "a=b.yaml"], "it takes no files and no --openapi"],
])("%j is refused", async (args, message) => {
  expect(await cover(args)).toMatchObject({
    exitCode: 2,
    stdout: "",
    stderr: expect.stringContaining(message),
  });
});

test.each([
  [["--origin", "cloud", "r.json"], "need --cloud"],
  [[], "Name files with results, or pass --cloud"],
])("without --cloud, %j is refused", async (args, message) => {
  const ended = await runCaptured(["journey", "coverage", ...args]);
  expect(ended).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(message) });
});

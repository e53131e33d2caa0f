import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Artifact } from "@waymark/journeys/compile/artifact-model.ts";
import { artifactOf } from "./support/build.ts";
import { NOTES as example } from "./support/examples.ts";
import { startRecordsServer } from "./support/records-server.ts";
import type { Fault, RecordsServer } from "./support/records-server.ts";
import { run, statuses } from "./support/run.ts";

const TOKEN = "s3cret/tok+en";

/** The first request of each kind is refused without effect. */
function refuseOnce(method: string, item: boolean): Fault {
  let done = false;
  return (request) => {
    if (done || request.method !== method || (request.path.split("/").length === 3) !== item)
      return undefined;
    done = true;
    return { status: 500, body: { error: "on purpose" } };
  };
}

describe("the worked example", () => {
  const { steps } = example;
  let server: RecordsServer;
  let base: Artifact;
  let variant: Artifact;

  beforeAll(async () => {
    const { collection, versionField } = example;
    server = await startRecordsServer({ collection, versionField, token: TOKEN });
    const file = join(example.folder, example.journey);
    base = await artifactOf({ file });
    variant = await artifactOf({ file, overlays: [join(example.folder, example.overlay)] });
  });
  afterAll(() => server[Symbol.asyncDispose]());
  beforeEach(() => {
    server.rows.clear();
    server.requests.length = 0;
    server.fault = undefined;
  });

  const runIt = (artifact: Artifact) =>
    run(artifact, { servers: { [example.source]: server.url }, secret: TOKEN });

  test("proves 2 of 3 acceptance criteria without the overlay and 3 of 3 with it", async () => {
    const plain = await runIt(base);
    const extended = await runIt(variant);
    expect(plain.status).toBe("passed");
    expect(plain.acceptance.map(({ status }) => status)).toEqual(["proven", "proven", "unproven"]);
    expect(extended.status).toBe("passed");
    expect(extended.acceptance.map(({ status }) => status)).toEqual(["proven", "proven", "proven"]);
    expect(extended.journey.overlays).toHaveLength(1);
    expect(extended.teardown.status).toBe("passed");
    expect(server.rows.size).toBe(0);
  });

  test("sends the secret to the server and covers every operation", async () => {
    const result = await runIt(variant);
    expect(new Set(server.requests.map(({ authorization }) => authorization))).toEqual(
      new Set([`Bearer ${TOKEN}`]),
    );
    expect(result.coverage.operations.every(({ calls, asserted }) => calls > 0 && asserted)).toBe(true);
    const broken = result.steps.flatMap(({ contract }) =>
      contract.filter(({ status }) => status === "failed"),
    );
    expect(broken).toEqual([]);
  });

  test.each([
    ["create", refuseOnce("POST", false)],
    ["read", refuseOnce("GET", true)],
    ["update", refuseOnce("PUT", true)],
    ["list", refuseOnce("GET", false)],
    ["remove", refuseOnce("DELETE", true)],
  ] as const)("a failure of %s leaves no record behind", async (name, fault) => {
    server.fault = fault;
    const result = await runIt(base);
    expect(result.status).toBe("failed");
    expect(statuses(result)[steps[name]]).toBe("failed");
    expect(result.teardown.status).toBe("passed");
    expect(server.rows.size).toBe(0);
    expect(server.requests.filter(({ method }) => method === "DELETE").length).toBeLessThanOrEqual(2);
  });

  test("a record created by a step whose assertion failed is removed as well", async () => {
    const result = await run(base, {
      servers: { [example.source]: server.url },
      secret: TOKEN,
      deps: {
        transport: async (request) => {
          const { nodeTransport } = await import("./support/node-transport.ts");
          const response = await nodeTransport(request);
          return request.method === "POST" ? { ...response, status: 200 } : response;
        },
      },
    });
    expect(statuses(result)[steps.create]).toBe("failed");
    expect(statuses(result, "teardown")).toEqual({ [steps.remove]: "passed" });
    expect(server.rows.size).toBe(0);
  });

  test("a busy server is retried, and the attempts are reported", async () => {
    let refused = 0;
    server.fault = ({ method }) =>
      method === "PUT" && refused++ < 2 ? { status: 503, headers: { "retry-after": "0" } } : undefined;
    const result = await runIt(base);
    expect(result.status).toBe("passed");
    const update = result.steps.find(({ id }) => id === steps.update);
    expect(update?.attempts).toMatchObject([
      { n: 1, outcome: "retry", because: "busy" },
      { n: 2, outcome: "retry", because: "busy" },
      { n: 3, outcome: "passed" },
    ]);
  });

  test("a failed assertion has actual, expected and its line, and the rest is skipped with a reason", async () => {
    server.fault = ({ method, body }) =>
      method === "PUT" ? { status: 200, body: { ...body, id: "r1", [example.versionField]: 1 } } : undefined;
    const result = await runIt(base);
    const update = result.steps.find(({ id }) => id === steps.update);
    expect(update?.assertions.find(({ id }) => id === example.versionAssertion)).toMatchObject({
      status: "failed",
      actual: 1,
      expected: "> 1",
      source: { file: example.journey, line: expect.any(Number), from: "base" },
    });
    expect(result.acceptance[1]?.status).toBe("failed");
    expect(result.steps.find(({ id }) => id === steps.list)).toMatchObject({
      status: "skipped",
      reason: `Step "${steps.update}" failed.`,
    });
  });

  test("an assertion from an overlay says so", async () => {
    server.fault = ({ method, path }) =>
      method === "DELETE" ? { status: 204 } : path === "" ? undefined : undefined;
    const result = await runIt(variant);
    const gone = result.steps.find(({ id }) => id === steps.gone);
    expect(gone?.assertions[0]).toMatchObject({
      status: "failed",
      actual: 200,
      expected: 404,
      source: { file: example.overlay },
    });
    expect(gone?.assertions[0]?.source.from).not.toBe("base");
  });
});

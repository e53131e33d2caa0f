import { describe, expect, it } from "vitest";
import { type BoundSource, coverOperations, type SourceCalls } from "./cover-operations.ts";

const calls = (
  sourceDocumentId: string,
  method: string,
  path: string,
  more: Partial<SourceCalls> = {},
): SourceCalls => ({
  sourceDocumentId,
  sourcePath: `${sourceDocumentId}.yaml`,
  method,
  path,
  pathKey: path.replaceAll(/\{[^}]*\}/g, "{}"),
  operationId: null,
  calls: 1,
  statuses: [200],
  calledAt: "2026-01-02T00:00:00.000Z",
  assertedAt: "2026-01-02T00:00:00.000Z",
  journeys: [{ id: "j1", path: "a.journey.yaml" }],
  ...more,
});

const service = (id: string, ...endpoints: string[]) => ({
  id,
  name: id,
  endpoints: endpoints.map((text) => {
    const [method = "", path = ""] = text.split(" ");
    return { method, path, operationId: null };
  }),
});

const bound = (documentId: string, serviceId: string, pathPrefix = ""): BoundSource => ({
  documentId,
  serviceId,
  pathPrefix,
});

const states = (...args: Parameters<typeof coverOperations>) =>
  coverOperations(...args).map(
    ({ serviceId, method, path, state }) => `${serviceId} ${method} ${path} ${state}`,
  );

describe("an operation is matched", () => {
  it("by method and path, whatever its parameters are called", () => {
    expect(
      states(
        [service("s", "GET /a/{id}", "POST /a/{id}", "GET /a/{id}/b/{other}")],
        [bound("d", "s")],
        [calls("d", "GET", "/a/{key}"), calls("d", "GET", "/a/{x}/b/{y}", { assertedAt: null })],
      ),
    ).toEqual(["s GET /a/{id} asserted", "s POST /a/{id} uncalled", "s GET /a/{id}/b/{other} called"]);
  });

  it("behind the base path of its binding, and never by an equal beginning", () => {
    expect(
      states(
        [service("s", "GET /v1/a", "GET /v10/a", "GET /a", "GET /v1/a/b", "GET /v1")],
        [bound("d", "s", "/v1")],
        [calls("d", "GET", "/a")],
      ),
    ).toEqual([
      "s GET /v1/a asserted",
      "s GET /v10/a uncalled",
      "s GET /a uncalled",
      "s GET /v1/a/b uncalled",
      "s GET /v1 uncalled",
    ]);
  });

  it("in the service of its description, where two have equal paths", () => {
    expect(
      states(
        [service("s", "GET /a"), service("t", "GET /a")],
        [bound("d", "s"), bound("e", "t")],
        [calls("e", "GET", "/a")],
      ),
    ).toEqual(["s GET /a uncalled", "t GET /a asserted"]);
  });

  it("not at all, where the scan lacks it or its description has no service", () => {
    expect(
      states([service("s", "GET /a")], [bound("d", "s")], [calls("d", "PUT", "/a"), calls("e", "GET", "/a")]),
    ).toEqual(["s GET /a uncalled", "s PUT /a notInInventory", "null GET /a notInInventory"]);
  });
});

it("adds up the calls of several descriptions of one service", () => {
  const [covered] = coverOperations(
    [service("s", "GET /a")],
    [bound("d", "s"), bound("e", "s")],
    [
      calls("d", "GET", "/a", { calls: 2, statuses: [404, 200], assertedAt: null }),
      calls("e", "GET", "/a", {
        statuses: [200, 500],
        calledAt: "2026-01-03T00:00:00.000Z",
        journeys: [
          { id: "j2", path: "b.journey.yaml" },
          { id: "j1", path: "a.journey.yaml" },
        ],
      }),
    ],
  );
  expect(covered).toEqual({
    serviceId: "s",
    serviceName: "s",
    sourcePath: "d.yaml",
    method: "GET",
    path: "/a",
    operationId: null,
    state: "asserted",
    calls: 3,
    statuses: [200, 404, 500],
    calledAt: "2026-01-03T00:00:00.000Z",
    assertedAt: "2026-01-02T00:00:00.000Z",
    journeyCount: 2,
    journeys: [
      { id: "j1", path: "a.journey.yaml" },
      { id: "j2", path: "b.journey.yaml" },
    ],
  });
});

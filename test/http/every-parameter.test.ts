import { JWT_TOKEN_TYPE, TOKEN_EXCHANGE_GRANT } from "@waymark/shared/api-keys/trust-policies/schema.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { errorOf } from "@waymark/test-support/api-keys.ts";
import {
  type Operation,
  operationsOf,
  type Parameter,
  readOpenApi,
} from "@waymark/test-support/described-operations.ts";
import { ROUTE_CASES, type RouteRequest } from "@waymark/test-support/key-suite/route-cases.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { ingest, waitForRun } from "@waymark/test-support/scans.ts";
import { createWorld, type KeySuiteWorld } from "@waymark/test-support/key-suite/world.ts";

const EMOJI = "\u{1f600}";
/** Values that no parameter has: NUL, half a surrogate pair in UTF-8, and an incomplete escape. */
const UNSTORABLE = ["%00", "a%00b", "%ED%A0%80", "%"];
const NOBODY = "11111111-1111-1111-1111-111111111111";
/** Bodies that match the schemas of operations that need no key. */
const PUBLIC_BODIES: Readonly<Record<string, unknown>> = {
  createSession: { apiKey: "x" },
  acceptInvitation: { token: "x", displayName: "x" },
  openJourneyRunLink: { token: "x" },
  beginSignIn: { identityProviderId: NOBODY },
  completeSignIn: { identityProviderId: NOBODY, query: "" },
  logOutByProvider: { logout_token: "x" },
  exchangeToken: {
    grant_type: TOKEN_EXCHANGE_GRANT,
    subject_token: "x",
    subject_token_type: JWT_TOKEN_TYPE,
  },
};
const NOT_WHOLE_NUMBERS = [
  "0x1",
  "1e1",
  "%2B1",
  "%201",
  "1.0",
  "01",
  "",
  "1n",
  "9".repeat(20),
  "-0",
  "Infinity",
];

let world: KeySuiteWorld;
let operations: Operation[];
beforeAll(async () => {
  world = await createWorld();
  operations = operationsOf(await readOpenApi(world.stack));
});
afterAll(() => world[Symbol.asyncDispose]());

async function requestOf({ operationId, method, path }: Operation): Promise<RouteRequest> {
  const route = ROUTE_CASES[operationId];
  if (route !== undefined) return route.request(world);
  return {
    method: method as "POST",
    path: path.replaceAll(/\{\w+\}/g, NOBODY),
    body: PUBLIC_BODIES[operationId],
  };
}

function send({ method, path, ...options }: RouteRequest) {
  return world.stack.http.request(method, path, options);
}

/** The request with one more query field, which replaces the one with this name. `value` is percent-encoded. */
function withQuery(request: RouteRequest, name: string, value: string): RouteRequest {
  const [path = "", query = ""] = request.path.split("?");
  const others = query.split("&").filter((field) => field !== "" && !field.startsWith(`${name}=`));
  return { ...request, path: `${path}?${[...others, `${name}=${value}`].join("&")}` };
}

/** Every parameter of this kind, with its operation. */
function parametersIn(place: "query" | "path"): { operation: Operation; parameter: Parameter }[] {
  return operations.flatMap((operation) =>
    operation.parameters.flatMap((parameter) => (parameter.in === place ? { operation, parameter } : [])),
  );
}

/** Pairs each target with `count` of the values, by turns: every target has some, and every value is sent many times. */
function byTurns<Target>(targets: readonly Target[], values: readonly string[], count = 1) {
  return targets.flatMap((target, index) =>
    Array.from({ length: count }, (_, turn) => ({
      ...target,
      value: values[(index * count + turn) % values.length] ?? "",
    })),
  );
}

/** Sends each value, and returns the statuses other than the expected ones, with the parameters. */
async function unexpected(
  tries: Iterable<{ operation: Operation; name: string; value: string }>,
  isExpected: (status: number) => boolean,
): Promise<string[]> {
  const found: string[] = [];
  for (const { operation, name, value } of tries) {
    const { status } = await send(withQuery(await requestOf(operation), name, value));
    if (!isExpected(status)) found.push(`${operation.operationId} ${name}=${value.slice(0, 40)}: ${status}`);
  }
  return found;
}

describe("every operation", () => {
  it("refuses an unknown query field, and names it", async () => {
    const accepted: string[] = [];
    for (const operation of operations) {
      const error = errorOf(await send(withQuery(await requestOf(operation), "promoted", "false")));
      if (error.status !== 400 || !error.message?.includes("promoted"))
        accepted.push(`${operation.operationId}: ${error.status} ${error.message}`);
    }
    expect(accepted).toEqual([]);
  });

  it("refuses names that objects of JavaScript have", async () => {
    const tries = operations.map((operation, index) => ({
      operation,
      name: index % 2 === 0 ? "__proto__" : "constructor",
      value: "1",
    }));
    expect(await unexpected(tries, (status) => status === 400)).toEqual([]);
  });
});

describe("every query parameter", () => {
  it("refuses text that can't be stored or is not validly encoded", async () => {
    const targets = parametersIn("query").map(({ operation, parameter: { name } }) => ({ operation, name }));
    const tries = byTurns(targets, UNSTORABLE);
    expect(tries.length).toBeGreaterThan(50);
    expect(await unexpected(tries, (status) => status === 400)).toEqual([]);
  });

  it("refuses to be given twice", async () => {
    const tries = parametersIn("query").map(({ operation, parameter: { name } }) => ({
      operation,
      name,
      value: `1&${name}=1`,
    }));
    expect(await unexpected(tries, (status) => status === 400)).toEqual([]);
  });

  it("is a whole number in decimal digits within its published limits", async () => {
    const numbers = parametersIn("query").filter(({ parameter }) => parameter.schema.type === "integer");
    expect(numbers.length).toBeGreaterThan(20);
    const targets = numbers.map(({ operation, parameter: { name } }) => ({ operation, name }));
    const beyond = numbers.flatMap(({ operation, parameter: { name, schema } }) =>
      [(schema.minimum ?? 0) - 1, (schema.maximum ?? 0) + 1].map((value) => ({
        operation,
        name,
        value: String(value),
      })),
    );
    const refused = [...byTurns(targets, NOT_WHOLE_NUMBERS, 2), ...beyond];
    expect(await unexpected(refused, (status) => status === 400)).toEqual([]);
    const accepted = numbers.flatMap(({ operation, parameter: { name, schema } }) =>
      [schema.minimum, schema.maximum].map((value) => ({ operation, name, value: String(value) })),
    );
    // A version that does not exist is not found.
    expect(await unexpected(accepted, (status) => status < 400 || [404, 409].includes(status))).toEqual([]);
  });

  it("is true or false", async () => {
    const flags = parametersIn("query").filter(({ parameter }) => parameter.schema.type === "boolean");
    const tries = flags.flatMap(({ operation, parameter: { name } }) =>
      ["TRUE", "1", "yes", ""].map((value) => ({ operation, name, value })),
    );
    expect(tries.length).toBeGreaterThan(4);
    expect(await unexpected(tries, (status) => status === 400)).toEqual([]);
  });

  it("has lengths in characters, as they are published", async () => {
    const texts = parametersIn("query").filter(
      ({ operation: { operationId }, parameter: { name, schema } }) =>
        schema.type === "string" &&
        schema.enum === undefined &&
        !name.toLowerCase().includes("cursor") &&
        // A fingerprint has one length, and is hexadecimal.
        name !== "fingerprint" &&
        // A list of labels is ASCII, and so is an owner.
        name !== "label" &&
        name !== "owner" &&
        // It confirms which service is deleted: any other text is refused.
        operationId !== "deleteService",
    );
    expect(texts.length).toBeGreaterThan(8);
    const withLimit = texts.map(({ operation, parameter: { name, schema } }) => ({
      operation,
      name,
      max: schema.maxLength ?? Number.NaN,
    }));
    expect(withLimit.filter(({ max }) => Number.isNaN(max))).toEqual([]);
    const ofLength = (more: number) =>
      withLimit.map(({ operation, name, max }) => ({
        operation,
        name,
        value: encodeURIComponent(EMOJI.repeat(max + more)),
      }));
    // A branch that no run has is not found.
    expect(await unexpected(ofLength(0), (status) => status < 300 || status === 404)).toEqual([]);
    expect(await unexpected(ofLength(1), (status) => status === 400)).toEqual([]);
  });

  it("takes every form of a time that RFC 3339 allows", async () => {
    const times = parametersIn("query").filter(({ parameter: { schema } }) =>
      schema.$ref?.endsWith("/IsoDateTime"),
    );
    const ofValues = (values: string[]) =>
      times.flatMap(({ operation, parameter: { name } }) =>
        values.map((value) => ({ operation, name, value: encodeURIComponent(value) })),
      );
    const allowed = ["2026-01-31t12:00:00z", "2016-12-31T23:59:60Z", "0001-01-01T00:00:00Z"];
    expect(times.length).toBeGreaterThan(0);
    expect(await unexpected(ofValues(allowed), (status) => status < 300)).toEqual([]);
    const refused = ["0000-01-01T00:00:00Z", "2026-01-31T12:00:60Z", "2026-01-31T12:00Z", "2026-01-31"];
    expect(await unexpected(ofValues(refused), (status) => status === 400)).toEqual([]);
  });
});

describe("every path parameter", () => {
  it("finds nothing for text that can't be stored, and for numbers in other forms", async () => {
    const found: string[] = [];
    for (const [index, { operation, parameter }] of parametersIn("path").entries()) {
      const request = await requestOf(operation);
      const [path = "", query] = request.path.split("?");
      const isNumber = parameter.schema.type === "integer";
      const values = isNumber ? ["1%00", "0x1", "1e1", "01"] : [["a%00b", "%ED"][index % 2] ?? ""];
      const place = operation.path.split("/").indexOf(`{${parameter.name}}`);
      for (const value of values) {
        const changed = path.split("/").with(place, value).join("/");
        const { status } = await send({
          ...request,
          path: query === undefined ? changed : `${changed}?${query}`,
        });
        if (status !== (value === "%ED" ? 400 : 404))
          found.push(`${operation.operationId} ${value}: ${status}`);
      }
    }
    expect(found).toEqual([]);
  });
});

describe("every address", () => {
  it("refuses other methods with 405, and names its own in Allow", async () => {
    const byPath = Map.groupBy(operations, ({ path }) => path);
    for (const [path, own] of byPath) {
      const methods = own.map(({ method }) => method);
      const allowed = methods.includes("GET") ? [...methods, "HEAD"] : methods;
      for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const) {
        if (allowed.includes(method)) continue;
        const address = path.replaceAll(/\{\w+\}/g, world.serviceId);
        const answer = await world.stack.http.request(method, address);
        expect({ method, path, ...errorOf(answer) }).toMatchObject({
          status: 405,
          code: "method_not_allowed",
        });
        expect({ path, allow: answer.headers.get("allow")?.split(", ") }).toEqual({
          path,
          allow: allowed.toSorted(),
        });
      }
    }
  });

  it("is none below /api that does not exist", async () => {
    expect(errorOf(await world.stack.http.get("/api/nothing"))).toMatchObject({
      status: 404,
      code: "not_found",
    });
  });
});

describe("every list", () => {
  it("refuses the cursors of other lists, and of the same list of another resource", async () => {
    const other = await ingest(
      world.stack,
      scanPayload({ serviceName: "another", endpoints: 2, findings: 2 }),
    );
    await waitForRun(world.stack, other.body.scanRunId);
    const lists = operations.flatMap((operation) =>
      operation.parameters
        .filter(({ name }) => name.toLowerCase().endsWith("cursor"))
        .map(({ name }) => ({ operation, name, id: `${operation.operationId} ${name}` })),
    );
    expect(lists.length).toBeGreaterThan(15);
    const cursors = new Map<string, string>();
    for (const { operation, name, id } of lists) {
      const { body } = await send(withQuery(await requestOf(operation), "limit", "1"));
      const { [name]: own, nextCursor } = body as Record<string, string | undefined>;
      const cursor = own ?? nextCursor;
      if (cursor !== undefined) cursors.set(id, cursor);
    }
    expect(cursors.size).toBeGreaterThan(8);
    const wrong: string[] = [];
    const known = [...cursors, ["", "eyJ4IjoxfQ"] as const];
    for (const [index, { operation, name, id }] of lists.entries()) {
      const others = [0, 1, 2].map((turn) => known[(index * 3 + turn) % known.length] ?? (["", ""] as const));
      const tries: (readonly [string, string])[] = [...cursors].filter(([owner]) => owner === id);
      for (const [from, cursor] of [...tries, ...others]) {
        const { status } = await send(withQuery(await requestOf(operation), name, cursor));
        if ((status === 200) !== (from === id)) wrong.push(`${id} with the cursor of ${from}: ${status}`);
      }
    }
    expect(wrong).toEqual([]);
    const path = `/api/scan-runs/${other.body.scanRunId}/endpoints?cursor=${cursors.get("listScanRunEndpoints cursor")}`;
    expect((await world.stack.http.get(path)).status).toBe(400);
  });
});

import { expect, test } from "vitest";
import { getEnvironment, setEnvironmentSecret } from "../environments/addresses.ts";
import { listServices } from "../services/addresses.ts";
import { pathOf, requestOf } from "./request.ts";

test("parameters of a path are encoded, so that none adds a segment or a query", () => {
  const params = { environmentId: "../7", name: "a/b?c#\ud800" };
  expect(pathOf(setEnvironmentSecret, params)).toBe("/api/environments/..%2F7/secrets/a%2Fb%3Fc%23%EF%BF%BD");
});

test("a parameter that is missing is an error, not a path with a colon", () => {
  expect(() => requestOf(getEnvironment, {})).toThrow(
    new TypeError(`${getEnvironment.path} needs environmentId`),
  );
});

test("a request has the given fields of a query, in their order, and no others", () => {
  const query = { trend: 20, name: "a&b", cursor: undefined };
  expect(requestOf(listServices, { query })).toEqual({
    method: "GET",
    path: "/api/services?trend=20&name=a%26b",
    headers: {},
    body: undefined,
  });
});

import type { Environment } from "@waymark/shared/environments/schema.ts";
import { expect, test } from "vitest";
import { NEW_ENVIRONMENT, readForm, valuesOf } from "./environment-form-values.ts";

const ENVIRONMENT: Environment = {
  id: "e",
  name: "staging",
  servers: { orders: "https://orders.example.com/v1", pay: "http://localhost:8080" },
  variables: { pay: { region: "eu" } },
  inputs: { customerId: "c-1" },
  allowedHosts: ["orders.example.com", "*.example.com"],
  protected: true,
  storesBodies: false,
  revision: 3,
  createdAt: "2026-01-01T00:00:00Z",
  updatedAt: "2026-01-01T00:00:00Z",
};

test("an environment's form, sent as it is, changes nothing", () => {
  const { id: _id, revision: _revision, createdAt: _c, updatedAt: _u, ...settings } = ENVIRONMENT;
  expect(readForm(valuesOf(ENVIRONMENT))).toEqual({ request: settings });
});

test("hosts that are those of the servers are left to the server, so that they follow changed servers", () => {
  const values = valuesOf({ ...ENVIRONMENT, allowedHosts: ["orders.example.com", "localhost:8080"] });
  expect(values.allowedHosts).toEqual([]);
  expect(readForm(values).request).not.toHaveProperty("allowedHosts");
});

test("servers are lines, blank ones are skipped, and an address may contain =", () => {
  const servers = "\n a = https://a.example/x=1 \n\nb=http://b.example";
  const { request } = readForm({ ...NEW_ENVIRONMENT, name: " new ", servers });
  expect(request).toMatchObject({
    name: "new",
    servers: { a: "https://a.example/x=1", b: "http://b.example" },
  });
});

test.each([
  [{ name: " " }, "name", "must be at least 1"],
  [{ servers: "https://a.example" }, "servers", "Line 1: write the source"],
  [{ servers: "a=https://a.example\na=https://b.example" }, "servers", "Line 2: a is there twice."],
  [{ servers: "a=ftp://a.example" }, "servers", "a must be an http"],
  [{ servers: "a=https://user:word@a.example" }, "servers", "a must not contain a user or a password"],
  [{ inputs: "{customerId: 1}" }, "inputs", "This is not JSON"],
  [{ inputs: "[1]" }, "inputs", "expected record"],
  [{ variables: '{"pay": "eu"}' }, "variables", "pay"],
  [{ allowedHosts: ["https://a.example"] }, "allowedHosts", "0 must be a host"],
])("%j is refused at the field %s: %s", (values, field, message) => {
  const { problems } = readForm({ ...NEW_ENVIRONMENT, name: "new", ...values });
  expect(Object.keys(problems ?? {})).toEqual([field]);
  expect(JSON.stringify(problems)).toContain(message);
});

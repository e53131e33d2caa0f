import { expect, it } from "vitest";
import { z } from "zod";
import { integer, sharedConfigFields } from "./config-fields.ts";
import { readConfig } from "./read-config.ts";

const Schema = z.object({ ...sharedConfigFields, PORT: integer({ min: 0, max: 65_535 }).default(3000) });
const DATABASE_URL = "postgres://user:hunter2@localhost/waymark";

it("lists every bad variable at once, and never a value", () => {
  const read = () =>
    readConfig(Schema, { DATABASE_URL: "mysql://user:hunter2@localhost", REDIS_URL: "x", PORT: "99999" });
  expect(read).toThrow(/DATABASE_URL: must be a postgres:\/\/ address\n.*REDIS_URL: .*\n.*PORT: /);
  expect(read).not.toThrow(/hunter2/);
});

it("takes an empty variable as one that is not set", () => {
  expect(readConfig(Schema, { DATABASE_URL, REDIS_URL: "", PORT: "" })).toMatchObject({ PORT: 3000 });
});

it("says what a missing required variable is for", () => {
  expect(() => readConfig(Schema, {})).toThrow(/DATABASE_URL: is required: the address of Postgres/);
});

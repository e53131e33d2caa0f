import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { integer, sharedConfigFields } from "./config-fields.ts";
import { readConfig } from "./read-config.ts";

const Schema = z.object({ ...sharedConfigFields, PORT: integer({ min: 0, max: 65_535 }).default(3000) });
const DATABASE_URL = "postgres://user:hunter2@localhost:5432/waymark";

it("lists every invalid variable at once, without values", () => {
  const read = () =>
    readConfig(Schema, { DATABASE_URL: "mysql://user:hunter2@localhost", REDIS_URL: "x", PORT: "99999" });
  expect(read).toThrow(/DATABASE_URL: must be a postgres:\/\/ address, .*\n.*REDIS_URL: .*\n.*PORT: /);
  expect(read).not.toThrow(/hunter2/);
});

it("treats an empty variable as unset", () => {
  expect(readConfig(Schema, { DATABASE_URL, REDIS_URL: "", PORT: "" })).toMatchObject({ PORT: 3000 });
});

it("explains a missing required variable", () => {
  expect(() => readConfig(Schema, {})).toThrow(/DATABASE_URL: is required: the address of Postgres/);
});

describe("a secret in a file", () => {
  function secretFile(content: string): string {
    const folder = mkdtempSync(path.join(tmpdir(), "waymark-secret-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = path.join(folder, "secret");
    writeFileSync(file, content);
    return file;
  }

  it("is read instead of its variable, without the line break at the end", () => {
    const env = { DATABASE_URL_FILE: secretFile(`${DATABASE_URL}\n`), REDIS_URL_FILE: "" };
    expect(readConfig(Schema, env)).toMatchObject({ DATABASE_URL });
  });

  it("that is missing, or given twice, is a line of the error, without the secret", () => {
    const read = () =>
      readConfig(Schema, {
        DATABASE_URL,
        DATABASE_URL_FILE: secretFile(DATABASE_URL),
        REDIS_URL_FILE: "/nowhere/redis",
      });
    expect(read).toThrow(
      /DATABASE_URL_FILE: is set together with DATABASE_URL; set one of them\n {2}REDIS_URL_FILE: the file can't be read \(ENOENT/,
    );
    expect(read).not.toThrow(/hunter2/);
  });

  it("is checked like its variable", () => {
    const env = { DATABASE_URL, REDIS_URL_FILE: secretFile("http://user:hunter2@redis") };
    expect(() => readConfig(Schema, env)).toThrow(/REDIS_URL: must be a redis:\/\//);
    expect(() => readConfig(Schema, env)).not.toThrow(/hunter2/);
  });

  it("is read only by processes that use it", () => {
    const env = { DATABASE_URL, SERVICE_DATABASE_URL_FILE: "/nowhere/service" };
    expect(readConfig(Schema, env)).toMatchObject({ DATABASE_URL });
  });
});

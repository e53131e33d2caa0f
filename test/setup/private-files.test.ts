import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { KeyRingField } from "@waymark/server/encryption/key-ring.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  credentialsFile,
  journeyKeys,
  readCredentials,
  serviceLogin,
  writeCredentials,
} from "../../scripts/dev/private-files.ts";

const credentials = { apiUrl: "http://127.0.0.1:3000", organizationId: "o", apiKey: "not-a-real-key" };
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "waymark-private-"));
});

afterEach(() => rmSync(folder, { recursive: true }));

describe("credentials.json", () => {
  test("is read as it was written, and readable only by its owner", () => {
    writeCredentials(folder, credentials);
    expect(readCredentials(folder)).toEqual(credentials);
    expect(statSync(credentialsFile(folder)).mode & 0o777).toBe(0o600);
  });

  test("is readable only by its owner after a rewrite, whatever its mode was", () => {
    writeCredentials(folder, credentials);
    chmodSync(credentialsFile(folder), 0o644);
    writeCredentials(folder, credentials);
    expect(statSync(credentialsFile(folder)).mode & 0o777).toBe(0o600);
  });

  test("is undefined before the first start", () => {
    expect(readCredentials(folder)).toBeUndefined();
  });

  test.each(['{"apiKey": "not-a-real-key"', "[]", '{"apiUrl": "x", "organizationId": "o"}', "null"])(
    "is called damaged, and not quoted, when it holds %s",
    (text) => {
      writeFileSync(credentialsFile(folder), text);
      expect(() => readCredentials(folder)).toThrow(/is damaged\. Remove it/);
      expect(() => readCredentials(folder)).not.toThrow(/not-a-real-key/);
    },
  );
});

describe("the services' login", () => {
  const file = () => path.join(folder, "service-login.json");

  test("is created once, with a long password, readable only by its owner", () => {
    const login = serviceLogin(folder);
    expect(serviceLogin(folder)).toEqual(login);
    expect(Buffer.from(login.password, "base64url")).toHaveLength(24);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
  });

  test("has another name in another data directory, because both may use one server", () => {
    const { user } = serviceLogin(folder);
    expect(serviceLogin(path.join(folder, "other")).user).not.toBe(user);
  });

  test("a damaged file is reported without its content", () => {
    writeFileSync(file(), '{"password": "not-a-real-password"');
    expect(() => serviceLogin(folder)).toThrow(/is damaged\. Remove it/);
    expect(() => serviceLogin(folder)).not.toThrow(/not-a-real-password/);
  });
});

describe("the key for secrets", () => {
  test("is made once, as a key ring with 32 random bytes, for the owner alone", () => {
    const ring = journeyKeys(folder);
    expect(journeyKeys(folder)).toBe(ring);
    expect(KeyRingField.parse(ring).byId.size).toBe(1);
    expect(statSync(path.join(folder, "journey-keys.json")).mode & 0o777).toBe(0o600);
  });

  test("has another id when it is made again: what needs the lost one names it", () => {
    const [lost = ""] = journeyKeys(folder).split(":");
    rmSync(path.join(folder, "journey-keys.json"));
    expect(journeyKeys(folder).split(":")[0]).not.toBe(lost);
  });
});

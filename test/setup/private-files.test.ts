import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  credentialsFile,
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
  test("comes back as it was written, for the owner alone", () => {
    writeCredentials(folder, credentials);
    expect(readCredentials(folder)).toEqual(credentials);
    expect(statSync(credentialsFile(folder)).mode & 0o777).toBe(0o600);
  });

  test("is for the owner alone again after a rewrite, whatever it was", () => {
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

  test("is made once, with a long password, for the owner alone", () => {
    const login = serviceLogin(folder);
    expect(serviceLogin(folder)).toEqual(login);
    expect(Buffer.from(login.password, "base64url")).toHaveLength(24);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
  });

  test("has another name in another data directory: both may use one server", () => {
    const { user } = serviceLogin(folder);
    expect(serviceLogin(path.join(folder, "other")).user).not.toBe(user);
  });

  test("is called damaged, and not quoted, when the file is", () => {
    writeFileSync(file(), '{"password": "not-a-real-password"');
    expect(() => serviceLogin(folder)).toThrow(/is damaged\. Remove it/);
    expect(() => serviceLogin(folder)).not.toThrow(/not-a-real-password/);
  });
});

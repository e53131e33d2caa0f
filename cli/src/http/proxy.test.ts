import { describe, expect, test } from "vitest";
import { startFakeApi } from "../test-support/fake-api.ts";
import { RUN_ID } from "../test-support/fake-server.ts";
import { startProxy } from "../test-support/fake-proxy.ts";
import { runCaptured } from "../test-support/run-captured.ts";
import { proxyFor } from "./proxy.ts";

const url = new URL("https://waymark.example.com/x");

describe("the proxy of an address", () => {
  test.each([
    [{}, undefined],
    [{ HTTPS_PROXY: "http://p:1" }, "http://p:1/"],
    [{ https_proxy: "p:1" }, "http://p:1/"],
    [{ HTTP_PROXY: "http://p:1" }, undefined],
    [{ HTTPS_PROXY: "http://p:1", NO_PROXY: "*" }, undefined],
    [{ HTTPS_PROXY: "http://p:1", NO_PROXY: "other, .example.com" }, undefined],
    [{ HTTPS_PROXY: "http://p:1", no_proxy: "example.com:443" }, undefined],
    [{ HTTPS_PROXY: "http://p:1", NO_PROXY: "example.com:8443" }, "http://p:1/"],
    [{ HTTPS_PROXY: "http://p:1", NO_PROXY: "ample.com" }, "http://p:1/"],
    [{ HTTPS_PROXY: "http://p:1", NO_PROXY: "waymark.example.com." }, undefined],
    [{ HTTPS_PROXY: "http://user:100%@p:1" }, "http://user:100%25@p:1/"],
    [{ HTTPS_PROXY: "http://user:%ff%41@p:1" }, "http://user:%25ff%2541@p:1/"],
    [{ HTTPS_PROXY: "http://us%C3%A9r:p%23s@p:1" }, "http://us%C3%A9r:p%23s@p:1/"],
  ])("%j", (environment, expected) => {
    expect(proxyFor(url, environment)?.href).toBe(expected);
  });

  test("this machine itself has none, and an invalid address is refused without being shown", () => {
    const environment = { HTTP_PROXY: "http://p:1", HTTPS_PROXY: "socks://user:secret@p" };
    expect(proxyFor(new URL("http://127.0.0.1:3000"), environment)).toBeUndefined();
    expect(() => proxyFor(url, environment)).toThrow(/^HTTPS_PROXY must be/);
  });
});

describe("an entry of NO_PROXY", () => {
  test.each([
    ["http://10.1.2.3:3000", "10.0.0.0/8"],
    ["http://0x0a010203:3000", "10.0.0.0/8"],
    ["http://10.1.2.3:3000", "10.*"],
    ["http://10.1.2.3:3000", "10.1.2.3"],
    ["http://10.1.2.3:3000", "10.1.2.3:3000"],
    ["http://[fd00::5]:3000", "fd00::5"],
    ["http://[fd00::5]:3000", "FD00:0:0::5"],
    ["http://[fd00::5]:3000", "[fd00::5]"],
    ["http://[fd00::5]:3000", "[fd00::5]:3000"],
    ["http://[fd00::5]:3000", "fd00::/8"],
    ["http://[::ffff:10.1.2.3]:3000", "10.0.0.0/8"],
    ["http://inner.example.:3000", "inner.example"],
    ["http://inner.example:3000", ".example."],
    ["http://inner.example:3000", "*.example:3000"],
    ["http://b\u00fccher.example", "b\u00fccher.example"],
    ["https://inner.example", "other\n inner.example:443"],
  ])("%s is excepted by %s", (address, NO_PROXY) => {
    const environment = { HTTP_PROXY: "http://p:1", HTTPS_PROXY: "http://p:1", NO_PROXY };
    expect(proxyFor(new URL(address), environment)).toBeUndefined();
  });

  test.each([
    ["http://11.1.2.3:3000", "10.0.0.0/8"],
    ["http://10.1.2.3:3000", "10.0.0.0/33"],
    ["http://10.1.2.3:3000", "10.1.2.3:443"],
    ["http://10.1.2.30:3000", "10.1.2.3"],
    ["http://110.1.2.3:3000", "10.*"],
    ["http://10.example:3000", "10.*"],
    ["http://10.example:3000", "10.0.0.0/8"],
    ["http://[fd00::5]:3000", "fd00::"],
    ["http://[fd00::5]:5", "fd00::5:5"],
    ["http://[fe80::5]:3000", "fd00::/8"],
    ["http://[fd00::5]:3000", "10.0.0.0/0"],
    ["http://inner.example:3000", "."],
    ["http://inner.example:3000", "*."],
    ["http://inner.example:3000", "]:["],
  ])("%s is not excepted by %s", (address, NO_PROXY) => {
    expect(proxyFor(new URL(address), { HTTP_PROXY: "http://p:1", NO_PROXY })?.href).toBe("http://p:1/");
  });
});

test("a scan and its description go to an http:// address through HTTP_PROXY with its credentials", async () => {
  const api = await startFakeApi();
  const proxy = await startProxy({ port: Number(new URL(api.url).port) });
  const result = await runCaptured(
    [
      "scan",
      "--service",
      "s",
      "--spec",
      "-",
      "--api-key",
      "k",
      "--api-url",
      "http://waymark.test:81",
      "--allow-http",
    ],
    { stdin: '{"openapi":"3.1.0","paths":{}}', env: { HTTP_PROXY: proxy.url } },
  );
  expect(result).toMatchObject({ exitCode: 0, stderr: "" });
  const description = `http://waymark.test:81/api/scan-runs/${RUN_ID}/description?waitSeconds=10`;
  expect(proxy.asked).toEqual([
    "POST http://waymark.test:81/api/scans/ingest Basic dXNlcjpwYXNz",
    `PUT ${description} Basic dXNlcjpwYXNz`,
  ]);
});

test("a scan to an https:// address goes through a tunnel of HTTPS_PROXY, and never hangs in it", async () => {
  const api = await startFakeApi();
  // The other end has no TLS: the test checks the request for the tunnel, and how it ends.
  const proxy = await startProxy({ port: Number(new URL(api.url).port) });
  const result = await runCaptured(
    ["scan", "--service", "s", "--spec", "-", "--api-key", "k", "--api-url", "https://waymark.test"],
    { stdin: '{"openapi":"3.1.0","paths":{}}', env: { HTTPS_PROXY: proxy.url }, times: { attemptsMax: 1 } },
  );
  expect(result).toMatchObject({ exitCode: 4, stdout: "" });
  expect(proxy.asked).toEqual(["CONNECT waymark.test:443 Basic dXNlcjpwYXNz"]);
});

import { describe, expect, test } from "vitest";
import { startFakeApi } from "../test-support/fake-api.ts";
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
  ])("%j", (environment, expected) => {
    expect(proxyFor(url, environment)?.href).toBe(expected);
  });

  test("this machine itself has none, and an invalid address is refused without being shown", () => {
    const environment = { HTTP_PROXY: "http://p:1", HTTPS_PROXY: "socks://user:secret@p" };
    expect(proxyFor(new URL("http://127.0.0.1:3000"), environment)).toBeUndefined();
    expect(() => proxyFor(url, environment)).toThrow(/^HTTPS_PROXY must be/);
  });
});

test("a scan to an http:// address goes through HTTP_PROXY with its credentials", async () => {
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
  expect(proxy.asked).toEqual(["POST http://waymark.test:81/api/scans/ingest Basic dXNlcjpwYXNz"]);
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

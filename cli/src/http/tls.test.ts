import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { startFakeApi } from "../test-support/fake-api.ts";
import { startProxy } from "../test-support/fake-proxy.ts";
import { startTlsFront } from "../test-support/fake-tls.ts";
import { runCaptured } from "../test-support/run-captured.ts";

const scan = ["scan", "--service", "s", "--spec", "-", "--api-key", "k"];
const main = fileURLToPath(new URL("../main.ts", import.meta.url));
const spec = fileURLToPath(new URL("../../../examples/orders.openapi.json", import.meta.url));
const stdin = '{"openapi":"3.1.0","paths":{}}';

async function startTlsApi() {
  const api = await startFakeApi();
  return { api, ...(await startTlsFront(api.url)) };
}

test("a server's own certificate is trusted with --ca-cert", async () => {
  const { api, port, certificate } = await startTlsApi();
  const args = [...scan, "--api-url", `https://127.0.0.1:${port}`, "--ca-cert", certificate];
  expect(await runCaptured(args, { stdin })).toMatchObject({ exitCode: 0, stderr: "" });
  expect(api.requests).toHaveLength(1);
});

test("--ca-cert adds a certificate to those of NODE_EXTRA_CA_CERTS", async () => {
  const { api, port, certificate } = await startTlsApi();
  const { certificate: other } = await startTlsFront(api.url);
  const args = [...scan.with(4, spec), "--api-url", `https://127.0.0.1:${port}`, "--ca-cert", other];
  // Node reads the variable when it starts.
  await promisify(execFile)(process.execPath, [main, ...args], {
    env: { PATH: process.env["PATH"], NODE_EXTRA_CA_CERTS: certificate },
  });
  expect(api.requests.filter(({ method }) => method === "POST")).toHaveLength(1);
});

test("a proxy's password with a % that is no escape is sent as it is", async () => {
  const { api, port, certificate } = await startTlsApi();
  const proxy = await startProxy({ port });
  const args = [...scan, "--api-url", "https://waymark.test", "--ca-cert", certificate];
  const env = { HTTPS_PROXY: proxy.url.replace("user:pass", "user:100%") };
  expect(await runCaptured(args, { stdin, env })).toMatchObject({ exitCode: 0, stderr: "" });
  const sent = Buffer.from("user:100%").toString("base64");
  // The scan, and its description.
  expect(proxy.asked).toEqual(Array(2).fill(`CONNECT waymark.test:443 Basic ${sent}`));
  expect(api.requests).toHaveLength(1);
});

test("an untrusted certificate ends the scan immediately, and names the option to trust it", async () => {
  const { api, port } = await startTlsApi();
  const result = await runCaptured([...scan, "--api-url", `https://127.0.0.1:${port}`], { stdin });
  expect(result).toMatchObject({ exitCode: 4, stdout: "", stderr: expect.stringContaining("--ca-cert") });
  // A server with a certificate is running.
  expect(result.stderr).not.toContain("Is the server running");
  expect(api.requests).toHaveLength(0);
});

test("https:// to a port without TLS ends the scan without a retry, and suggests http://", async () => {
  const { url } = await startFakeApi();
  const { host, port } = new URL(url);
  const result = await runCaptured([...scan, "--api-url", `https://${host}`], { stdin });
  expect(result).toMatchObject({ exitCode: 4, stdout: "" });
  expect(result.stderr).toBe(
    `scan ingestion failed: no response from https://${host}: port ${port} doesn't speak TLS (did you mean http://?).\n`,
  );
});

test("a certificate for another name is refused, even if it is trusted", async () => {
  const { api, port, certificate } = await startTlsApi();
  const args = [...scan, "--api-url", `https://localhost:${port}`, "--ca-cert", certificate];
  expect(await runCaptured(args, { stdin })).toMatchObject({ exitCode: 4, stdout: "" });
  expect(api.requests).toHaveLength(0);
});

test("a scan and its description go through tunnels of HTTPS_PROXY, encrypted up to the server", async () => {
  const { api, port, certificate } = await startTlsApi();
  const proxy = await startProxy({ port });
  const args = [...scan, "--api-url", "https://waymark.test", "--ca-cert", certificate];
  const result = await runCaptured(args, { stdin, env: { HTTPS_PROXY: proxy.url } });
  expect(result).toMatchObject({ exitCode: 0, stderr: "" });
  expect(proxy.asked).toEqual(Array(2).fill("CONNECT waymark.test:443 Basic dXNlcjpwYXNz"));
  expect(api.requests).toHaveLength(1);
});

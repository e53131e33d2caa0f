import { connect } from "node:net";
import { createServer } from "node:tls";
import { generate } from "selfsigned";
import { expect, onTestFinished, test } from "vitest";
import { startForeignApi } from "../test-support/foreign-api.ts";
import { startProxy } from "../test-support/foreign-proxy.ts";
import { runCaptured, temporaryFolder } from "../test-support/run-captured.ts";

const scan = ["scan", "--service", "s", "--spec", "-", "--api-key", "k"];
const stdin = '{"openapi":"3.1.0","paths":{}}';

/** An api behind TLS with a certificate that nobody signed, as servers inside a company have them. */
async function startTlsApi() {
  const api = await startForeignApi();
  const pems = await generate([{ name: "commonName", value: "waymark.test" }], {
    keyType: "ec",
    extensions: [
      { name: "basicConstraints", cA: true },
      {
        name: "subjectAltName",
        altNames: [
          { type: 2, value: "waymark.test" },
          { type: 7, ip: "127.0.0.1" },
        ],
      },
    ],
  });
  const server = createServer({ key: pems.private, cert: pems.cert }, (socket) => {
    const onward = connect(Number(new URL(api.url).port), "127.0.0.1");
    onward.on("error", () => socket.destroy());
    socket.on("error", () => onward.destroy());
    socket.pipe(onward).pipe(socket);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    server.close();
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const folder = await temporaryFolder();
  return { api, port, certificate: await folder.write("ca.pem", pems.cert) };
}

test("a server's own certificate is trusted with --ca-cert", async () => {
  const { api, port, certificate } = await startTlsApi();
  const args = [...scan, "--api-url", `https://127.0.0.1:${port}`, "--ca-cert", certificate];
  expect(await runCaptured(args, { stdin })).toMatchObject({ exitCode: 0, stderr: "" });
  expect(api.requests).toHaveLength(1);
});

test("a certificate that nobody vouches for ends the scan at once, and says which option trusts it", async () => {
  const { api, port } = await startTlsApi();
  const result = await runCaptured([...scan, "--api-url", `https://127.0.0.1:${port}`], { stdin });
  expect(result).toMatchObject({ exitCode: 4, stdout: "", stderr: expect.stringContaining("--ca-cert") });
  expect(api.requests).toHaveLength(0);
});

test("a certificate for another name is refused, trusted or not", async () => {
  const { api, port, certificate } = await startTlsApi();
  const args = [...scan, "--api-url", `https://localhost:${port}`, "--ca-cert", certificate];
  expect(await runCaptured(args, { stdin })).toMatchObject({ exitCode: 4, stdout: "" });
  expect(api.requests).toHaveLength(0);
});

test("a scan goes through the tunnel of HTTPS_PROXY, sealed until it is with the server", async () => {
  const { api, port, certificate } = await startTlsApi();
  const proxy = await startProxy({ port });
  const args = [...scan, "--api-url", "https://waymark.test", "--ca-cert", certificate];
  const result = await runCaptured(args, { stdin, env: { HTTPS_PROXY: proxy.url } });
  expect(result).toMatchObject({ exitCode: 0, stderr: "" });
  expect(proxy.asked).toEqual(["CONNECT waymark.test:443 Basic dXNlcjpwYXNz"]);
  expect(api.requests).toHaveLength(1);
});

import { createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { TransportResponse } from "@waymark/journeys/run/transport.ts";
import { callsThrough } from "@waymark/test-support/transport-calls.ts";
import { startProxy } from "../../../test-support/fake-proxy.ts";
import { answerJson, startFakeServer } from "../../../test-support/fake-server.ts";
import { startTlsFront } from "../../../test-support/fake-tls.ts";
import { openTransport } from "./network.ts";

const CREDENTIALS = "Basic dXNlcjpwYXNz";

async function client(env: Record<string, string>, options: { caCert?: string; forbidPrivate?: boolean }) {
  const context = { cwd: "/", env };
  const { caCert, forbidPrivate } = options;
  const { transport, [Symbol.dispose]: close } = await openTransport(context, { caCert, forbidPrivate });
  onTestFinished(close);
  return callsThrough(transport);
}

async function startTarget() {
  const target = await startFakeServer(({ url, headers }, response) => {
    answerJson(response, 200, { url, host: headers.host, proxy: headers["proxy-authorization"] });
  });
  const json = ({ body }: TransportResponse): unknown => JSON.parse(new TextDecoder().decode(body));
  return { target, json };
}

test("an https target is reached through the tunnel of HTTPS_PROXY, one tunnel for many requests", async () => {
  const { target, json } = await startTarget();
  const { port, certificate } = await startTlsFront(target.url);
  const proxy = await startProxy({ port });
  const send = await client({ HTTPS_PROXY: proxy.url }, { caCert: certificate });
  for (const path of ["/a?b=c", "/d"]) {
    const answer = await send(`https://waymark.test${path}`, { headers: [["X-Key", "k"]] });
    expect(answer.status).toBe(200);
    // Only the proxy gets its credentials.
    expect(json(answer)).toEqual({ url: path, host: "waymark.test" });
  }
  expect(proxy.asked).toEqual([`CONNECT waymark.test:443 ${CREDENTIALS}`]);
});

test.each([
  ["a certificate that nobody vouches for", "https://waymark.test/", false],
  ["a certificate for another name", "https://other.test/", true],
])("%s is refused behind a tunnel as well", async (_name, url, trusted) => {
  const { target } = await startTarget();
  const { port, certificate } = await startTlsFront(target.url);
  const proxy = await startProxy({ port });
  const send = await client({ HTTPS_PROXY: proxy.url }, trusted ? { caCert: certificate } : {});
  await expect(send(url)).rejects.toMatchObject({ code: "unreachable" });
  expect(target.requests).toEqual([]);
});

test("a file without a certificate is refused before anything is sent", async () => {
  await expect(client({}, { caCert: import.meta.filename })).rejects.toThrow(
    `--ca-cert must be a file with a certificate in PEM form: ${import.meta.filename}.`,
  );
});

test("a proxy's refusal is not a response of the target", async () => {
  const proxy = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => socket.end("HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n"));
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void proxy.close());
  const address = proxy.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const send = await client({ HTTPS_PROXY: `http://127.0.0.1:${port}` }, {});
  await expect(send("https://waymark.test/")).rejects.toMatchObject({
    code: "unreachable",
    message: "The proxy opens no way to the target: it answered 407.",
  });
});

import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer as createTcpServer } from "node:net";
import type { Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, onTestFinished, test } from "vitest";
import type { TransportResponse } from "@waymark/journeys/run/transport.ts";
import { callsThrough } from "@waymark/test-support/transport-calls.ts";
import { createHttpTransport } from "./http-transport.ts";
import type { HttpTransportOptions } from "./http-transport.ts";
import { refusePrivate } from "./private-addresses.ts";

async function startServer(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(answer);
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${port}`, port, sockets };
}

function client(options: HttpTransportOptions = {}) {
  const { transport, [Symbol.dispose]: close } = createHttpTransport(options);
  onTestFinished(close);
  return callsThrough(transport);
}

const text = ({ body }: TransportResponse) => new TextDecoder().decode(body);

const refuse = (address: string) => refusePrivate(address, "--forbid-private refuses it.");

describe("the transport", () => {
  test("sends requests unchanged, including the spelling of headers, and returns complete responses", async () => {
    const seen: string[] = [];
    const server = await startServer((request, response) => {
      seen.push(`${request.method} ${request.url}`, ...request.rawHeaders.slice(0, 6));
      request.pipe(
        response.writeHead(201, "Made", [
          ["X-A", "1"],
          ["X-A", "2"],
        ]),
      );
    });
    const answer = await client()(`${server.url}/a?b=%20c`, {
      method: "POST",
      headers: [
        ["X-One", "1"],
        ["X-One", "2"],
        ["Transfer-Encoding", "chunked"],
        ["Content-Length", "999"],
      ],
      body: "grüße",
    });
    expect(answer).toMatchObject({ status: 201, statusText: "Made", httpVersion: "1.1" });
    expect(answer.headers.filter(([name]) => name === "X-A")).toEqual([
      ["X-A", "1"],
      ["X-A", "2"],
    ]);
    expect(text(answer)).toBe("grüße");
    expect(seen).toEqual(["POST /a?b=%20c", "Host", server.url.slice(7), "X-One", "1", "X-One", "2"]);
  });

  test("reaches only the host of its URL, unless it may name another", async () => {
    const server = await startServer((request, response) =>
      response.end(`${request.headers.host} ${request.headers["proxy-authorization"]}`),
    );
    const own = server.url.slice("http://".length);
    const send = (value: string, options = {}) =>
      client(options)(server.url, {
        headers: [
          ["hOst", value],
          ["Proxy-Authorization", "Basic eDp5"],
        ],
      });
    await expect(send("elsewhere.test")).rejects.toMatchObject({
      code: "forbidden",
      message: expect.stringContaining("names the host elsewhere.test"),
    });
    expect(text(await send(own))).toBe(`${own} undefined`);
    expect(text(await send("elsewhere.test", { allowHostHeader: true }))).toBe("elsewhere.test undefined");
  });

  test("keeps its connection for the next request", async () => {
    const server = await startServer((_, response) => response.end("ok"));
    const send = client();
    for (let n = 0; n < 5; n++) await send(server.url);
    expect(server.sockets.size).toBe(1);
  });

  test("retries if a kept connection was closed, except for requests that are not idempotent", async () => {
    let requests = 0;
    const server = await startServer((request, response) => {
      requests++;
      // The second request on a connection finds it closed.
      if (Reflect.get(request.socket, "used") === true) request.socket.destroy();
      else response.end("ok");
      Reflect.set(request.socket, "used", true);
    });
    const send = client();
    await send(server.url);
    expect(text(await send(server.url, { method: "PUT", body: "x" }))).toBe("ok");
    expect(requests).toBe(3);
    await expect(send(server.url, { method: "POST", body: "x" })).rejects.toMatchObject({
      code: "unreachable",
    });
    expect(requests).toBe(4);
  });

  test("sends header values in UTF-8, and reads them in UTF-8 or ISO-8859-1", async () => {
    const server = await startServer((request, response) => {
      const sent = Buffer.from(request.headersDistinct["x-name"]?.[0] ?? "", "latin1").toString("utf8");
      response.setHeader("x-utf", Buffer.from("Köln 日本").toString("latin1"));
      response.setHeader("x-latin", "Köln");
      // As bytes: with a text, Node would send the headers in UTF-8 as well.
      response.end(Buffer.from(sent));
    });
    const send = client();
    const named = { headers: [["X-Name", "Zürich € 😀"]] satisfies [string, string][] };
    const answer = await send(server.url, named);
    for (const body of ["", "é", Buffer.from("é")]) {
      expect(text(await send(server.url, { ...named, method: "POST", body }))).toBe("Zürich € 😀");
    }
    expect(text(answer)).toBe("Zürich € 😀");
    expect(answer.headers).toContainEqual(["x-utf", "Köln 日本"]);
    expect(answer.headers).toContainEqual(["x-latin", "Köln"]);
  });

  test("follows no redirect", async () => {
    const server = await startServer((_, response) => response.writeHead(302, { location: "/away" }).end());
    expect(await client()(server.url)).toMatchObject({ status: 302 });
  });

  test("stops reading an endless body at the limit, and leaves the connection", async () => {
    const server = await startServer((_, response) => {
      const write = () => {
        while (response.write(Buffer.alloc(65_536, "x")));
      };
      response.on("drain", write);
      write();
    });
    const answer = await client()(server.url, { responseBytesMax: 1_000 });
    expect(answer).toMatchObject({ truncated: true });
    expect(answer.body).toHaveLength(1_000);
    await expect.poll(() => [...server.sockets].every(({ destroyed }) => destroyed)).toBe(true);
  });

  test("reads a compressed body, and a compression bomb only up to the limit", async () => {
    const server = await startServer((request, response) => {
      response.setHeader("content-encoding", "gzip");
      if (request.method === "HEAD") response.end();
      else response.end(gzipSync(request.url === "/bomb" ? Buffer.alloc(50_000_000) : "hello"));
    });
    const send = client();
    expect(text(await send(server.url))).toBe("hello");
    expect((await send(`${server.url}/bomb`, { responseBytesMax: 10_000 })).body).toHaveLength(10_000);
    expect(await send(server.url, { method: "HEAD" })).toMatchObject({ status: 200 });
  });

  test("ends immediately on its signal, also during a response", async () => {
    const server = await startServer((request, response) => {
      if (request.url === "/half") response.write("half");
    });
    for (const path of ["/silent", "/half"]) {
      const controller = new AbortController();
      const sent = client()(server.url + path, { signal: controller.signal });
      setTimeout(() => controller.abort(), 50);
      await expect(sent).rejects.toMatchObject({ code: "aborted" });
    }
  });

  test.each([
    ["garbage", "nonsense\r\n\r\n", /the response is not HTTP/],
    [
      "two lengths",
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      /not valid HTTP: Transfer-Encoding can't be present with Content-Length/,
    ],
    [
      "endless headers",
      `HTTP/1.1 200 OK\r\n${"X-A: aaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n".repeat(5_000)}`,
      /headers are too large/,
    ],
    [
      "half an answer",
      "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc",
      /closed before the complete response/,
    ],
  ])("explains why %s is not a response", async (_name, bytes, message) => {
    const server = createTcpServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => socket.end(bytes));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const sent = client()(`http://127.0.0.1:${port}/`);
    await expect(sent).rejects.toMatchObject({
      code: "unreachable",
      message: expect.stringMatching(message),
    });
  });

  test("a header that can't be sent is refused without its value", async () => {
    const sent = client()("http://127.0.0.1:9/", { headers: [["X-Key", "sécret\u{1f600}"]] });
    await expect(sent).rejects.toMatchObject({
      code: "unreachable",
      message: expect.not.stringContaining("cret"),
    });
  });

  test("goes through a proxy with its credentials, and through a tunnel with an agent", async () => {
    const asked: string[] = [];
    const proxy = await startServer((request, response) => {
      asked.push(
        `${request.method} ${request.url} ${request.headers["proxy-authorization"]} ${request.headers.host}`,
      );
      response.end("by proxy");
    });
    const send = client({
      proxyFor: () => new URL(proxy.url),
      proxyAuthorization: () => "Basic eDp5",
    });
    expect(text(await send("http://journeys.test:81/x?y"))).toBe("by proxy");
    expect(asked).toEqual(["GET http://journeys.test:81/x?y Basic eDp5 journeys.test:81"]);
  });
});

describe("a policy on addresses", () => {
  test.each([
    "127.0.0.1",
    "10.1.2.3",
    "172.31.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "0.0.0.0",
    "224.0.0.1",
    "255.255.255.255",
    "::1",
    "::",
    "fe80::1",
    "fd00::1",
    "::ffff:10.0.0.1",
    "::ffff:7f00:1",
    "64:ff9b::a00:1",
    "2002:a00:1::",
    "ff02::1",
    "localhost",
    "",
  ])("refuses %s", (address) => {
    expect(refuse(address)).toMatchObject({ allowed: false });
  });

  test.each(["1.1.1.1", "93.184.216.34", "2606:4700::1111", "::ffff:1.1.1.1"])("allows %s", (address) => {
    expect(refuse(address)).toEqual({ allowed: true });
  });

  test.each([
    "http://127.0.0.1:PORT/",
    "http://[::ffff:127.0.0.1]:PORT/",
    "http://localhost:PORT/",
    "http://0x7f.1:PORT/",
  ])("%s is refused before anything is connected", async (address) => {
    const server = await startServer((_, response) => response.end("inside"));
    const sent = client({ allowsAddress: refuse })(address.replace("PORT", String(server.port)));
    await expect(sent).rejects.toMatchObject({ code: "forbidden" });
    expect(server.sockets.size).toBe(0);
  });

  test("refuses a name that a proxy would connect to, and one that can't be looked up", async () => {
    const asked: string[] = [];
    const proxy = await startServer((request, response) => {
      asked.push(request.url ?? "");
      response.end("by proxy");
    });
    const proxyFor = () => new URL(`http://localhost:${proxy.port}`);
    const guarded = client({ proxyFor, allowsAddress: refuse });
    await expect(guarded("http://localhost:81/")).rejects.toMatchObject({
      code: "forbidden",
      message: expect.stringMatching(/ is no public address/),
    });
    await expect(guarded(`http://${"a".repeat(64)}.test/`)).rejects.toMatchObject({
      code: "forbidden",
      message: expect.stringMatching(/can't be looked up here/),
    });
    expect(asked).toEqual([]);
    // The proxy itself may be on this machine.
    expect(text(await guarded("http://1.1.1.1/"))).toBe("by proxy");
    const open = client({ proxyFor, allowsAddress: () => ({ allowed: true }) });
    expect(text(await open("http://localhost:81/"))).toBe("by proxy");
  });

  test("lets through what it allows", async () => {
    const server = await startServer((_, response) => response.end("ok"));
    const send = client({ allowsAddress: () => ({ allowed: true }) });
    expect(text(await send(`http://localhost:${server.port}/`))).toBe("ok");
  });
});

test("a connection that can't be made is unreachable", async () => {
  const server = createTcpServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  await new Promise((resolve) => server.close(resolve));
  await expect(client()(`http://127.0.0.1:${port}/`)).rejects.toMatchObject({
    code: "unreachable",
    message: `The request to http://127.0.0.1:${port} failed: the connection was refused.`,
  });
});

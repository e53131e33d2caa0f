import { createServer, request as httpRequest } from "node:http";
import { connect } from "node:net";
import { onTestFinished } from "vitest";

/** A proxy that connects every host to one port, and records its requests. */
export async function startProxy(target: { port: number }) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers["proxy-authorization"]}`);
    const { pathname } = new URL(request.url ?? "");
    const { method, headers } = request;
    const onward = httpRequest({ port: target.port, method, path: pathname, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    request.pipe(onward);
  });
  server.on("connect", (request, socket) => {
    asked.push(`CONNECT ${request.url} ${request.headers["proxy-authorization"]}`);
    const onward = connect(target.port, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      onward.pipe(socket).pipe(onward);
    });
    onward.on("error", () => socket.destroy());
    socket.on("error", () => onward.destroy());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return { url: `http://user:pass@127.0.0.1:${port}`, asked };
}

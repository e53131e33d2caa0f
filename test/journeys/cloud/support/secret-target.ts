import { createServer } from "node:http";
import type { IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { encodingsOf } from "../../support/secret.ts";

export interface SecretTarget extends AsyncDisposable {
  url: string;
  port: number;
  requests: { path: string; headers: IncomingHttpHeaders; body: string }[];
  /** While it is set, `/echo` does not answer. */
  held: Promise<void> | undefined;
}

/** An api that gives out tokens, and answers with all that it was sent and has given, in every form that servers use. */
export async function startSecretTarget(given: Readonly<Record<string, string>>): Promise<SecretTarget> {
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (part: string) => (body += part));
    request.on("end", () => {
      const path = request.url ?? "";
      target.requests.push({ path, headers: request.headers, body });
      const json = (content: unknown) => {
        response.writeHead(200, {
          "content-type": "application/json",
          "set-cookie": `sid=${given["cookie"]}; Path=/; HttpOnly`,
          "x-echo": Buffer.from(JSON.stringify(given)).toString("base64"),
        });
        response.end(JSON.stringify(content));
      };
      if (path.startsWith("/login")) return json({ ...given, word: "ordinary text" });
      const sent = Object.fromEntries(
        Object.entries(given).map(([name, value]) => [`about ${name}`, encodingsOf(value)]),
      );
      void (target.held ?? Promise.resolve()).then(() =>
        json({ sent, nested: JSON.stringify(sent), headers: request.headers, path, body }),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const target: SecretTarget = {
    url: `http://127.0.0.1:${port}`,
    port,
    requests: [],
    held: undefined,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return target;
}

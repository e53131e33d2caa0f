// The server that all runners of journeys send their requests to. It uses as little processor time as possible.
import { createServer } from "node:http";
import { serveCalls } from "../support/calls.ts";

const things = new Map<string, { id: string; name: string; price: number; version: number }>();
let ids = 0;
/** When things were made, by who made them: the query `by` of the request. */
const madeAt = new Map<string, number>();

const server = createServer((request, response) => {
  let text = "";
  request.setEncoding("utf8");
  request.on("data", (chunk: string) => (text += chunk));
  request.on("end", () => {
    const [path = "", search] = (request.url ?? "").split("?");
    const [, , id] = path.split("/");
    if (search !== undefined && id === undefined && request.method === "POST")
      madeAt.set(new URLSearchParams(search).get("by") ?? "", performance.timeOrigin + performance.now());
    const [status, body] = answer(request.method ?? "", id, text);
    const headers = body === undefined ? {} : { "content-type": "application/json" };
    response.writeHead(status, headers).end(body === undefined ? undefined : JSON.stringify(body));
  });
});

function answer(method: string, id: string | undefined, text: string): [number, unknown?] {
  if (id === undefined) {
    if (method === "GET") return [200, { things: [...things.values()] }];
    const thing = { ...JSON.parse(text), id: `t${++ids}`, version: 1 };
    things.set(thing.id, thing);
    return [201, thing];
  }
  const thing = things.get(id);
  if (thing === undefined) return [404, { error: "there is no such thing" }];
  if (method === "DELETE") {
    things.delete(id);
    return [204];
  }
  if (method === "PUT") Object.assign(thing, JSON.parse(text), { version: thing.version + 1 });
  return [200, thing];
}

const port = new Promise<number>((resolve) => {
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    resolve(typeof address === "object" && address !== null ? address.port : 0);
  });
});

serveCalls({
  ready: () => port,
  /** How many are left: a runner that removes what it makes leaves none. */
  left: () => things.size,
  /** On the clock of this machine, in milliseconds; null if it made nothing yet. */
  madeAt: (by: string) => madeAt.get(by) ?? null,
});

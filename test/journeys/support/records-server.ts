import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { isObject } from "@waymark/openapi/json.ts";

type Row = Record<string, unknown> & { id: string };

/** The fault to simulate for a request; undefined for none. */
export type Fault = (request: {
  method: string;
  path: string;
  body: Record<string, unknown>;
}) => FaultAnswer | undefined;

/** `after`: the fault comes after the request took effect. */
interface FaultAnswer {
  status: number;
  headers?: Record<string, string>;
  body?: unknown;
  after?: boolean;
}

export interface RecordsServer extends AsyncDisposable {
  url: string;
  rows: Map<string, Row>;
  requests: { method: string; path: string; authorization: string | undefined; body: unknown }[];
  fault: Fault | undefined;
}

/** A real HTTP server that keeps records under `/<collection>` and counts their versions in the given field. */
export async function startRecordsServer(options: {
  collection: string;
  versionField: string;
  token: string;
}): Promise<RecordsServer> {
  const rows = new Map<string, Row>();
  const server = createServer((request, response) => {
    void handle(request, response);
  });
  const self: RecordsServer = {
    url: "",
    rows,
    requests: [],
    fault: undefined,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  let nextId = 1;
  const work = (
    method: string,
    id: string | undefined,
    body: Record<string, unknown>,
  ): [number, unknown?] => {
    if (id === undefined) {
      if (method === "GET") return [200, { [options.collection]: [...rows.values()] }];
      const row = { ...body, id: `r${nextId++}`, [options.versionField]: 1 };
      rows.set(row.id, row);
      return [201, row];
    }
    const row = rows.get(id);
    if (row === undefined) return [404, { error: "no such record" }];
    if (method === "GET") return [200, row];
    if (method === "DELETE") {
      rows.delete(id);
      return [204];
    }
    const changed = { ...row, ...body, [options.versionField]: Number(row[options.versionField]) + 1 };
    rows.set(id, changed);
    return [200, changed];
  };
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const method = request.method ?? "GET";
    const path = (request.url ?? "").split("?")[0] ?? "";
    const body = await readJson(request);
    const { authorization } = request.headers;
    self.requests.push({ method, path, authorization, body });
    if (authorization !== `Bearer ${options.token}`) return send(response, 401, { error: "who are you?" });
    const fault = self.fault?.({ method, path, body });
    const [status, result] =
      fault === undefined || fault.after === true ? work(method, path.split("/")[2], body) : [0];
    if (fault !== undefined) return send(response, fault.status, fault.body, fault.headers);
    send(response, status, result);
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  self.url = `http://127.0.0.1:${address.port}`;
  return self;
}

function send(
  response: ServerResponse,
  status: number,
  body?: unknown,
  headers: Record<string, string> = {},
): void {
  const text = body === undefined ? "" : JSON.stringify(body);
  response.writeHead(status, { ...(text === "" ? {} : { "content-type": "application/json" }), ...headers });
  response.end(text);
}

async function readJson(request: IncomingMessage): Promise<Record<string, unknown>> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  const value: unknown = text === "" ? {} : JSON.parse(text);
  return isObject(value) ? value : {};
}

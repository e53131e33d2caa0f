// The floor of an ingest: read the body, inflate and parse it, store it as it came with one INSERT, answer 201. No key,
// no validation.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Pool } from "pg";
import { serveCalls } from "../support/calls.ts";
import { inflateBody } from "./inflate-body.ts";

// Connections outlast the others' turns, as the product's do.
const pool = new Pool({ connectionString: process.env["DATABASE_URL"], max: 10, idleTimeoutMillis: 0 });
await pool.query(
  "CREATE TABLE bodies (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body bytea NOT NULL)",
);
// As it came: compressing it in Postgres (pglz) costs far more than it saves.
await pool.query("ALTER TABLE bodies ALTER COLUMN body SET STORAGE EXTERNAL");

const server = createServer((request, response) => {
  answer(request, response).catch((error: unknown) => {
    console.error(error);
    response.writeHead(500, { "content-length": 0 }).end();
  });
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

serveCalls({ ready: () => (server.address() as AddressInfo).port });

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readAll(request);
  const json = await inflateBody(body, request.headers["content-encoding"]);
  const scan = JSON.parse(json.toString("utf8")) as { endpoints: unknown[]; findings: unknown[] };
  await pool.query({ name: "insert", text: "INSERT INTO bodies (body) VALUES ($1)", values: [body] });
  const text = JSON.stringify({ endpointCount: scan.endpoints.length, findingCount: scan.findings.length });
  response.writeHead(201, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
  });
  response.end(text);
}

function readAll(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => resolve(Buffer.concat(chunks)));
    request.on("error", reject);
  });
}

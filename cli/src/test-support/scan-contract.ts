import { readFile } from "node:fs/promises";
import path from "node:path";
import { type FakeApiOptions, NO_CHANGES, startFakeApi } from "./fake-api.ts";
import { runCaptured, temporaryFolder } from "./run-captured.ts";

/** The current run of the scanned service. */
export const CURRENT = NO_CHANGES.against;
/** The description of the current run. */
export const BASE = `openapi: 3.0.3
info: { title: Locks, version: "1" }
paths:
  /locks/{id}:
    put:
      operationId: writeLock
      parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
      requestBody:
        content:
          application/json:
            schema:
              type: object
              properties:
                state: { type: string, enum: [open, closed] }
      responses: { "200": { description: d } }
`;
/** A description that breaks clients of `BASE`. */
export const NARROWED = BASE.replace("[open, closed]", "[open]");
export const GATE = ["--fail-on", "breaking"];

interface Scanned {
  head?: string;
  files?: Record<string, string>;
  args?: string[];
  env?: Record<string, string>;
  api?: FakeApiOptions;
  base?: string;
  terminal?: boolean;
}

/** Scans a description while the current run has another one. */
export async function scanContract({
  head = NARROWED,
  files = {},
  args = [],
  env = {},
  api = {},
  base = BASE,
  terminal = false,
}: Scanned) {
  const folder = await temporaryFolder();
  for (const [name, text] of Object.entries({ "api.yaml": head, ...files })) await folder.write(name, text);
  const server = await startFakeApi({
    current: { scanRunId: CURRENT, description: base },
    approvals: [],
    ...api,
  });
  const named = args.includes("--service-from") ? [] : ["--service", "locks", "--spec", "api.yaml"];
  const result = await runCaptured(
    ["scan", ...named, "--promote", "--api-key", "k", "--api-url", server.url, ...args],
    { cwd: folder.path, env, terminal, times: { attemptsMax: 1, attemptMs: 2_000, checkMs: 500 } },
  );
  const summary = () => readFile(path.join(folder.path, "summary.md"), "utf8");
  const isPromoted = [...server.runs.values()].map(({ promoted }) => promoted);
  return { ...result, server, folder, summary, isPromoted };
}

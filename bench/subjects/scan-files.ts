// Runs `waymark scan --dry-run --json` on every JSON description below a folder, in one process: node scan-files.ts FOLDER.
// Prints, by file, the number and a hash of the sorted operations of the scan, or why it was refused.
import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import path from "node:path";
import { PassThrough } from "node:stream";
import { runCli } from "../../cli/src/app/run-cli.ts";
import { DEFAULT_TIMES } from "../../cli/src/http/times.ts";

interface Printed {
  payload?: { endpoints: { method: string; path: string }[] };
  error?: { message: string };
}

const folder = process.argv[2] ?? "";
const seen: Record<string, unknown> = {};
for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
  if (name.endsWith(".json")) seen[name] = await scan(name);
}
process.stdout.write(JSON.stringify(seen));

async function scan(name: string): Promise<unknown> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough().resume()];
  const chunks: Buffer[] = [];
  stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  await runCli(["scan", "--dry-run", "--json", "--service", "bench", "--spec", name], {
    env: {},
    cwd: path.resolve(folder),
    times: DEFAULT_TIMES,
    openStdin: () => process.stdin,
    stdout,
    stderr,
    colorDepth: 1,
  });
  const printed = JSON.parse(Buffer.concat(chunks).toString()) as Printed;
  if (printed.payload === undefined) return { refused: printed.error?.message ?? "no reason" };
  const operations = printed.payload.endpoints.map((endpoint) => `${endpoint.method} ${endpoint.path}`);
  const hash = createHash("sha256").update(operations.toSorted().join("\n")).digest("hex");
  return { count: operations.length, hash };
}

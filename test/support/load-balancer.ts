import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { setTimeout as sleep } from "node:timers/promises";
import { root } from "../../scripts/bootstrap/checkout.mjs";
import { findFreePort } from "../../scripts/postgres/free-port.ts";
import { findOrInstall } from "./debian-package.ts";

const endWithParent = fileURLToPath(new URL("end-with-parent.ts", import.meta.url));
const MANUAL =
  "This test needs a real load balancer: put haproxy on the PATH (Debian and Ubuntu: apt-get install haproxy; " +
  "macOS: brew install haproxy).";
const START_MS = 60_000;

export interface LoadBalancer extends AsyncDisposable {
  baseUrl: string;
  /** How often it removed a server because of health checks, for all servers together. */
  drains(): Promise<number>;
}

/**
 * HAProxy in front of apis, as an operator would run it: it routes by `/readyz`.
 *
 * @param configure its configuration, without statistics
 * @throws Error that says what to do if there is no HAProxy
 */
export async function startLoadBalancer(
  baseUrls: readonly string[],
  configure: (baseUrls: readonly string[], port: number) => string = quickConfiguration,
): Promise<LoadBalancer> {
  const program = await findOrInstall(["haproxy"], { debianPackage: "haproxy", manual: MANUAL });
  if (!("file" in program)) throw new Error(program.whatToDo);
  const [port, statsPort] = [await findFreePort(), await findFreePort()];
  const folder = mkdtempSync(path.join(tmpdir(), "waymark-haproxy-"));
  const file = path.join(folder, "haproxy.cfg");
  writeFileSync(file, `${configure(baseUrls, port)}${statistics(statsPort)}`);
  const child = spawn(process.execPath, [endWithParent, program.file, "-db", "-f", file], {
    stdio: ["pipe", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += String(chunk)));

  const servers = async () => {
    const response = await fetch(`http://127.0.0.1:${statsPort}/;csv`, {
      signal: AbortSignal.timeout(5_000),
    });
    return parseServers(await response.text());
  };
  const deadline = Date.now() + START_MS;
  const isUp = async () => (await servers()).every(({ status }) => status === "UP");
  while (!(await isUp().catch(() => false))) {
    if (child.exitCode !== null || Date.now() > deadline)
      throw new Error(`HAProxy did not start:\n${output}`);
    await sleep(50);
  }
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    drains: async () => (await servers()).reduce((sum, { downs }) => sum + downs, 0),
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      if (child.exitCode === null) await once(child, "exit");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Returns the compose file's HAProxy configuration, with these apis in place of Docker's name server. */
export function composeConfiguration(baseUrls: readonly string[], port: number): string {
  const servers = baseUrls.map((url, index) => `server api${index} ${new URL(url).host}`);
  return readFileSync(path.join(root, "deploy/haproxy.cfg"), "utf8")
    .replace("bind :3000", `bind 127.0.0.1:${port}`)
    .replace(/server-template .*/, servers.join("\n  "));
}

/** Returns a configuration with short times: a check fails after a second, as Kubernetes' probes do. */
export function quickConfiguration(baseUrls: readonly string[], port: number): string {
  const servers = baseUrls.map((url, index) => `  server api${index} ${new URL(url).host} check`);
  return `
defaults
  mode http
  timeout connect 2s
  timeout client 30s
  timeout server 30s
  timeout check 1s
frontend ingest
  bind 127.0.0.1:${port}
  default_backend apis
backend apis
  option httpchk GET /readyz
  http-check expect status 200
  default-server inter 500ms fall 2 rise 1
${servers.join("\n")}
`;
}

function statistics(port: number): string {
  return `
frontend statistics
  bind 127.0.0.1:${port}
  stats enable
  stats uri /
`;
}

function parseServers(csv: string): { status: string; downs: number }[] {
  const [head = "", ...lines] = csv.replace(/^# /, "").trim().split("\n");
  const names = head.split(",");
  const rows = lines.map((line) => {
    const cells = line.split(",");
    return (name: string) => cells[names.indexOf(name)] ?? "";
  });
  return rows
    .filter((cell) => cell("pxname") === "apis" && cell("svname") !== "BACKEND")
    .map((cell) => ({ status: cell("status").split(" ")[0] ?? "", downs: Number(cell("chkdown")) }));
}

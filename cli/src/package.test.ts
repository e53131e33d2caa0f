import { execFile } from "node:child_process";
import { chmod, copyFile, readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { packedCommand } from "@waymark/test-support/packed-command.ts";
import { beforeAll, describe, expect, test } from "vitest";
import { startFakeApi } from "./test-support/fake-api.ts";
import { RUN_ID } from "./test-support/fake-server.ts";
import { temporaryFolder, type TemporaryFolder } from "./test-support/run-captured.ts";
import { VERSION } from "./lib/version.ts";

const run = promisify(execFile);
const packageFolder = path.resolve(import.meta.dirname, "..");

/** This Node, and every other version on the PATH: the package promises Node 20.19 and later. */
async function findNodes(): Promise<string[]> {
  const list = 'IFS=:; for folder in $PATH; do [ -x "$folder/node" ] && echo "$folder/node"; done; true';
  const { stdout } = await run("sh", ["-c", list]);
  const versions = new Map<string, string>();
  for (const node of [process.execPath, ...stdout.split("\n").filter((line) => path.isAbsolute(line))]) {
    const { stdout: version } = await run(node, ["--version"]);
    if (!versions.has(version)) versions.set(version, node);
  }
  return [...versions.values()];
}

/** `nobody` if the tests run as root, who has all permissions; otherwise the current user. */
const ordinaryUser = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** A Node that every user can run: one in root's home is copied. */
async function reachable(node: string, folder: TemporaryFolder): Promise<string> {
  if (process.getuid?.() !== 0) return node;
  const copy = path.join(folder.path, `node-${path.dirname(node).replaceAll("/", "-")}`);
  await copyFile(node, copy);
  return copy;
}

describe("the packed file", () => {
  let nodes: string[] = [];
  beforeAll(async () => {
    nodes = await findNodes();
  });

  test(
    "is installed by an ordinary user without dependencies or network, and scans on every Node that is here",
    { timeout: 300_000 },
    async () => {
      const folder = await temporaryFolder();
      const tarball = await packedCommand();
      await chmod(folder.path, 0o777);
      await chmod(await folder.write("clean/package.json", "{}"), 0o666);
      const spec = await folder.write("clean/openapi.yaml", "openapi: 3.1.0\npaths: { /a: { get: {} } }\n");
      const cwd = path.join(folder.path, "clean");
      await chmod(cwd, 0o777);
      const env = { PATH: process.env["PATH"], HOME: folder.path, TMPDIR: folder.path };
      const asUser = { ...ordinaryUser, cwd, env };
      const install = ["install", "--offline", "--no-audit", "--no-fund", tarball];
      await run("npm", install, asUser).catch((error: NodeJS.ErrnoException) => {
        // An ordinary user can't reach an npm in root's home.
        if (error.code !== "EACCES") throw error;
        return run("npm", install, { cwd });
      });
      expect(await readdir(path.join(cwd, "node_modules"))).toEqual([
        ".bin",
        ".package-lock.json",
        "waymark",
      ]);
      const manifest = JSON.parse(
        await readFile(path.join(cwd, "node_modules/waymark/package.json"), "utf8"),
      );
      expect(manifest.dependencies).toBeUndefined();
      const installedFiles = await readdir(path.join(cwd, "node_modules/waymark"));
      expect(installedFiles.toSorted()).toEqual([
        "LICENSE",
        "README.md",
        "bin",
        "dist",
        "package.json",
        "screenshots",
      ]);
      const licenses = path.join(cwd, "node_modules/waymark/dist/THIRD-PARTY-LICENSES.txt");
      const manual = await readFile(path.join(cwd, "node_modules/waymark", manifest.man), "utf8");
      expect(manual).toMatch(/^\.TH WAYMARK 1 .*\n\.SH NAME\n/);
      expect(await readFile(licenses, "utf8")).toMatch(/^diff \d.*\(BSD-3-Clause\)\n\n.*\n\nCopyright/m);

      const server = await startFakeApi();
      const bin = path.join(cwd, "node_modules/waymark/bin/waymark.mjs");
      for (const installed of nodes) {
        const node = await reachable(installed, folder);
        expect((await run(node, [bin, "--version"], asUser)).stdout).toBe(`${VERSION}\n`);
        const args = [
          "scan",
          "--service",
          "s",
          "--spec",
          spec,
          "--api-key",
          "k",
          "--api-url",
          server.url,
          "--lint",
        ];
        const { stdout } = await run(node, [bin, ...args], asUser);
        expect(stdout).toMatch(
          new RegExp(`^Scan ingested: ${RUN_ID}\nResult URL: .*\nEndpoints: 1; findings: [1-9]\\d*\n$`),
        );
      }
      expect(server.requests.filter(({ method }) => method === "POST")).toHaveLength(nodes.length);
    },
  );
});

test("the package has the licence of the repository, and its README no link to a file that is not packed", async () => {
  const read = (name: string) => readFile(path.join(packageFolder, name), "utf8");
  expect(await read("LICENSE")).toBe(await read("../LICENSE"));
  const links = (await read("README.md")).matchAll(/\]\((?!https:)([^)]*)\)/g);
  const targets = [...links].map(([, target]) => target);
  const pictures = (await readdir(path.join(packageFolder, "screenshots"))).map(
    (name) => `screenshots/${name}`,
  );
  expect(new Set(targets)).toEqual(new Set(pictures));
});

test("from a checkout the command is started by its bin file, with the exit code of what it did", async () => {
  const bin = path.join(packageFolder, "bin/waymark.mjs");
  const failed = await run(process.execPath, [bin, "scan"], { env: {} }).catch((error: unknown) => error);
  expect(failed).toMatchObject({ code: 2, stdout: "", stderr: expect.stringMatching(/^API key required/) });
});

/** Starts `waymark --version` on a Node that reports another version. */
async function versionOn(node: string): Promise<unknown> {
  const pretended = JSON.stringify({ version: `v${node}`, versions: { ...process.versions, node } });
  const script = `for (const [name, value] of Object.entries(${pretended})) Object.defineProperty(process, name, { value });`;
  const bin = path.join(packageFolder, "bin/waymark.mjs");
  const args = ["--import", `data:text/javascript,${encodeURIComponent(script)}`, bin, "--version"];
  return run(process.execPath, args).catch((error: unknown) => error);
}

test.each(["18.20.8", "20.18.3"])("on Node %s the command names the version that it needs", async (node) => {
  const stderr = `waymark needs Node 20.19 or later, and this is v${node}. Install a newer Node.\n`;
  expect(await versionOn(node)).toMatchObject({ code: 2, stdout: "", stderr });
});

test.each(["20.19.0", "22.0.0"])("on Node %s the command runs", async (node) => {
  expect(await versionOn(node)).toMatchObject({ stdout: `${VERSION}\n`, stderr: "" });
});

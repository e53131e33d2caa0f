import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { startFakeServer } from "../test-support/fake-server.ts";
import { runCaptured, temporaryFolder } from "../test-support/run-captured.ts";

const BIN = fileURLToPath(new URL("../../bin/waymark.mjs", import.meta.url));
const KEY = "wmk_aBcDeFgHiJkL_this-is-the-key-of-the-pipeline";
const SPEC = '{"openapi":"3.1.0","info":{"title":"T","version":"1"},"paths":{}}';

/** Records what it can see of its process when it is loaded and called. */
const PLUGIN = `
import { writeFileSync } from "node:fs";
const seen = () => writeFileSync(new URL("seen.json", import.meta.url), JSON.stringify([process.env, process.argv]));
seen();
export default () => { seen(); return { id: "p", rules: { oas3: { r: () => ({ Root: seen }) } } }; };
`;

/** Every way in which a file of a checkout can make the rule engine load code. */
const WAYS: Record<
  string,
  { files: Record<string, string>; args: string[]; plugin: string; isInvalid?: boolean }
> = {
  "rules of waymark.yaml": {
    files: {
      "waymark.yaml": "rules: rules.yaml\n",
      "rules.yaml": "plugins: [./plugin.mjs]\nrules: { p/r: error }\n",
    },
    args: [],
    plugin: "plugin.mjs",
  },
  "--rules": {
    files: { "rules.yaml": "plugins: [./plugin.mjs]\nrules: { p/r: error }\n" },
    args: ["--rules", "rules.yaml"],
    plugin: "plugin.mjs",
  },
  "a ruleset that another extends": {
    files: {
      "rules.yaml": "extends: [./deep/more.yaml]\n",
      "deep/more.yaml": "plugins: [../plugin.mjs]\nrules: { p/r: error }\n",
    },
    args: ["--rules", "rules.yaml"],
    plugin: "plugin.mjs",
  },
  "rules of one api": {
    files: { "rules.yaml": "apis: { a: { root: openapi.json, plugins: [./plugin.mjs] } }\n" },
    args: ["--rules", "rules.yaml"],
    plugin: "plugin.mjs",
    // The engine doesn't support plugins there, but reports that only after running them.
    isInvalid: true,
  },
  "a module of the checkout": {
    files: {
      "rules.yaml": "plugins: [evil]\nrules: { p/r: error }\n",
      "node_modules/evil/package.json": '{"name":"evil","main":"plugin.mjs"}',
    },
    args: ["--rules", "rules.yaml"],
    plugin: "node_modules/evil/plugin.mjs",
  },
  "the engine's own @theme folder beside the ruleset": {
    files: { "rules.yaml": "rules: { operation-summary: error }\n", "package.json": '{"type":"module"}' },
    args: ["--rules", "rules.yaml"],
    plugin: "@theme/plugin.mjs",
  },
};

async function checkout({ files, plugin }: { files: Record<string, string>; plugin: string }) {
  const folder = await temporaryFolder();
  await folder.write("openapi.json", SPEC);
  await folder.write(plugin, PLUGIN);
  for (const [name, text] of Object.entries(files)) await folder.write(name, text);
  return { cwd: folder.path, seen: path.join(folder.path, path.dirname(plugin), "seen.json") };
}

const SCAN = ["scan", "--service", "s", "--spec", "openapi.json", "--lint"];

describe.each(Object.entries(WAYS))("a plugin by way of %s", (_, way) => {
  test("is not loaded without --allow-plugins: the refusal names its file, and nothing is sent", async () => {
    const server = await startFakeServer();
    const { cwd, seen } = await checkout(way);
    const env = { SERVICE_API_KEY: KEY, SERVICE_API_URL: server.url };
    const result = await runCaptured([...SCAN, ...way.args], { cwd, env });
    expect(result).toMatchObject({ exitCode: 2, stdout: "" });
    expect(result.stderr).toContain("runs plugins, which are code");
    expect(result.stderr).toContain(`plugin: ${path.join(cwd, way.plugin)}`);
    expect(result.stderr).toContain("--allow-plugins or set WAYMARK_ALLOW_PLUGINS=true");
    expect(existsSync(seen)).toBe(false);
    expect(server.requests).toEqual([]);
  });
});

const VALID_WAYS = Object.entries(WAYS).filter(([, way]) => way.isInvalid !== true);

describe.each(VALID_WAYS)("a plugin by way of %s", (_, way) => {
  test("is loaded if the operator allows it, and finds the key neither in the environment nor on the command line", async () => {
    const server = await startFakeServer();
    const { cwd, seen } = await checkout(way);
    const run = (args: string[], env: Record<string, string>) =>
      promisify(execFile)(process.execPath, [BIN, ...SCAN, ...way.args, "--api-url", server.url, ...args], {
        cwd,
        env: { PATH: process.env["PATH"], ...env },
      });
    // GitLab's own variable, from which a job makes SERVICE_API_KEY, and one that has the key inside.
    await run([], {
      SERVICE_API_KEY: KEY,
      WAYMARK_API_KEY: KEY,
      HEADER: `Bearer ${KEY}`,
      OTHER: "stays",
      WAYMARK_ALLOW_PLUGINS: "true",
    });
    const fromEnvironment = await readFile(seen, "utf8");
    expect(fromEnvironment).toContain('"OTHER":"stays"');
    expect(fromEnvironment).not.toContain(KEY);
    await run(["--api-key", KEY, "--allow-plugins"], {});
    expect(await readFile(seen, "utf8")).not.toContain(KEY);
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${KEY}`,
      `Bearer ${KEY}`,
    ]);
  });
});

test("without a ruleset nothing of the checkout is loaded, even if plugins are allowed", async () => {
  const server = await startFakeServer();
  const { cwd, seen } = await checkout({
    files: { "package.json": '{"type":"module"}' },
    plugin: "@theme/plugin.js",
  });
  const env = { SERVICE_API_KEY: KEY, SERVICE_API_URL: server.url, PATH: process.env["PATH"] };
  for (const args of [SCAN, [...SCAN, "--allow-plugins"]]) {
    await promisify(execFile)(process.execPath, [BIN, ...args], { cwd, env });
  }
  expect(server.requests.filter(({ method }) => method === "POST")).toHaveLength(2);
  expect(existsSync(seen)).toBe(false);
});

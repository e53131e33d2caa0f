import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { root } from "../../scripts/bootstrap/checkout.mjs";
import { temporaryFolder, waymark } from "./support/waymark.ts";

/** The command lines in docs/journeys.md, except those that need a shell or another server. */
function documentedCommands(): string[] {
  const page = readFileSync(path.join(root, "docs/journeys.md"), "utf8");
  return [...page.matchAll(/^npx waymark (journey .*)$/gm)].map(([, command = ""]) => command);
}

/** The example's server, on a port of its own. */
async function startServer(): Promise<string> {
  const child = spawn(process.execPath, [path.join(root, "examples/journeys/server.mjs"), "0"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => {
    child.kill();
  });
  child.stdout.setEncoding("utf8");
  const [line]: unknown[] = await once(child.stdout, "data");
  const url = /http:\S+/.exec(String(line))?.[0];
  if (url === undefined) throw new Error(`the server said ${String(line)}`);
  return url;
}

test("every command of docs/journeys.md does what the page says, on the example's own server", async () => {
  const url = await startServer();
  const commands = documentedCommands();
  expect(commands.length).toBeGreaterThanOrEqual(8);
  // Files are written to a temporary folder, from which the example's are referenced.
  const cwd = temporaryFolder();
  const outputs = [];
  for (const command of commands) {
    const args = command
      .split(" ")
      .map((word) => word.replace(/(^|=)examples\//, `$1${path.join(root, "examples")}/`));
    const server = args[1] === "run" ? ["--server", `notes=${url}`] : [];
    const ended = await waymark([...args, ...server], { cwd, env: { NOTES_TOKEN: "let-me-in" } });
    const expected = command.includes("--strict-contract") ? 1 : 0;
    expect({ command, ...ended }).toMatchObject({ command, exitCode: expected, stderr: "" });
    outputs.push(ended.stdout);
  }
  const all = outputs.join("");
  expect(all).toContain("acceptance: 2 of 3 proven");
  expect(all).toContain("acceptance: 3 of 3 proven");
  expect(all).toContain("contract response-schema at /stars");
  expect(all).toMatch(/Artifact: sha256:[0-9a-f]{64}\nFile: notes\.artifact\.json\n/);
  expect(all).toContain("Operations called: 5 of 5 (100 %)");
});

test("neither --version nor a scan loads the journey engine", async () => {
  // The names of the report formats are no engine: the help lists them.
  const spy =
    "import{registerHooks}from'node:module';registerHooks({load(u,c,n){if(u.includes('packages/journeys')&&!u.endsWith('/report/formats.ts'))console.error(u);return n(u,c)}})";
  const main = path.join(root, "cli/src/main.ts");
  const spec = path.join(root, "examples/bookshop.openapi.yaml");
  const loaded = async (args: readonly string[]): Promise<string> => {
    const child = spawn(
      process.execPath,
      ["--import", `data:text/javascript,${encodeURIComponent(spy)}`, main, ...args],
      {
        stdio: ["ignore", "ignore", "pipe"],
      },
    );
    let text = "";
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    await once(child, "close");
    return text;
  };
  expect(await loaded(["--version"])).toBe("");
  expect(await loaded(["scan", "--dry-run", "--service", "s", "--spec", spec])).toBe("");
  // Checks that the spy sees it when it is loaded.
  const journey = path.join(root, "examples/journeys/notes.journey.yaml");
  expect(await loaded(["journey", "lint", journey])).toContain("lint-loaded.ts");
});

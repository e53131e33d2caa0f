// `npm run screenshots` also takes the pictures of cli/screenshots again (or those of the folder in WAYMARK_SCREENSHOTS): what the
// real command prints on a terminal, with a real server and a real API.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { cleanEnvironment } from "@waymark/test-support/run-node.ts";
import { startStack } from "@waymark/test-support/stack.ts";
import { expect, onTestFinished, test } from "vitest";
import { root } from "../../../scripts/bootstrap/checkout.mjs";
import { findFreePort } from "../../../scripts/postgres/free-port.ts";
import { terminalSvg } from "./terminal-svg.ts";

const EXAMPLES = path.join(root, "examples");
const COLUMNS = "110";

/** By name: the command line as a user types it, the exit code that it must have, and what the picture shows. */
const PICTURES = {
  scan: {
    line: "waymark scan --service bookshop --spec openapi.yaml --lint",
    exitCode: 0,
    title: "A scan on a terminal: its findings with file and line, and the address of its result",
  },
  diff: {
    line: "waymark diff main.yaml openapi.yaml --fail-on-removed",
    exitCode: 1,
    title:
      "Two descriptions compared: what was added and removed, what breaks clients, and a gate that failed",
  },
  journey: {
    line: "waymark journey run notes.journey.yaml",
    exitCode: 0,
    title:
      "A journey: each step with its request, its assertions and its values, and the acceptance criteria",
  },
  "journey-failed": {
    line: "waymark journey run rating.journey.yaml",
    exitCode: 1,
    title:
      "A journey that failed: the actual and the expected value, the response, the line, and the teardown that ran all the same",
  },
} as const;

test("the pictures of the terminal", async () => {
  const target = path.resolve(root, process.env["WAYMARK_SCREENSHOTS"] ?? "cli/screenshots");
  await mkdir(target, { recursive: true });
  await using stack = await startStack();
  const cwd = await prepareFolder();
  const env = {
    ...(await startExampleApi(cwd)),
    SERVICE_API_KEY: stack.apiKey,
    SERVICE_API_URL: stack.api.baseUrl,
  };
  for (const [name, { line, exitCode, title }] of Object.entries(PICTURES)) {
    const printed = await atTerminal(line, { cwd, env });
    expect({ line, exitCode: printed.exitCode }).toEqual({ line, exitCode });
    expect(printed.output).not.toContain(stack.apiKey);
    await writeFile(path.join(target, `${name}.svg`), terminalSvg(`$ ${line}\n${printed.output}`, title));
  }
});

/** A folder with descriptions and a journey, as a user has them, and with the command. */
async function prepareFolder(): Promise<string> {
  const cwd = await mkdtemp(path.join(tmpdir(), "waymark-pictures-"));
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
  await copyFile(path.join(EXAMPLES, "bookshop.openapi.yaml"), path.join(cwd, "openapi.yaml"));
  const text = await readFile(path.join(cwd, "openapi.yaml"), "utf8");
  // The description of the main branch had another path for books.
  const before = text
    .replace("  /books:\n", "  /titles:\n")
    .replace("operationId: listBooks", "operationId: list");
  await writeFile(path.join(cwd, "main.yaml"), before);
  for (const name of ["notes.journey.yaml", "notes.openapi.yaml"]) {
    await copyFile(path.join(EXAMPLES, "journeys", name), path.join(cwd, name));
  }
  // A copy of the journey has an assertion that the API doesn't meet.
  const journey = await readFile(path.join(cwd, "notes.journey.yaml"), "utf8");
  const failing = journey
    .replace("title: The life of a note", "title: The rating of a note")
    .replace("$response.body#/stars == $inputs.stars", "$response.body#/stars == 5");
  await writeFile(path.join(cwd, "rating.journey.yaml"), failing);
  await mkdir(path.join(cwd, "bin"));
  const command = `#!/bin/sh\nexec "${process.execPath}" "${path.join(root, "cli/bin/waymark.mjs")}" "$@"\n`;
  await writeFile(path.join(cwd, "bin/waymark"), command, { mode: 0o755 });
  return cwd;
}

/** Starts the example API, and names it to the journey by its settings. */
async function startExampleApi(cwd: string): Promise<Record<string, string>> {
  const port = await findFreePort();
  const server = spawn(process.execPath, [path.join(EXAMPLES, "journeys/server.mjs"), String(port)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void server.kill());
  await once(server.stdout, "data");
  const description = path.join(cwd, "notes.openapi.yaml");
  const text = await readFile(description, "utf8");
  await writeFile(description, text.replaceAll(/127\.0\.0\.1:\d+|localhost:\d+/g, `127.0.0.1:${port}`));
  return { NOTES_TOKEN: "let-me-in" };
}

/** Runs a command line at a pseudo-terminal, which `script` of util-linux makes. */
async function atTerminal(line: string, { cwd, env }: { cwd: string; env: Record<string, string> }) {
  const variables = { ...cleanEnvironment(env), TERM: "xterm-256color", COLUMNS };
  const ended = await promisify(execFile)("script", ["-qefc", line, "/dev/null"], {
    cwd,
    env: { ...variables, PATH: `${path.join(cwd, "bin")}:${process.env["PATH"]}` },
  }).catch((error: { stdout: string; code: number }) => error);
  return { output: ended.stdout, exitCode: "code" in ended ? ended.code : 0 };
}

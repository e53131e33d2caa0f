import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { NOTES as example } from "./support/examples.ts";
import { startRecordsServer } from "./support/records-server.ts";
import type { Fault, RecordsServer } from "./support/records-server.ts";
import { runCaptured } from "../../cli/src/test-support/run-captured.ts";
import { temporaryFolder, waymark } from "./support/waymark.ts";

const TOKEN = "s3cret/tok+en";
const inThisProcess: typeof waymark = runCaptured;

describe("the command on the worked example", () => {
  const { steps } = example;
  const journey = join(example.folder, example.journey);
  const overlay = join(example.folder, example.overlay);
  let server: RecordsServer;

  beforeAll(async () => {
    const { collection, versionField } = example;
    server = await startRecordsServer({ collection, versionField, token: TOKEN });
  });
  afterAll(() => server[Symbol.asyncDispose]());
  beforeEach(() => {
    server.rows.clear();
    server.fault = undefined;
  });

  const run = (args: readonly string[], { cwd = temporaryFolder(), by = inThisProcess } = {}) =>
    by(["journey", "run", "--server", `${example.source}=${server.url}`, ...args], {
      cwd,
      env: { [example.secret]: TOKEN },
    });

  test("proves 2 of 3 acceptance criteria without the overlay and 3 of 3 with it, every step shown", async () => {
    // Processes, as users run it.
    const plain = await run([journey], { by: waymark });
    expect(plain).toMatchObject({ exitCode: 0, stderr: "" });
    expect(plain.stdout).toContain("acceptance: 2 of 3 proven");
    const extended = await run([journey, "--overlay", overlay], { by: waymark });
    expect(extended).toMatchObject({ exitCode: 0, stderr: "" });
    expect(extended.stdout).toContain("acceptance: 3 of 3 proven");
    for (const name of Object.values(steps)) expect(extended.stdout).toContain(`✓ ${name}  `);
    expect(extended.stdout).toContain("id = r");
    expect(server.rows.size).toBe(0);
  });

  test("an artifact reports the same as its documents, without their files", async () => {
    const cwd = temporaryFolder();
    const built = await runCaptured(["journey", "build", overlay, "--out", "variant.json"], { cwd });
    expect(built.exitCode).toBe(0);
    const id = /^Artifact: (sha256:\S+)/.exec(built.stdout)?.[1];
    const reports = await Promise.all(
      [["variant.json"], [journey, "--overlay", overlay]].map(async (args, at) => {
        expect((await run([...args, "--report", `json=${at}.json`], { cwd })).exitCode).toBe(0);
        return JSON.parse(readFileSync(join(cwd, `${at}.json`), "utf8"));
      }),
    );
    for (const result of reports) expect(result).toMatchObject({ artifact: id, where: { runner: "cli" } });
    const [fromArtifact, fromDocuments] = reports.map((result) => ({
      acceptance: result.acceptance,
      coverage: result.coverage,
      steps: result.steps.map((step: Record<string, unknown>) => ({ ...meaning(step) })),
    }));
    expect(fromArtifact).toEqual(fromDocuments);
  });

  test.each([
    ["create", "POST", false],
    ["read", "GET", true],
    ["update", "PUT", true],
    ["list", "GET", false],
    ["remove", "DELETE", true],
  ] as const)(
    "a failure of %s exits with 1, shows it, and leaves no record",
    async (name, method, onItem) => {
      server.fault = refuseOnce(method, onItem);
      const result = await run([journey]);
      expect(result.exitCode).toBe(1);
      expect(result.stdout).toMatch(
        new RegExp(
          `✗ ${steps[name]} .*\\n +✗ .*\\n +actual: +\\S.*\\n +expected: +\\S.*\\n.*\\n +at \\S*${example.journey}:\\d+\\n`,
        ),
      );
      expect(server.rows.size).toBe(0);
    },
  );

  test("a record that still exists after its removal fails the overlay's step, with the overlay's line", async () => {
    server.fault = ({ method }) => (method === "DELETE" ? { status: 204 } : undefined);
    const result = await run([journey, "--overlay", overlay]);
    expect(result.exitCode).toBe(1);
    const id = /id: ([\w/-]+)/.exec(readFileSync(overlay, "utf8"))?.[1] ?? "?";
    expect(result.stdout).toMatch(new RegExp(`at \\S*${example.overlay}:\\d+ \\(${id}\\)`));
  });

  test("the artifact is byte for byte the same from another folder, and one flipped byte is refused", async () => {
    const built = [join("a"), join("b", "deep")].map((below) => {
      const folder = join(temporaryFolder(), below);
      mkdirSync(folder, { recursive: true });
      for (const name of [example.journey, example.overlay, example.openapi]) {
        copyFileSync(join(example.folder, name), join(folder, name));
      }
      return folder;
    });
    const texts = await Promise.all(
      built.map(async (folder, at) => {
        const [cwd, below] = at === 0 ? [folder, ""] : [join(folder, ".."), "deep"];
        const args = [
          join(below, example.journey),
          "--overlay",
          join(below, example.overlay),
          "--out",
          "a.json",
        ];
        expect(await runCaptured(["journey", "build", ...args], { cwd })).toMatchObject({ exitCode: 0 });
        return readFileSync(join(cwd, "a.json"), "utf8");
      }),
    );
    expect(texts[1]).toBe(texts[0]);
    const text = texts[0] ?? "";
    const cwd = temporaryFolder();
    for (const at of [2, 15, 60, Math.floor(text.length / 3), Math.floor(text.length / 2), text.length - 3]) {
      const flipped = String.fromCharCode(text.charCodeAt(at) ^ 1);
      writeFileSync(join(cwd, "flipped.json"), text.slice(0, at) + flipped + text.slice(at + 1));
      const refused = await run([join(cwd, "flipped.json")], { cwd });
      expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
    }
    expect(server.rows.size).toBe(0);
  });
});

/** A step's result without times, file names and the server's numbers. */
function meaning({ id, phase, status, assertions }: Record<string, unknown>) {
  const verdicts = Array.isArray(assertions)
    ? assertions.map(({ id: name, status: verdict }) => [name, verdict])
    : [];
  return { id, phase, status, verdicts };
}

/** The first request of each kind is refused without effect. */
function refuseOnce(method: string, onItem: boolean): Fault {
  let done = false;
  return (request) => {
    const isItem = request.path.split("/").length === 3;
    if (done || request.method !== method || isItem !== onItem) return undefined;
    done = true;
    return { status: 500, body: { error: "on purpose" } };
  };
}

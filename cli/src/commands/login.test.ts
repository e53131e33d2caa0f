import { chmod, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { runCli } from "../app/run-cli.ts";
import { DEFAULT_TIMES } from "../http/times.ts";
import { keyFileOf } from "../framework/key-store.ts";
import { startFakeApi } from "../test-support/fake-api.ts";
import { answerJson, startFakeServer } from "../test-support/fake-server.ts";
import { runCaptured, temporaryFolder } from "../test-support/run-captured.ts";

const KEY = "wmk_aBcDeFgHiJkL_typed-by-a-person";
const SPEC = '{"openapi":"3.1.0","info":{"title":"T","version":"1"},"paths":{"/a":{"get":{}}}}';
const SCAN = ["scan", "--service", "s", "--spec", "openapi.json"];

/** A home folder, and a server that accepts one key. */
async function machine() {
  const home = await temporaryFolder();
  await home.write("openapi.json", SPEC);
  const server = await startFakeApi({
    permissions: ["*"],
    intercept: (request, response) => {
      if (request.url === "/healthz") {
        answerJson(response, 200, {});
        return true;
      }
      if (request.headers.authorization === `Bearer ${KEY}`) return false;
      answerJson(response, 401, { error: { code: "invalid_api_key", message: "No." } });
      return true;
    },
  });
  const env = { HOME: home.path };
  return { home, server, env, cwd: home.path, at: ["--api-url", server.url] };
}

/** Every text of every file below a folder. */
async function textsBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return Promise.all(files.map((entry) => readFile(path.join(entry.parentPath, entry.name), "utf8")));
}

describe("waymark login", () => {
  test("stores the key of standard input for its server, readable only by the user, and never shows it", async () => {
    const { server, env, cwd, at } = await machine();
    const login = await runCaptured(["login", ...at], { env, cwd, stdin: `${KEY}\n` });
    expect(login).toMatchObject({ exitCode: 0, stderr: "" });
    const file = keyFileOf(env, server.url) ?? "";
    expect(login.stdout).toBe(
      `Logged in to ${server.url} with the key wmk_abc "ci", which does not expire.\n` +
        `The key is in ${file}, which only you can read. waymark logout removes it.\n`,
    );
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(path.dirname(file))).mode & 0o777).toBe(0o700);

    const scan = await runCaptured([...SCAN, ...at], { env, cwd });
    expect(scan).toMatchObject({ exitCode: 0, stderr: "" });
    expect(server.requests.at(-1)?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(login.stdout + scan.stdout).not.toContain(KEY);
  });

  test("asks on a terminal without showing what is typed, and corrects erased characters", async () => {
    const { server, env, cwd, at } = await machine();
    const asked = await typed(["login", ...at], { env, cwd }, [`wrong${"\u007f".repeat(5)}${KEY}`, "\r"]);
    expect(asked.exitCode).toBe(0);
    expect(asked.rawModes).toEqual([true, false]);
    expect(asked.output).toContain(`API key for ${server.url} (not shown): \n`);
    expect(asked.output).not.toContain(KEY);
    expect(await readFile(keyFileOf(env, server.url) ?? "", "utf8")).toBe(`${KEY}\n`);
  });

  test("stores nothing if it is interrupted", async () => {
    const { env, cwd, at } = await machine();
    const asked = await typed(["login", ...at], { env, cwd }, [KEY, "\u0003"]);
    expect(asked).toMatchObject({ exitCode: 2, rawModes: [true, false] });
    expect(asked.output).toContain("Interrupted: no API key is stored.\n");
    expect((await textsBelow(cwd)).join("")).not.toContain(KEY);
  });

  test.each([
    ["a key that the server refuses", "wmk_wrong", 3, "invalid_api_key"],
    ["an empty line", "\n", 2, "No API key was given, so nothing is stored"],
    ["a text that is no key", "two words", 2, "contains a character that keys never have"],
  ])("stores nothing of %s", async (_, stdin, exitCode, message) => {
    const { env, cwd, at } = await machine();
    const result = await runCaptured(["login", ...at], { env, cwd, stdin });
    expect(result).toMatchObject({ exitCode, stdout: "", stderr: expect.stringContaining(message) });
    expect(await textsBelow(cwd)).toEqual([SPEC]);
    expect(result.stderr.includes(stdin.trim())).toBe(stdin.trim() === "");
  });

  test("takes no key as an argument", async () => {
    const { env, cwd, at } = await machine();
    for (const args of [["--api-key", KEY], [KEY]]) {
      const result = await runCaptured(["login", ...at, ...args], { env, cwd });
      expect(result).toMatchObject({ exitCode: 2, stdout: "" });
      expect(result.stderr).not.toContain(KEY);
    }
  });

  test("sends no key to an address of waymark.yaml, and does not ask for one", async () => {
    const { home, server, env, cwd } = await machine();
    await home.write("waymark.yaml", `url: ${server.url}\n`);
    const result = await runCaptured(["login"], { env, cwd, stdin: KEY });
    expect(result).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("is not sent to") });
    expect(server.requests).toEqual([]);
  });

  test("needs a home folder", async () => {
    const { server, cwd } = await machine();
    const result = await runCaptured(["login", "--api-url", server.url], { env: {}, cwd, stdin: KEY });
    expect(result).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("set HOME") });
  });
});

describe("a stored key", () => {
  test("goes to its server only, which waymark.yaml may name", async () => {
    const { home, server, env, cwd, at } = await machine();
    await runCaptured(["login", ...at], { env, cwd, stdin: KEY });
    await home.write("waymark.yaml", `url: ${server.url}/\n`);
    expect(await runCaptured(SCAN, { env, cwd })).toMatchObject({ exitCode: 0 });
    const other = await startFakeServer();
    for (const args of [
      ["--api-url", other.url],
      ["--api-url", `${server.url}/other`],
    ]) {
      const result = await runCaptured([...SCAN, ...args], { env, cwd });
      expect(result).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("API key required") });
    }
    expect(other.requests).toEqual([]);
  });

  test("comes after options and SERVICE_API_KEY, and login and doctor say which one is used", async () => {
    const { home, env, cwd, at } = await machine();
    const set = { ...env, SERVICE_API_KEY: KEY };
    const login = await runCaptured(["login", ...at], { env: set, cwd, stdin: KEY });
    expect(login.stderr).toBe(
      "Note: SERVICE_API_KEY is set and takes precedence over the stored key: unset it to use that one.\n",
    );
    await home.write("key.txt", KEY);
    const sourceOf = async (options: { env: Record<string, string> }, more: string[] = []) => {
      const { stdout } = await runCaptured(["doctor", ...at, ...more], { ...options, cwd });
      expect(stdout).not.toContain(KEY);
      return /^ok +key from: (.*)$/m.exec(stdout)?.[1];
    };
    expect(await sourceOf({ env })).toMatch(/^waymark login, in \/.*\.key$/);
    expect(await sourceOf({ env: set })).toBe("SERVICE_API_KEY");
    expect(await sourceOf({ env: set }, ["--api-key-file", "key.txt"])).toBe("the file key.txt");
    expect(await sourceOf({ env: set }, ["--api-key", KEY])).toBe("--api-key");
    await home.write("empty.txt", "\n");
    expect(await sourceOf({ env }, ["--api-key-file", "empty.txt"])).toBeUndefined();
  });

  test("is not used if other users can read it, or if it is no key", async () => {
    const { server, env, cwd, at } = await machine();
    await runCaptured(["login", ...at], { env, cwd, stdin: KEY });
    const file = keyFileOf(env, server.url) ?? "";
    await chmod(file, 0o644);
    const shared = await runCaptured([...SCAN, ...at], { env, cwd });
    expect(shared).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("other users can read") });
    await chmod(file, 0o600);
    await writeFile(file, "\n");
    const empty = await runCaptured([...SCAN, ...at], { env, cwd });
    expect(empty).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("is empty") });
    expect(server.requests.filter(({ url }) => url === "/api/scans/ingest")).toEqual([]);
  });

  test("is not looked for by a dry run, which sends nothing", async () => {
    const { server, env, cwd, at } = await machine();
    await runCaptured(["login", ...at], { env, cwd, stdin: KEY });
    await chmod(keyFileOf(env, server.url) ?? "", 0o644);
    expect(await runCaptured([...SCAN, ...at, "--dry-run"], { env, cwd })).toMatchObject({
      exitCode: 0,
      stderr: "",
    });
  });

  test("is removed by logout, for its server only", async () => {
    const { env, cwd, at, server } = await machine();
    const other = await startFakeApi({ permissions: ["*"] });
    for (const { url } of [server, other]) {
      await runCaptured(["login", "--api-url", url], { env, cwd, stdin: KEY });
    }
    const asked = server.requests.length;
    const out = await runCaptured(["logout", ...at], { env, cwd });
    expect(out).toMatchObject({ exitCode: 0, stderr: "" });
    expect(out.stdout).toContain(`Logged out of ${server.url}: the API key is removed from this machine.\n`);
    expect(server.requests).toHaveLength(asked);
    expect(await runCaptured([...SCAN, ...at], { env, cwd })).toMatchObject({ exitCode: 2 });
    expect(await runCaptured([...SCAN, "--api-url", other.url], { env, cwd })).toMatchObject({ exitCode: 0 });
    expect((await runCaptured(["logout", ...at], { env, cwd })).stdout).toBe(
      `No API key is stored for ${server.url}, so there is nothing to remove.\n`,
    );
  });

  test("is below XDG_CONFIG_HOME if that is an absolute path", async () => {
    const { home, server, env, cwd, at } = await machine();
    await mkdir(path.join(home.path, "xdg"));
    const xdg = path.join(home.path, "xdg");
    await runCaptured(["login", ...at], { env: { ...env, XDG_CONFIG_HOME: xdg }, cwd, stdin: KEY });
    expect(await textsBelow(xdg)).toEqual([`${KEY}\n`]);
    expect(keyFileOf({ ...env, XDG_CONFIG_HOME: "relative" }, server.url)).toBe(keyFileOf(env, server.url));
  });
});

/** Runs a command at a terminal where these texts are typed. */
async function typed(
  args: readonly string[],
  { env, cwd }: { env: Record<string, string>; cwd: string },
  texts: readonly string[],
) {
  const rawModes: boolean[] = [];
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (mode: boolean) => {
      rawModes.push(mode);
      if (mode) for (const text of texts) stdin.write(text);
    },
  });
  let output = "";
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  for (const stream of [stdout, stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const exitCode = await runCli(args, {
    env,
    cwd,
    times: DEFAULT_TIMES,
    openStdin: () => stdin,
    stdout,
    stderr,
    colorDepth: 1,
  });
  return { exitCode, output, rawModes };
}

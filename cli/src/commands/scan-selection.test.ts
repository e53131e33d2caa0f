import { expect, test } from "vitest";
import { runCaptured } from "../test-support/run-captured.ts";

const responses = { 200: { description: "d" } };
const paths = {
  "/users": { get: { tags: ["users"], responses }, post: { tags: ["admin"], responses } },
  "/users/{id}": { get: { tags: ["users"], responses } },
  "/users/{id}/keys": { get: { tags: ["keys", "admin"], responses } },
  "/health.json": { get: { responses } },
};
const spec = { openapi: "3.1.0", info: { title: "T", version: "1" }, paths };

async function scan(args: string[], description: unknown = spec) {
  const base = ["scan", "--service", "s", "--spec", "-", "--dry-run", "--json"];
  const { stdout, exitCode, stderr } = await runCaptured([...base, ...args], {
    stdin: JSON.stringify(description),
  });
  const { payload } = JSON.parse(stdout);
  const named = (items: { method: string; path: string }[]) =>
    items.map(({ method, path }) => `${method} ${path}`);
  return { exitCode, stderr, endpoints: named(payload?.endpoints ?? []), findings: payload?.findings ?? [] };
}

test.each([
  [
    ["--include-path", "/users"],
    ["GET /users", "POST /users"],
  ],
  [["--include-path", "/users/*"], ["GET /users/{id}"]],
  [
    ["--include-path", "/users/**"],
    ["GET /users/{id}", "GET /users/{id}/keys"],
  ],
  [
    ["--include-path", "/users", "--include-path", "/health.json"],
    ["GET /users", "POST /users", "GET /health.json"],
  ],
  [["--include-path", "/health.json"], ["GET /health.json"]],
  [["--exclude-path", "/users**"], ["GET /health.json"]],
  [
    ["--tag", "admin"],
    ["POST /users", "GET /users/{id}/keys"],
  ],
  [
    ["--tag", "keys", "--tag", "users", "--exclude-path", "/users"],
    ["GET /users/{id}", "GET /users/{id}/keys"],
  ],
])("%j selects %j", async (args, expected) => {
  const { endpoints, exitCode, stderr } = await scan(args);
  expect(endpoints).toEqual(expected);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
});

test.each(["/health?json", "/healthxjson", "users"])(
  "a pattern that matches nothing is refused: %s",
  async (pattern) => {
    const { endpoints, exitCode, stderr } = await scan(["--include-path", pattern]);
    expect({ endpoints, exitCode }).toEqual({ endpoints: [], exitCode: 2 });
    expect(stderr).toContain("None of the 5 operations matches --include-path");
  },
);

test("findings of excluded operations are left out; those of the whole description stay", async () => {
  const shown = new Set((await scan(["--lint"])).findings.map(({ path }: { path: string | null }) => path));
  expect(shown).toEqual(new Set([null, "/users/{id}", "/users/{id}/keys", "/users", "/health.json"]));
  const { findings } = await scan(["--lint", "--include-path", "/users/*"]);
  expect(new Set(findings.map(({ path }: { path: string | null }) => path))).toEqual(
    new Set([null, "/users/{id}"]),
  );
});

test("a description with too many operations for a scan can be scanned in parts, as the refusal says", async () => {
  const many = Object.fromEntries(Array.from({ length: 2001 }, (_, index) => [`/p/${index}`, { get: {} }]));
  const large = { ...spec, paths: { ...many, "/other": { get: {} } } };
  const refused = await scan([], large);
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toContain(
    "Select some with --include-path, --exclude-path or --tag, here or for waymark minify",
  );
  expect(await scan(["--exclude-path", "/p/1*"], large)).toMatchObject({ exitCode: 0, stderr: "" });
});

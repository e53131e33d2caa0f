import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { journeyText, overlayText, storeDocument } from "@waymark/test-support/journeys.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { createHostedOrganization, type Stack, startStack } from "@waymark/test-support/stack.ts";
import { createHttpClient, type HttpClient } from "@waymark/test-support/http-client.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCaptured } from "../../cli/src/test-support/run-captured.ts";
import { temporaryFolder } from "./support/waymark.ts";

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack[Symbol.asyncDispose]());

/** An organization, a folder, and the command between them. */
async function workplace() {
  const { apiKey, organizationId } = await createHostedOrganization(stack.databaseUrl, "Pushes");
  const http: HttpClient = createHttpClient(stack.api.baseUrl, { key: apiKey });
  const folder = (cwd = temporaryFolder()) => {
    const env = { SERVICE_API_URL: stack.api.baseUrl, SERVICE_API_KEY: apiKey };
    return {
      cwd,
      run: (...args: string[]) => runCaptured(["journey", ...args], { cwd, env }),
      write: (name: string, content: string | Buffer) => {
        mkdirSync(path.dirname(path.join(cwd, name)), { recursive: true });
        writeFileSync(path.join(cwd, name), content);
      },
      read: (name: string) => readFileSync(path.join(cwd, name)),
    };
  };
  return { http, folder, organizationId };
}

const FILES: Record<string, Buffer> = {
  "api/pings.yaml": Buffer.from("openapi: 3.1.0\r\ninfo: { title: P, version: '1' }\r\npaths: {}\r\n"),
  "journeys/ping.journey.yaml": Buffer.from(
    journeyText("Ping — ☃").replace(
      "sourceDescriptions: []",
      "sourceDescriptions: [{ name: pings, type: openapi, url: ../api/pings.yaml }] # a comment",
    ),
  ),
  "journeys/v.overlay.yaml": Buffer.from(overlayText("v", "ping.journey.yaml")),
  "journeys/draft.journey.yaml": Buffer.from("\uFEFFarazzo: 1.1.0\ninfo: {\n"),
};

describe("journey push and pull", () => {
  it("give the same bytes back, with everything that a journey refers to", async () => {
    const { folder } = await workplace();
    const [here, there] = [folder(), folder()];
    for (const [name, content] of Object.entries(FILES)) here.write(name, content);
    const pushed = await here.run("push", "journeys", "--message", "First");
    expect(pushed).toMatchObject({ exitCode: 0, stderr: "" });
    expect(pushed.stdout).toContain("✓ journeys/ping.journey.yaml  version 1\n");
    expect(pushed.stdout).toContain("! journeys/draft.journey.yaml  version 1, ");
    expect(pushed.stdout).toMatch(/journeys\/draft\.journey\.yaml:\d+:\d+ error /);
    expect(pushed.stdout).not.toContain("another program");
    expect(pushed.stdout).toContain("4 documents pushed.\n");
    const pulled = await there.run("pull");
    expect(pulled).toMatchObject({ exitCode: 0, stderr: "" });
    for (const [name, content] of Object.entries(FILES)) expect(there.read(name)).toEqual(content);
    for (const one of [here, there]) {
      expect((await one.run("push")).stdout).toContain("Nothing to push");
      expect((await one.run("status")).stdout).toBe("4 documents, 0 different.\n");
    }
  });

  it("show what differs here, there and on both sides, and leave files that changed here alone", async () => {
    const { folder } = await workplace();
    const [mine, theirs] = [folder(), folder()];
    const name = (n: number) => `j${n}.journey.yaml`;
    for (const n of [1, 2, 3, 4, 5]) mine.write(name(n), journeyText(`J${n}`));
    await mine.run("push");
    await theirs.run("pull");
    for (const n of [2, 3]) theirs.write(name(n), journeyText(`Theirs ${n}`));
    theirs.write("new.journey.yaml", journeyText("New"));
    rmSync(path.join(theirs.cwd, name(5)));
    expect((await theirs.run("push", "--prune")).stdout).toContain("4 documents pushed.\n");
    for (const n of [1, 3]) mine.write(name(n), journeyText(`Mine ${n}`));
    rmSync(path.join(mine.cwd, name(4)));
    expect((await mine.run("status")).stdout.split("\n")).toEqual([
      `changed here            ${name(1)}`,
      `changed on the server   ${name(2)}`,
      `changed on both sides   ${name(3)}`,
      `removed here            ${name(4)}`,
      `archived on the server  ${name(5)}`,
      `new on the server       new.journey.yaml`,
      "6 documents, 6 different.",
      "",
    ]);
    const pulled = await mine.run("pull");
    expect(pulled.exitCode).toBe(1);
    expect(pulled.stdout).toContain(`-info: { title: Theirs 3,`);
    expect(pulled.stdout).toContain(`+info: { title: Mine 3,`);
    expect(mine.read(name(1)).toString()).toContain("Mine 1");
    expect(mine.read(name(2)).toString()).toContain("Theirs 2");
    expect(mine.read(name(3)).toString()).toContain("Mine 3");
    expect(() => mine.read(name(5))).toThrow(/ENOENT/);
    expect((await mine.run("pull", "--force")).exitCode).toBe(0);
    expect(mine.read(name(3)).toString()).toContain("Theirs 3");
  });

  it("keep apart what a folder knows of each organization", async () => {
    const [first, second] = [await workplace(), await workplace()];
    const mine = first.folder();
    mine.write("j.journey.yaml", journeyText("J"));
    await mine.run("push");
    const other = second.folder(mine.cwd);
    // Nothing was archived there: it never was there.
    expect((await other.run("pull")).stdout).toBe("0 documents, 0 files changed.\n");
    expect(other.read("j.journey.yaml").toString()).toBe(journeyText("J"));
    expect((await other.run("push")).stdout).toContain("1 document pushed.\n");
    mine.write("j.journey.yaml", journeyText("J 2"));
    for (const one of [mine, other]) {
      expect((await one.run("status")).stdout).toContain("changed here ");
      expect((await one.run("push")).stdout).toContain("✓ j.journey.yaml  version 2\n");
    }
  });

  it("end with 1 and show the difference where somebody was faster", async () => {
    const { folder } = await workplace();
    const [mine, theirs] = [folder(), folder()];
    const file = "a.journey.yaml";
    mine.write(file, journeyText("First"));
    await mine.run("push");
    await theirs.run("pull");
    theirs.write(file, journeyText("Theirs"));
    expect((await theirs.run("push")).exitCode).toBe(0);
    mine.write(file, journeyText("Mine"));
    const refused = await mine.run("push");
    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("Nothing was pushed.") });
    expect(refused.stdout).toContain("version 2 on the server is not what your file was made from");
    expect(refused.stdout).toContain("-info: { title: Theirs,");
    expect(refused.stdout).toContain("+info: { title: Mine,");
    // A folder that never pulled knows of no version, so its files are nobody's successor.
    const fresh = folder();
    fresh.write(file, journeyText("Fresh"));
    expect((await fresh.run("push")).exitCode).toBe(1);
  });

  it("store nothing in a dry run, and tell which variants change", async () => {
    const { folder, http } = await workplace();
    const here = folder();
    here.write("a.journey.yaml", journeyText("A"));
    here.write("v.overlay.yaml", overlayText("v", "a.journey.yaml"));
    await here.run("push");
    here.write("a.journey.yaml", journeyText("A").replaceAll("ping", "pong"));
    const dry = await here.run("push", "--dry-run");
    expect(dry.stdout).toMatch(/~ v\.overlay\.yaml {2}affected: \d+ new errors?\n/);
    expect(dry.stdout).toContain("Dry run: 1 document would change. Nothing was stored.\n");
    const { body } = await http.get<{ journeys: { headVersion: number }[] }>("/api/journeys");
    expect(body.journeys.map(({ headVersion }) => headVersion)).toEqual([1, 1]);
  });

  it("make a repository the owner, which pushes from checkouts that never pulled", async () => {
    const { folder, http, organizationId } = await workplace();
    const env = (commit: string) => ({
      GITHUB_SERVER_URL: "https://git.example",
      GITHUB_REPOSITORY: "acme/shop",
      GITHUB_SHA: commit,
      GITHUB_REF_NAME: "main",
    });
    const push = async (title: string, commit: string) => {
      const checkout = folder();
      checkout.write("a.journey.yaml", journeyText(title));
      const key = await createKey({ ...stack, organizationId }, ["journeys:read", "journeys:write"]);
      return runCaptured(["journey", "push", "--managed"], {
        cwd: checkout.cwd,
        env: { SERVICE_API_URL: stack.api.baseUrl, SERVICE_API_KEY: key, ...env(commit) },
      });
    };
    expect((await push("One", "a1")).exitCode).toBe(0);
    expect((await push("Two", "b2")).exitCode).toBe(0);
    const { body } = await http.get<{ journeys: { id: string; headVersion: number }[] }>("/api/journeys");
    expect(body.journeys).toMatchObject([
      { headVersion: 2, managedBy: { repository: "https://git.example/acme/shop", path: "a.journey.yaml" } },
    ]);
    // An edit in the console is not replaced in silence.
    const changes = [{ path: "a.journey.yaml", text: journeyText("Edited"), baseVersion: 2 }];
    await http.post("/api/journey-changesets", { unlock: true, changes });
    expect(await push("Three", "c3")).toMatchObject({
      exitCode: 1,
      stdout: expect.stringContaining("-info: { title: Edited,"),
    });
  });

  it("write no file outside of the folder", async () => {
    const { folder, http } = await workplace();
    const [here, outside] = [folder(), temporaryFolder()];
    symlinkSync(outside, path.join(here.cwd, "out"));
    await storeDocument({ http }, { path: "out/a.journey.yaml", text: journeyText("Escaped") });
    const pulled = await here.run("pull");
    expect(pulled).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("is a symbolic link that leads out of"),
    });
    expect(() => readFileSync(path.join(outside, "a.journey.yaml"))).toThrow(/ENOENT/);
    for (const name of [
      "../a.yaml",
      "/a.yaml",
      ".git/config",
      "a/.ssh/x",
      String.raw`a\b`,
      "c:/x",
      "a//b",
      "a/",
    ]) {
      const answer = await http.post("/api/journey-changesets", {
        changes: [{ path: name, text: "", baseVersion: null }],
      });
      expect([name, answer.status]).toEqual([name, 400]);
    }
  });
});

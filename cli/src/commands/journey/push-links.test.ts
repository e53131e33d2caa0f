import { createHash } from "node:crypto";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { answerJson, RUN_ID, startFakeServer } from "../../test-support/fake-server.ts";
import { runCaptured, temporaryFolder } from "../../test-support/run-captured.ts";

const TOKEN = "token-of-the-remote";
const JOURNEY = "arazzo: 1.1.0\ninfo: { title: T, version: '1' }\nsourceDescriptions: []\nworkflows: []\n";

/** A working directory with a `.git/config`, a folder beside it, and a server that has no documents and keeps what it gets. */
async function workplace(documents: readonly { path: string; text: string }[] = []) {
  const folder = await temporaryFolder();
  const cwd = path.join(folder.path, "work");
  await folder.write("work/.git/config", `[remote]\n\turl = https://x:${TOKEN}@example.com\n`);
  await folder.write("outside/secret.yaml", `secret: ${TOKEN}\n`);
  await folder.write("outside/other.journey.yaml", `# ${TOKEN}\n${JOURNEY}`);
  await folder.write("work/a.journey.yaml", JOURNEY);
  const listed = documents.map(({ path: name, text }) => ({
    id: RUN_ID,
    path: name,
    kind: "journey",
    headVersion: 2,
    headHash: createHash("sha256").update(text).digest("hex"),
    managedBy: null,
  }));
  const server = await startFakeServer((request, response) => {
    if (request.method === "POST")
      return answerJson(response, 201, {
        changesetId: RUN_ID,
        documents: [],
        affected: [],
        uncheckedCount: 0,
      });
    if (request.url === "/api/api-keys/self") return answerJson(response, 200, { organizationId: RUN_ID });
    if (request.url.includes("/versions/"))
      return answerJson(response, 200, {
        text: documents[0]?.text,
        hash: listed[0]?.headHash,
        origin: "cli",
      });
    return answerJson(response, 200, { journeys: listed });
  });
  const journey = (...args: string[]) =>
    runCaptured(["journey", ...args, "--api-key", "k", "--api-url", server.url], { cwd });
  const link = (name: string, target: string) => symlink(target, path.join(cwd, name));
  const sent = () => server.requests.map(({ body }) => body).join("\n");
  return { folder, cwd, journey, link, sent };
}

test.each([
  ["a link to a hidden file", ["x.journey.yaml"], "is a symbolic link to a hidden file or folder"],
  ["a link out of the folder", ["out.yaml"], "is a symbolic link that leads out of"],
  ["a file behind a linked folder", ["beside/secret.yaml"], "is a symbolic link that leads out of"],
  ["a linked folder", ["beside"], "is a symbolic link that leads out of"],
  ["a link of a link", ["twice.yaml"], "is a symbolic link to a hidden file or folder"],
  ["a link to a hidden folder", ["git/config"], "is a symbolic link to a hidden file or folder"],
  ["a hidden file", [".git/config"], "has a name that begins with a dot"],
  ["a hidden folder", [".git"], "has a name that begins with a dot"],
  ["a hidden file by a detour", ["a/../.git/config"], "has a name that begins with a dot"],
  ["a file beside the folder", ["../outside/secret.yaml"], "is outside"],
  [
    "a journey that a folder has as a link",
    [],
    "x.journey.yaml is a symbolic link to a hidden file or folder",
  ],
])("push refuses %s and sends nothing", async (_name, files, reason) => {
  const { journey, link, sent } = await workplace();
  await link("x.journey.yaml", ".git/config");
  await link("out.yaml", "../outside/secret.yaml");
  await link("beside", "../outside");
  await link("twice.yaml", "x.journey.yaml");
  await link("git", ".git");
  const pushed = await journey("push", ...files);
  expect(pushed).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(reason) });
  expect(sent()).toBe("");
  expect(pushed.stderr).not.toContain(TOKEN);
});

test("push leaves out what a document refers to if it is hidden or outside, and says so", async () => {
  const { cwd, journey, link, sent } = await workplace();
  await link("api.yaml", ".git/config");
  await link("near.yaml", "../outside/secret.yaml");
  const sources = [".git/config", "api.yaml", "near.yaml", "../outside/secret.yaml"];
  const listed = sources.map((url, index) => `{ name: s${index}, url: ${url}, type: openapi }`);
  const text = JOURNEY.replace("sourceDescriptions: []", `sourceDescriptions: [${listed.join(", ")}]`);
  await writeFile(path.join(cwd, "a.journey.yaml"), text);
  await writeFile(path.join(cwd, "v.overlay.yaml"), "overlay: 1.1.0\nextends: .git/config\n");
  await writeFile(path.join(cwd, "described.yaml"), "openapi: 3.1.0\npaths: { /a: { $ref: .git/config } }\n");
  const pushed = await journey("push", ".", "described.yaml");
  expect(pushed.stderr.match(/refers to \S+(?=, which )/g)).toEqual([
    "refers to .git/config",
    "refers to api.yaml",
    "refers to near.yaml",
  ]);
  expect(sent()).toContain("described.yaml");
  expect(sent()).not.toContain(TOKEN);
});

test("push follows a link within the folder, and says which linked folders it does not follow", async () => {
  const { cwd, journey, link, sent } = await workplace();
  await mkdir(path.join(cwd, "real"));
  await writeFile(path.join(cwd, "real/b.journey.yaml"), JOURNEY);
  await link("c.journey.yaml", "real/b.journey.yaml");
  await link("linked", "real");
  await link("beside", "../outside");
  await link("real/up", "..");
  const pushed = await journey("push");
  const paths = [...sent().matchAll(/"path":"([^"]*)"/g)].map(([, name]) => name);
  expect(paths).toEqual(["a.journey.yaml", "c.journey.yaml", "linked/b.journey.yaml", "real/b.journey.yaml"]);
  expect(pushed.stderr).toMatch(
    /^Note: beside is a symbolic link that leads out of .*, so nothing below it is pushed\.$/m,
  );
});

test("pull writes no file behind a link to a hidden folder", async () => {
  const { cwd, journey, link } = await workplace([{ path: "git/config", text: "[core]\n" }]);
  await link("git", ".git");
  const pulled = await journey("pull");
  expect(pulled).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("to a hidden file or folder"),
  });
  expect(await readFile(path.join(cwd, ".git/config"), "utf8")).toContain(TOKEN);
});

test.each([".waymark", ".waymark/journeys.json"])(
  "push replaces no file through a link at %s",
  async (name) => {
    const { folder, cwd, journey, link } = await workplace();
    const kept = await folder.write("outside/journeys.json", "kept");
    if (name !== ".waymark") await mkdir(path.join(cwd, ".waymark"));
    await link(name, name === ".waymark" ? "../outside" : "../../outside/journeys.json");
    expect(await journey("push", "a.journey.yaml")).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(`is a symbolic link that leads out of`),
    });
    expect(await readFile(kept, "utf8")).toBe("kept");
  },
);

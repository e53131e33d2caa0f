import { fork } from "node:child_process";
import { readFile } from "node:fs/promises";
import { afterAll, describe, expect, it } from "vitest";
import { createCompiler } from "./compiler.ts";
import { CompilerChild, DocumentLimit } from "./compiler-child.ts";
import type { Reply } from "./messages.ts";

const compiler = createCompiler();
afterAll(() => compiler[Symbol.dispose]());

const EXAMPLES = new URL("../../../../../examples/journeys/", import.meta.url);
const NAMES = ["notes.journey.yaml", "notes.gone.overlay.yaml", "notes.openapi.yaml"];

async function filesOf(more: Record<string, string> = {}): Promise<Map<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  for (const name of NAMES) files.set(`journeys/${name}`, await readFile(new URL(name, EXAMPLES)));
  for (const [path, text] of Object.entries(more)) files.set(path, Buffer.from(text));
  return files;
}

function reader(files: ReadonlyMap<string, Uint8Array>, asked: string[] = []) {
  return async (path: string) => {
    asked.push(path);
    return files.get(path);
  };
}

const examine = async (files: ReadonlyMap<string, Uint8Array>, ...paths: string[]) =>
  compiler.run("examine", {
    organizationId: "a",
    documents: paths.map((path) => ({ path, kind: null })),
    read: reader(files),
  });

const yaml = (tag: string) => `&${tag} [${"x,".repeat(9)}x]`;
const LAUGHS = `arazzo: 1.1.0\na: ${yaml("a")}\n${["b", "c", "d", "e", "f", "g", "h", "i"]
  .map((name, n) => `${name}: &${name} [${`*${String.fromCodePoint(97 + n)},`.repeat(9)}]`)
  .join("\n")}\n`;

describe("the compiler", () => {
  it("says what a document is, what it refers to, and what is wrong with it, each file read once", async () => {
    const asked: string[] = [];
    const read = reader(await filesOf(), asked);
    const documents = NAMES.map((name) => ({ path: `journeys/${name}`, kind: null }));
    const [journey, overlay, description] = await compiler.run("examine", {
      organizationId: "a",
      documents,
      read,
    });
    expect(asked).toEqual(expect.arrayContaining(NAMES.map((name) => `journeys/${name}`)));
    expect(new Set(asked).size).toBe(asked.length);
    expect(journey).toMatchObject({
      kind: "journey",
      head: { title: "The life of a note", version: "2.3.0" },
      links: [{ role: "source", path: "journeys/notes.openapi.yaml" }],
      errorCount: 0,
      programId: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    });
    expect(overlay).toMatchObject({
      kind: "overlay",
      links: [{ role: "extends", name: "extends", path: "journeys/notes.journey.yaml" }],
      errorCount: 0,
    });
    expect(description).toMatchObject({ kind: "openapi", errorCount: 0, programId: null });
  });

  it("composes a variant, and tells where its fields come from", async () => {
    const [composed] = await compiler.run("compose", {
      organizationId: "a",
      documents: [{ path: "journeys/notes.gone.overlay.yaml" }],
      read: reader(await filesOf()),
    });
    if (composed === undefined || composed instanceof DocumentLimit) throw new Error("not composed");
    expect(composed.text).toContain("arazzo:");
    expect(composed.fields.every(({ change }) => change !== "inherited")).toBe(true);
    expect(composed.fields.map(({ source }) => source.file)).toContain("journeys/notes.gone.overlay.yaml");
    expect(composed.drift).toMatchObject([{ moved: false }]);
  });

  it("compiles to the artifact that its examination announces", async () => {
    const files = await filesOf();
    const path = "journeys/notes.gone.overlay.yaml";
    const [[examined], [compiled]] = await Promise.all([
      examine(files, path),
      compiler.run("compile", { organizationId: "a", documents: [{ path }], read: reader(files) }),
    ]);
    if (compiled === undefined || compiled instanceof DocumentLimit) throw new Error("not compiled");
    expect(JSON.parse(compiled.artifact ?? "{}")).toMatchObject({ id: compiled.programId });
    expect(examined).toMatchObject({ programId: compiled.programId });
  });

  it.each<[string, Record<string, string>, object]>([
    ["no text of YAML", { "a.journey.yaml": "arazzo: [" }, { kind: "journey" }],
    [
      "an overlay without its base",
      { "a.overlay.yaml": "overlay: 1.1.0\nextends: b.yaml\n" },
      { kind: "overlay" },
    ],
    ["a description that is none", { "a.yaml": "openapi: 3.1.0\npaths: [" }, { kind: "openapi" }],
    ["aliases that expand without end", { "a.yaml": LAUGHS }, { kind: "journey" }],
    ["nothing", { "a.json": "" }, { kind: "openapi" }],
    [
      "control characters",
      { "a.journey.yaml": 'arazzo: "\\0"\ninfo: { title: "\\0\\uD800" }\n' },
      { kind: "journey" },
    ],
  ])("reports %s as errors of the document", async (_name, files, expected) => {
    const [found] = await examine(await filesOf(files), Object.keys(files)[0] ?? "");
    expect(found).toMatchObject(expected);
    expect(found).toMatchObject({
      problems: expect.arrayContaining([expect.objectContaining({ severity: "error" })]),
    });
    expect(JSON.stringify(found)).not.toMatch(/\\u0000|\\ud800/i);
  });

  it("ends what takes too much memory, and goes on with what comes after it", async () => {
    using small = createCompiler({
      processes: 1,
      limits: { ms: 60_000, wallMs: 90_000, taskMs: 90_000, memoryMiB: 64 },
    });
    const files = await filesOf({
      "slow.yaml": `openapi: 3.1.0\nx: [${"a,".repeat(2_000_000)}]\n`,
      "good.yaml": "openapi: 3.1.0\n",
    });
    const documents = ["good.yaml", "slow.yaml", "good.yaml"].map((path) => ({ path, kind: null }));
    const found = await small.run("examine", { organizationId: "a", documents, read: reader(files) });
    expect(found.map((one) => one instanceof DocumentLimit)).toEqual([false, true, false]);
    expect(found[1]).toMatchObject({ message: "it needed more than 64 MiB of memory" });
  });

  it("checks no more documents when a task's time is used up", async () => {
    using short = createCompiler({
      processes: 1,
      limits: { ms: 1_000, wallMs: 1_000, taskMs: 500, memoryMiB: 2_000 },
    });
    const files = new Map([["slow.yaml", Buffer.from(`openapi: 3.1.0\nx: [${"a,".repeat(2_000_000)}]\n`)]]);
    const documents = ["slow.yaml", "slow.yaml", "slow.yaml"].map((path) => ({ path, kind: null }));
    const found = await short.run("examine", { organizationId: "a", documents, read: reader(files) });
    expect(found.map((one) => (one instanceof DocumentLimit ? one.message : ""))).toEqual([
      expect.stringMatching(/^it took longer than \d+ ms$/),
      "the documents before it took too long",
      "the documents before it took too long",
    ]);
  });

  it("leaves a process to others while an organization's documents are slow", async () => {
    using two = createCompiler({ processes: 2 });
    const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
    const slow = async () => {
      await isOver;
      return Buffer.from("openapi: 3.1.0\n");
    };
    const ended: string[] = [];
    const run = async (
      organizationId: string,
      path: string,
      read: (path: string) => Promise<Uint8Array | undefined>,
    ) => {
      await two.run("examine", { organizationId, documents: [{ path, kind: null }], read });
      ended.push(organizationId);
    };
    const tasks = [run("a", "slow.yaml", slow), run("a", "slow.yaml", slow)];
    await run("b", "journeys/notes.openapi.yaml", reader(await filesOf()));
    expect(ended).toEqual(["b"]);
    end();
    await Promise.all(tasks);
  });

  it("works for one organization in a process, also while others take turns", async () => {
    const children: { organizations: Set<string> }[] = [];
    class Watched extends CompilerChild {
      readonly organizations = new Set<string>();
      override run: CompilerChild["run"] = (name, documents, read) => {
        // The test's paths begin with the organization.
        for (const document of documents)
          if ("path" in document) this.organizations.add(document.path.slice(0, 1));
        return super.run(name, documents, read);
      };
    }
    using two = createCompiler({
      processes: 2,
      // So long that a busy machine does not end a document.
      limits: { ms: 60_000, wallMs: 90_000, taskMs: 90_000, memoryMiB: 256 },
      createChild: (limits) => {
        const child = new Watched(limits);
        children.push(child);
        return child;
      },
    });
    const run = async (organizationId: string) => {
      const text = `openapi: 3.1.0\ninfo: { title: Of ${organizationId}, version: "1" }\npaths: {}\n`;
      const [found] = await two.run("examine", {
        organizationId,
        documents: [{ path: `${organizationId}/same.yaml`, kind: null }],
        read: async () => Buffer.from(text),
      });
      expect(found).toMatchObject({ head: { title: `Of ${organizationId}` } });
    };
    await run("a");
    await run("a");
    expect(children).toHaveLength(1);
    for (const organizationId of ["b", "c"]) await run(organizationId);
    await Promise.all(["a", "c"].map(run));
    expect(children.filter(({ organizations }) => organizations.size > 1)).toEqual([]);
    expect(children.length).toBeLessThanOrEqual(5);
  });

  it("answers each request for a file by its own reply, also where two ask for the same path", async () => {
    const child = fork(new URL("./compiler-process.ts", import.meta.url), {
      env: {},
      serialization: "advanced",
    });
    const asked: number[] = [];
    const titles: unknown[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    child.on("message", (reply: Reply) => {
      if (reply.kind === "read") asked.push(reply.id);
      else titles.push(reply);
      if (asked.length === 2 && titles.length === 0) {
        for (const id of asked.toReversed())
          child.send({
            kind: "file",
            id,
            bytes: Buffer.from(`openapi: 3.1.0\ninfo: { title: T${id}, version: "1" }\n`),
          });
      }
      if (titles.length === 2) resolve();
    });
    const task = { kind: "task", name: "examine", documents: [{ path: "same.yaml", kind: null }] };
    child.send(task);
    child.send(task);
    await promise;
    child.kill();
    expect(titles).toEqual(
      expect.arrayContaining(
        asked.map((id) => ({
          kind: "result",
          value: expect.objectContaining({ head: expect.objectContaining({ title: `T${id}` }) }),
        })),
      ),
    );
  });

  it("passes on a fault of reading, and works on", async () => {
    const failing = compiler.run("examine", {
      organizationId: "a",
      documents: [{ path: "a.yaml", kind: null }],
      read: () => Promise.reject(new Error("the database is away")),
    });
    await expect(failing).rejects.toThrow("the database is away");
    expect(await examine(await filesOf(), "journeys/notes.openapi.yaml")).toMatchObject([{ errorCount: 0 }]);
  });
});

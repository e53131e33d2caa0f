import { parseDocument } from "@waymark/openapi/parse/parse-document.ts";
import { expect, test } from "vitest";
import { writeArtifact } from "../compile/artifact.ts";
import { compileLoaded } from "./compile-loaded.ts";
import { FileError } from "./files.ts";
import type { FileAccess } from "./files.ts";
import { loadJourney } from "./load-journey.ts";
import type { LoadedJourney } from "./load-journey.ts";
import { relativePath, resolveReference } from "./paths.ts";

const TEXTS: Record<string, string> = {
  "api/things.yaml": `openapi: 3.1.0
info: { title: Things, version: 1.0.0 }
servers: [{ url: "https://things.example" }]
paths:
  /things:
    get: { operationId: listThings, responses: { "200": { $ref: "parts\\\\responses.yaml#/list" } } }
`,
  "api/parts/responses.yaml":
    "list: { description: ok, content: { application/json: { schema: { type: object } } } }\n",
  "journeys/sign-in.journey.yaml": `arazzo: 1.1.0
info: { title: Sign in, version: 1.0.0 }
sourceDescriptions: [{ name: things, type: openapi, url: ../api/things.yaml }]
workflows:
  - workflowId: main
    steps: [{ stepId: list, operationId: listThings }]
`,
  "journeys/things.journey.yaml": `arazzo: 1.1.0
info: { title: Things, version: 1.0.0 }
sourceDescriptions:
  - { name: things, type: openapi, url: ../api/things.yaml }
  - { name: session, type: arazzo, url: sign%2Din.journey.yaml }
workflows:
  - workflowId: main
    steps:
      - { stepId: in, workflowId: $sourceDescriptions.session.main }
      - { stepId: list, operationId: $sourceDescriptions.things.listThings }
`,
  "journeys/variants/strict.overlay.yaml": `overlay: 1.1.0
info: { title: Stricter, version: 1.0.0, x-overlay: { id: stricter, extendsVersion: ^1.0.0 } }
extends: ../things.journey.yaml
actions:
  - target: $.workflows[?@.workflowId=='main'].steps[?@.stepId=='list']
    update: { successCriteria: [{ condition: $statusCode == 200 }] }
`,
};

/** The files below a folder of a root that holds nothing else. */
function inMemory(folder: string, more: Partial<FileAccess> = {}): FileAccess {
  const files = new Map(Object.entries(TEXTS).map(([path, text]) => [folder + path, text]));
  return {
    read: async (path) => {
      const text = files.get(path);
      return text === undefined ? undefined : new TextEncoder().encode(text);
    },
    parse: parseDocument,
    ...more,
  };
}

async function load(folder = "", more: Partial<FileAccess> = {}): Promise<LoadedJourney> {
  const file = `${folder}journeys/variants/strict.overlay.yaml`;
  return loadJourney(inMemory(folder, more), { file, overlays: [], given: new Map() });
}

async function bytesOf(journey: LoadedJourney): Promise<string> {
  const compiled = await compileLoaded(journey);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems));
  return writeArtifact(compiled.artifact);
}

test("an artifact's bytes are equal wherever its folder stands, whatever its files are called in messages", async () => {
  const bytes = await bytesOf(await load());
  expect(await bytesOf(await load("home/me/"))).toBe(bytes);
  expect(await bytesOf(await load("C:/x y/", { show: (path) => `shown/${path}` }))).toBe(bytes);
  const { provenance, map, program } = JSON.parse(bytes);
  expect(provenance.journey.file).toBe("things.journey.yaml");
  expect(provenance.overlays[0].file).toBe("variants/strict.overlay.yaml");
  expect(map.files.toSorted()).toEqual([
    "sign-in.journey.yaml",
    "things.journey.yaml",
    "variants/strict.overlay.yaml",
  ]);
  expect(Object.values(program.schemas)).toEqual([{ type: "object" }, { type: "object" }]);
});

test("each file is read once", async () => {
  const read: string[] = [];
  const access = inMemory("");
  await load("", {
    read: (path, bytesMax) => {
      read.push(path);
      return access.read(path, bytesMax);
    },
  });
  expect(read.toSorted()).toEqual(Object.keys(TEXTS).toSorted());
});

test("problems name files as the caller shows them", async () => {
  const { loaded } = await load("", {
    show: (path) => `./${path}`,
    read: (path) => (path.startsWith("api/") ? Promise.resolve(undefined) : inMemory("").read(path, 1e6)),
  });
  expect(loaded.problems.map(({ file, message }) => `${file} ${message}`)).toContain(
    "./journeys/things.journey.yaml Can't read ./api/things.yaml: there is no such file.",
  );
});

test("a journey that is no text, too large or not there is refused", async () => {
  for (const bytes of [new Uint8Array([0xff, 0xfe]), new Uint8Array(17 * 1024 * 1024), undefined]) {
    await expect(load("", { read: () => Promise.resolve(bytes) })).rejects.toThrow(FileError);
  }
});

test("a description reads only the files that it may refer to", async () => {
  const compiled = await compileLoaded(await load("", { isAllowed: () => false }));
  expect(compiled.problems.map(({ code }) => code)).toContain("unresolvable-reference");
});

test.each([
  ["b.yaml", "x/a.yaml", "x/b.yaml"],
  ["../b.yaml", "x/a.yaml", "b.yaml"],
  ["..\\y\\b.yaml", "x/a.yaml", "y/b.yaml"],
  ["./%61%20b.yaml", "a.yaml", "a b.yaml"],
  ["100%.yaml", "a.yaml", "100%.yaml"],
  ["/etc/b.yaml", "x/a.yaml", "etc/b.yaml"],
  ["C:\\y\\b.yaml", "x/a.yaml", "C:/y/b.yaml"],
  ["../../b.yaml", "x/a.yaml", undefined],
  ["%2e%2e/%2e%2e/b.yaml", "x/a.yaml", undefined],
  ["https://example.com/b.yaml", "x/a.yaml", undefined],
  ["//host/b.yaml", "x/a.yaml", undefined],
  ["\\\\host\\b.yaml", "x/a.yaml", undefined],
])("%s in %s means %s", (reference, from, path) => {
  expect(resolveReference(reference, from)).toBe(path);
});

test.each([
  ["", "a.yaml", "a.yaml"],
  ["x", "x/a.yaml", "a.yaml"],
  ["x", "x/y/a.yaml", "y/a.yaml"],
  ["x/y", "x/a.yaml", "../a.yaml"],
  ["x", "y/x/a.yaml", "../y/x/a.yaml"],
  ["x", "x", "../x"],
])("from the folder %j, %s is %s", (folder, path, relative) => {
  expect(relativePath(folder, path)).toBe(relative);
});

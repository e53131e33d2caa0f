import { mkdtempSync, readFileSync, rmSync, writeFileSync, copyFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { parseDocument as parseYaml, stringify } from "yaml";
import { sealArtifact, writeArtifact } from "@waymark/journeys/compile/artifact.ts";
import { Artifact } from "@waymark/journeys/compile/artifact-model.ts";
import { artifactJsonSchema } from "@waymark/journeys/compile/artifact-schema.ts";
import { canonicalJson } from "@waymark/journeys/compile/canonical.ts";
import { ArtifactError, openArtifact } from "@waymark/journeys/compile/open-artifact.ts";
import { shapeFault } from "@waymark/journeys/compile/shape-fault.ts";
import { isObject, ownObject } from "@waymark/openapi/json.ts";
import type { JsonObject, JsonValue } from "@waymark/openapi/json.ts";
import { childPointer, decodePointer, resolvePointer } from "@waymark/openapi/pointer.ts";
import { scaled, seed } from "@waymark/test-support/scale.ts";
import { artifactOf, FIXTURES } from "./support/build.ts";

const FILE = join(FIXTURES, "notes.journey.yaml");
const artifactSchema = ownObject({ schema: artifactJsonSchema() }, "schema") ?? {};
const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** Copies the journey into another folder, with a changed text, and returns the file's path. */
function elsewhere(change: (text: string) => string): string {
  const folder = mkdtempSync(join(tmpdir(), "journeys-"));
  folders.push(folder);
  copyFileSync(join(FIXTURES, "notes.openapi.yaml"), join(folder, "notes.openapi.yaml"));
  const file = join(folder, "renamed.yaml");
  writeFileSync(file, change(readFileSync(FILE, "utf8")));
  return file;
}

function reorderKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reorderKeys);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, item]) => [key, reorderKeys(item)]),
  );
}

describe("an artifact's program", () => {
  test.each([
    ["built again", (text: string) => text],
    [
      "with comments and empty lines",
      (text: string) => `# a note\n\n${text.replaceAll(/\n {4}steps:/g, "\n    # here\n    steps:")}`,
    ],
    ["with its keys in another order", (text: string) => stringify(reorderKeys(parseYaml(text).toJS()))],
    ["as JSON", (text: string) => JSON.stringify(parseYaml(text).toJS(), undefined, 3)],
  ])("is byte for byte the same %s, from another folder", async (_name, change) => {
    const first = await artifactOf({ file: FILE });
    const second = await artifactOf({ file: elsewhere(change) });
    expect(canonicalJson(second.program)).toBe(canonicalJson(first.program));
    expect(second.id).toBe(first.id);
  });

  test.each([
    ["a condition", (text: string) => text.replace("$statusCode == 201", "$statusCode == 202")],
    ["a default", (text: string) => text.replace("default: 4", "default: 3")],
    ["the order of steps", (text: string) => text.replace("- stepId: find", "- stepId: found")],
    ["an acceptance criterion", (text: string) => text.replace("is gone", "is away")],
  ])("differs when %s changes", async (_name, change) => {
    const first = await artifactOf({ file: FILE });
    expect((await artifactOf({ file: elsewhere(change) })).id).not.toBe(first.id);
  });

  test("contains no files, lines or times", async () => {
    const { program } = await artifactOf({ file: FILE });
    expect(canonicalJson(program)).not.toMatch(/notes\.journey|"line"|\d{4}-\d\d-\d\dT/);
  });
});

describe("an artifact's file", () => {
  test("is read back unchanged", async () => {
    const artifact = await artifactOf({ file: FILE });
    expect(openArtifact(writeArtifact(artifact))).toEqual(JSON.parse(JSON.stringify(artifact)));
  });

  test("is refused with any one byte flipped", async () => {
    const text = writeArtifact(await artifactOf({ file: FILE }));
    const accepted: number[] = [];
    // Every 41st byte, with every bit in turn: all of them would be a hundred thousand hashes.
    for (let at = 0; at < text.length; at += 41) {
      const flipped = String.fromCharCode(text.charCodeAt(at) ^ (1 << (at % 7)));
      const changed = text.slice(0, at) + flipped + text.slice(at + 1);
      try {
        openArtifact(changed);
        accepted.push(at);
      } catch (error) {
        if (!(error instanceof ArtifactError)) throw error;
      }
    }
    expect(accepted).toEqual([]);
  });

  test("is refused with an additional field, blank or line break", async () => {
    const text = writeArtifact(await artifactOf({ file: FILE }));
    for (const changed of [
      text.replace("{", '{"extra":1,'),
      text.replace(",", ", "),
      text.trimEnd(),
      "{}",
      "nonsense",
    ]) {
      expect(() => openArtifact(changed)).toThrow(ArtifactError);
    }
  });
});

/** The file of a hand-made program, with valid digests. */
async function forged(change: (artifact: JsonObject) => void): Promise<string> {
  const artifact = await artifactOf({ file: FILE });
  const content: JsonObject = JSON.parse(JSON.stringify(artifact));
  change(content);
  const { program, provenance, map } = content;
  // @ts-expect-error: what is sealed is no artifact's content
  return writeArtifact(sealArtifact({ program, provenance, map }));
}

const set =
  (pointer: string, value: JsonValue | undefined) =>
  (artifact: JsonObject): void => {
    const tokens = decodePointer(pointer) ?? [];
    const last = tokens.pop() ?? "";
    const parent = resolvePointer(artifact, tokens);
    if (typeof parent !== "object" || parent === null) throw new Error(`${pointer} leads nowhere`);
    Object.defineProperty(parent, last, { value, enumerable: true, configurable: true, writable: true });
  };

/** Every place in a value but the whole, and what the map says of each node: they are all alike. */
function pointersOf(value: unknown, at = ""): string[] {
  if (typeof value !== "object" || value === null || at === "/map/nodes") return [];
  return Object.entries(value).flatMap(([key, member]) => {
    const pointer = childPointer(at, key);
    return [pointer, ...pointersOf(member, pointer)];
  });
}

const MAIN = "/program/workflows/main";
const STEP = `${MAIN}/steps/0`;
const GOTO: JsonObject = { name: "go", type: "goto", parameters: [], criteria: [] };

describe("a hand-made program with valid digests", () => {
  test("is accepted if the compiler could produce it", async () => {
    expect(openArtifact(await forged(() => {})).program.entry).toBe("main");
  });

  test.each<[string, (artifact: JsonObject) => void, RegExp]>([
    ["steps that are no list", set(`${MAIN}/steps`, "not a list"), /program\/workflows\/main\/steps/],
    ["a member that no program has", set(`${STEP}/extra`, 1), /steps\/0\/extra/],
    ["a step without outputs", set(`${STEP}/outputs`, undefined), /outputs/],
    ["a target of another kind", set(`${STEP}/target`, { kind: "shell", command: "ls" }), /target/],
    ["a criterion without its parts", set(`${STEP}/criteria`, [{ type: "simple", text: "x" }]), /condition/],
    ["a condition of another kind", set(`${STEP}/criteria/0/condition`, { op: "eval", of: 1 }), /condition/],
    ["an expression of another kind", set(`${MAIN}/outputs`, { x: { expr: { kind: "env" } } }), /outputs/],
    [
      "an output hidden from the model",
      (artifact) => {
        const outputs: unknown = JSON.parse('{"__proto__": 5}');
        // @ts-expect-error: any JSON
        set(`${MAIN}/outputs`, outputs)(artifact);
      },
      /__proto__/,
    ],
    ["a time that is negative", set(`${STEP}/timeoutMs`, -1), /timeoutMs/],
    ["an entry that is not there", set("/program/entry", "other"), /no workflow "other"/],
    ["an operation that is not there", set(`${STEP}/target`, { kind: "operation", operation: "x" }), /"x"/],
    ["a workflow that is not there", set(`${STEP}/target`, { kind: "workflow", workflow: "x" }), /"x"/],
    ["a goto to nowhere", set(`${STEP}/onSuccess`, [{ ...GOTO, step: "nowhere" }]), /"nowhere"/],
    ["a goto without a target", set(`${STEP}/onFailure`, [GOTO]), /goes nowhere/],
    ["a goto to no workflow", set(`${STEP}/onFailure`, [{ ...GOTO, workflow: "x" }]), /no workflow/],
    ["a retry of what passed", set(`${STEP}/onSuccess`, [{ ...GOTO, type: "retry" }]), /retried/],
    ["a dependency on no step", set(`${STEP}/dependsOn`, ["nowhere"]), /"nowhere"/],
    ["a dependency on no workflow", set(`${MAIN}/dependsOn`, ["nowhere"]), /"nowhere"/],
    ["a teardown of no step", set(`${MAIN}/teardown`, [{ step: "nowhere" }]), /"nowhere"/],
    ["two steps of one id", set(`${MAIN}/steps/1/id`, "add"), /same id/],
    [
      "a proof by no criterion",
      set(`${MAIN}/acceptance/0/provenBy`, [{ step: "add", criterion: "nothing" }]),
      /add#nothing/,
    ],
    [
      "an output of no step",
      set(`${MAIN}/outputs`, { x: { expr: { kind: "step", step: "nowhere", output: "x" } } }),
      /"nowhere"/,
    ],
    ["a map that is none", set("/map/nodes", { "/x": "y" }), /map\/nodes/],
    ["a provenance without overlays", set("/provenance/overlays", "none"), /provenance\/overlays/],
  ])("is refused with %s", async (_name, change, message) => {
    const text = await forged(change);
    expect(() => openArtifact(text)).toThrow(ArtifactError);
    expect(() => openArtifact(text)).toThrow(message);
  });

  test("is checked by the schema in the same way as by the models", async () => {
    const content: JsonObject = JSON.parse(JSON.stringify(await artifactOf({ file: FILE })));
    const disagreements: string[] = [];
    for (const [index, pointer] of pointersOf(content).entries()) {
      // In the short form others each time.
      if ((index + seed) % scaled({ short: 4, long: 1 }) > 0) continue;
      for (const junk of [undefined, null, 0, -1, 1.5, "x", true, [], {}, [{}], { kind: "body" }]) {
        const changed = structuredClone(content);
        set(pointer, junk)(changed);
        const value: unknown = JSON.parse(JSON.stringify(changed));
        const isShaped = shapeFault(artifactSchema, value) === undefined;
        if (isShaped !== Artifact.safeParse(value).success)
          disagreements.push(`${pointer} ${JSON.stringify(junk)}`);
      }
    }
    expect(disagreements).toEqual([]);
  });

  test("is refused however deep it is nested", () => {
    for (const depth of [1_500, 20_000, 1_000_000]) {
      const text = `{"artifact":"journey-artifact/1","id":${"[".repeat(depth)}${"]".repeat(depth)}}`;
      expect(() => openArtifact(text)).toThrow(ArtifactError);
    }
  });
});

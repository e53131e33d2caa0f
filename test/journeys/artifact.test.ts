import { mkdtempSync, readFileSync, rmSync, writeFileSync, copyFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { parseDocument as parseYaml, stringify } from "yaml";
import { ArtifactError, openArtifact, writeArtifact } from "@waymark/journeys/compile/artifact.ts";
import { canonicalJson } from "@waymark/journeys/compile/canonical.ts";
import { isObject } from "@waymark/openapi/json.ts";
import { artifactOf, FIXTURES } from "./support/build.ts";

const FILE = join(FIXTURES, "notes.journey.yaml");
const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** The same journey in a folder of its own, its text changed. */
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
  ])("is another one when %s changes", async (_name, change) => {
    const first = await artifactOf({ file: FILE });
    expect((await artifactOf({ file: elsewhere(change) })).id).not.toBe(first.id);
  });

  test("has nothing of files, lines, or times in it", async () => {
    const { program } = await artifactOf({ file: FILE });
    expect(canonicalJson(program)).not.toMatch(/notes\.journey|"line"|\d{4}-\d\d-\d\dT/);
  });
});

describe("an artifact's file", () => {
  test("is read as it was written", async () => {
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

  test("is refused with a field, a blank or an end that is not its own", async () => {
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

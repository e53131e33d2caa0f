import { readFileSync } from "node:fs";
import { parse as parseYaml } from "yaml";
import { expect, test } from "vitest";
import { scaled } from "@waymark/test-support/scale.ts";
import { ARAZZO_DOCUMENTS, PUBLISHED_DESCRIPTIONS, WORKED_EXAMPLE } from "@waymark/test-support/documents.ts";
import { isObject, jsonEqual } from "@waymark/openapi/json.ts";
import type { JsonObject } from "@waymark/openapi/json.ts";
import { editOpened } from "../src/edit/edit-document.ts";
import { openForEdits } from "../src/edit/opened-text.ts";
import { foundDocument, madeDocuments, writtenDocument } from "./support/documents.ts";
import type { TestDocument } from "./support/documents.ts";
import { randomEdit } from "./support/random-edit.ts";
import { checkLines } from "./support/line-rules.ts";
import { randomFrom } from "./support/random.ts";

const EDITS = scaled({ short: 1_000, long: 10_000 });
const PARTS = 4;
/** Edits in a row before a document is taken up anew. */
const ROW = 20;

// Documents that a person wrote, those made from real descriptions, and random ones.
const documents = [
  ...[...ARAZZO_DOCUMENTS, WORKED_EXAMPLE.journey].map((file) =>
    foundDocument(file, readFileSync(file, "utf8")),
  ),
  ...PUBLISHED_DESCRIPTIONS.flatMap((file) => madeDocuments(file, readFileSync(file, "utf8"))),
  ...Array.from({ length: 100 }, (_, seed) => writtenDocument(seed)),
];

test.each(Array.from({ length: PARTS }, (_, part) => part))(
  `${EDITS / PARTS} random edits leave every other line as it is and say what they mean (part %i)`,
  (part) => {
    const mine = documents.filter((_, index) => index % PARTS === part);
    const done = new Map<string, number>();
    for (let edits = 0, round = 0; edits < EDITS / PARTS; round += 1) {
      const document = mine[round % mine.length];
      if (document === undefined) throw new Error("there are no documents");
      const count = Math.min(ROW, EDITS / PARTS - edits);
      editInARow(document, part * 1000 + round, { count, done });
      edits += count;
    }
    expect(mine.length).toBeGreaterThanOrEqual(25);
    expect([...done.values()].reduce((sum, count) => sum + count, 0)).toBe(EDITS / PARTS);
    for (const op of ["setScalar", "insertStep", "moveStep", "removeStep", "renameStep", "renameAssertion"]) {
      expect(done.get(op)).toBeGreaterThan(EDITS / PARTS / 20);
    }
  },
  300_000,
);

function editInARow(
  document: TestDocument,
  seed: number,
  { count, done }: { count: number; done: Map<string, number> },
): void {
  const random = randomFrom(seed);
  let { text, model } = document;
  let opened = openForEdits(text, { file: document.name });
  for (let edit = 0; edit < count; edit += 1) {
    const { command, expected } = randomEdit(random, model, `${seed}x${edit}`);
    const result = editOpened(opened, command);
    const story = `${document.name}, edit ${edit} of row ${seed}: ${JSON.stringify(command)}\n${text}`;
    if (!result.ok) throw new Error(`${result.problems[0]?.message}\n${story}`);
    const value = meaning(result.text, result.opened.value, edit % 5 === 4);
    if (value === undefined || !jsonEqual(value, expected))
      throw new Error(`means something else:\n${story}\n${result.text}`);
    const fault = checkLines(opened, result.text, command);
    if (fault !== undefined) throw new Error(`${fault}\n${story}\n${result.text}`);
    done.set(command.op, (done.get(command.op) ?? 0) + 1);
    ({ text, opened } = result);
    model = value;
  }
}

/** Returns the value that the editor read. Every fifth time, the YAML library must read an equal one on its own. */
function meaning(text: string, read: unknown, readAnew: boolean): JsonObject | undefined {
  if (!isObject(read)) return undefined;
  if (!readAnew) return read;
  const anew: unknown = parseYaml(text);
  return isObject(anew) && jsonEqual(anew, read) ? anew : undefined;
}

import { parse as parseYaml } from "yaml";
import { describe, expect, test } from "vitest";
import { isObject, jsonEqual } from "../document/json.ts";
import type { JsonObject } from "../document/json.ts";
import { parseText } from "../document/parse-text.ts";
import { editDocument } from "./edit-document.ts";
import { randomEdit } from "./testing/random-edit.ts";
import { checkLines } from "./testing/line-rules.ts";
import { randomJourney } from "./testing/random-model.ts";
import { randomText } from "./testing/random-text.ts";
import { randomFrom } from "./testing/random.ts";

const DOCUMENTS = 100;
const EDITS_EACH = 100;
const PARTS = 4;

function written(seed: number): { text: string; model: JsonObject } {
  const random = randomFrom(seed);
  const model = randomJourney(random);
  const text = randomText(random, model);
  const value: unknown = parseText(text, { file: "generated.yaml" }).value;
  if (!isObject(value) || !jsonEqual(value, model))
    throw new Error(`the generator wrote a wrong document:\n${text}`);
  return { text, model };
}

describe("lossless edits", () => {
  const parts = Array.from({ length: PARTS }, (_, part) => part);

  test.each(parts)(
    `${(DOCUMENTS * EDITS_EACH) / PARTS} random edits leave every other line as it is and say what they mean (part %i)`,
    (part) => {
      const done: Record<string, number> = {};
      for (let document = part; document < DOCUMENTS; document += PARTS) editManyTimes(document, done);
      expect(Object.values(done).reduce((sum, count) => sum + count, 0)).toBe(
        (DOCUMENTS * EDITS_EACH) / PARTS,
      );
      for (const op of ["setScalar", "insertStep", "moveStep", "removeStep", "renameStep"]) {
        expect(done[op]).toBeGreaterThan(200);
      }
    },
    300_000,
  );
});

function editManyTimes(document: number, done: Record<string, number>): void {
  const original = written(document);
  const random = randomFrom(10_000 + document);
  let { text, model } = original;
  for (let edit = 0; edit < EDITS_EACH; edit += 1) {
    if (edit % 20 === 0) ({ text, model } = original);
    const { command, expected } = randomEdit(random, model, `${document}x${edit}`);
    const result = editDocument(text, command, { file: "generated.yaml" });
    const story = `document ${document}, edit ${edit}: ${JSON.stringify(command)}\n${text}`;
    if (!result.ok) throw new Error(`${result.problems[0]?.message}\n${story}`);
    const value: unknown = parseYaml(result.text);
    if (!isObject(value) || !jsonEqual(value, expected))
      throw new Error(`means something else:\n${story}\n${result.text}`);
    const fault = checkLines(text, result.text, command);
    if (fault !== undefined) throw new Error(`${fault}\n${story}\n${result.text}`);
    done[command.op] = (done[command.op] ?? 0) + 1;
    ({ text } = result);
    model = value;
  }
}

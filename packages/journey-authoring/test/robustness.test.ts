import { describe, expect, test } from "vitest";
import { cloneJson, isObject } from "@waymark/openapi/json.ts";
import type { JsonObject, JsonValue } from "@waymark/openapi/json.ts";
import { parseDocument } from "@waymark/journeys/document/parse.ts";
import { editOpened } from "../src/edit/edit-document.ts";
import { openForEdits } from "../src/edit/opened-text.ts";
import { randomJourney } from "./support/random-model.ts";
import { randomText } from "./support/random-text.ts";
import { randomFrom } from "./support/random.ts";
import type { Random } from "./support/random.ts";
import { exportArazzo } from "../src/exchange/export-arazzo.ts";
import { applyOverlays } from "@waymark/journeys/overlay/apply.ts";
import { parseOverlay } from "@waymark/journeys/overlay/parse-overlay.ts";
import { checkDocument } from "@waymark/journeys/rules/check-document.ts";

const ODD: [JsonValue, ...JsonValue[]] = [
  null,
  "",
  "x",
  "$steps.",
  0,
  -1,
  true,
  [],
  {},
  [[]],
  { a: null },
  ["x", 1],
  { $ref: "#" },
];

/** Replaces some values anywhere by something that doesn't belong there. */
function damaged(random: Random, value: JsonValue): JsonValue {
  if (random.chance(0.03)) return cloneJson(random.pick(ODD));
  if (Array.isArray(value)) return value.map((item) => damaged(random, item));
  if (!isObject(value)) return value;
  const copy: JsonObject = {};
  for (const [key, member] of Object.entries(value)) {
    if (random.chance(0.02)) continue;
    copy[random.chance(0.01) ? `${key}?` : key] = damaged(random, member);
  }
  return copy;
}

function garbled(random: Random, text: string): string {
  let result = text;
  for (let count = 0; count < 3; count += 1) {
    const at = random.below(result.length);
    const piece = random.pick([
      "",
      "",
      "\n",
      " ",
      ":",
      "- ",
      "{",
      "]",
      '"',
      "'",
      "&a ",
      "*a",
      "|",
      "#",
      "\t",
      "\u0000",
      "\ud800",
      "!!",
    ]);
    result = result.slice(0, at) + piece + result.slice(at + random.below(3));
  }
  return result;
}

const OVERLAY = `overlay: 1.1.0
info: { title: T, version: 1.0.0, x-overlay: { id: o, extendsVersion: ^1.0.0 } }
extends: ./t.yaml
actions:
  - { target: $.info, update: { title: Other } }
  - { target: "$.workflows[?@.workflowId=='main'].steps", x-insert: { before: nope }, update: [] }
  - { target: "$..outputs", remove: true }
`;

function everything(text: string): void {
  const document = parseDocument(text, { file: "t.yaml" });
  const problems = checkDocument(document);
  for (const { line, column, message } of problems) {
    expect(line >= 1 && column >= 1 && message.length > 0).toBe(true);
  }
  expect(document.model === undefined).toBe(document.problems.some(({ severity }) => severity === "error"));
  applyOverlays(document, [parseOverlay(OVERLAY, { file: "o.yaml" })]);
  exportArazzo(document);
  editOpened(openForEdits(text, { file: "t.yaml" }), {
    op: "removeStep",
    workflowId: "main",
    stepId: "create0",
  });
}

describe("whatever a document says, it is answered with problems and never with an exception", () => {
  test("200 documents with wrong values in them", () => {
    for (let seed = 0; seed < 200; seed += 1) {
      const random = randomFrom(seed);
      const text = JSON.stringify(damaged(random, randomJourney(random)));
      expect(() => everything(text)).not.toThrow();
    }
  });

  test("150 texts with characters lost and added", () => {
    for (let seed = 0; seed < 150; seed += 1) {
      const random = randomFrom(seed);
      const text = garbled(random, randomText(random, randomJourney(random)));
      expect(() => everything(text)).not.toThrow();
    }
  });
});

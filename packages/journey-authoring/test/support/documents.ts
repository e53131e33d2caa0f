import { isObject, jsonEqual } from "@waymark/openapi/json.ts";
import type { JsonObject } from "@waymark/openapi/json.ts";
import { parseText } from "@waymark/journeys/document/parse-text.ts";
import { crudTemplates } from "../../src/template/crud.ts";
import { randomJourney } from "./random-model.ts";
import { randomText } from "./random-text.ts";
import { randomFrom } from "./random.ts";

export interface TestDocument {
  name: string;
  text: string;
  model: JsonObject;
}

/** A journey that was made up, as one of many hands might have written it. */
export function writtenDocument(seed: number): TestDocument {
  const random = randomFrom(seed);
  const model = randomJourney(random);
  return checked(`made up ${seed}`, randomText(random, model), model);
}

/** A journey that a person wrote. */
export function foundDocument(name: string, text: string): TestDocument {
  return checked(name, text);
}

/** A journey for every resource of an OpenAPI file; every second one written anew in another hand. */
export function madeDocuments(file: string, text: string): TestDocument[] {
  return crudTemplates(valueOf(file, text), { source: "api", url: `./${file}` }).map((template, index) => {
    const made = checked(`${template.name} of ${file}`, template.text);
    if (index % 2 === 0) return made;
    return checked(made.name, randomText(randomFrom(index), made.model), made.model);
  });
}

function valueOf(file: string, text: string): JsonObject {
  const { value } = parseText(text, { file, limits: { chars: 1e8, tokens: 1e8, nodes: 1e7 } });
  if (!isObject(value)) throw new Error(`${file} can't be read`);
  return value;
}

/** Throws if the text can't be read or differs from its model, which is a fault of the test itself. */
function checked(name: string, text: string, model?: JsonObject): TestDocument {
  const value = valueOf(name, text);
  if (model !== undefined && !jsonEqual(value, model)) {
    throw new Error(`the generator wrote a wrong document:\n${text}`);
  }
  return { name, text, model: value };
}

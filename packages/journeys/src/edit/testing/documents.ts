import { existsSync, readdirSync, readFileSync } from "node:fs";
import { isObject, jsonEqual } from "../../document/json.ts";
import type { JsonObject } from "../../document/json.ts";
import { parseText } from "../../document/parse-text.ts";
import { crudTemplates } from "../../template/crud.ts";
import { randomJourney } from "./random-model.ts";
import { randomText } from "./random-text.ts";
import { randomFrom } from "./random.ts";

export interface TestDocument {
  name: string;
  text: string;
  model: JsonObject;
}

const checkout = new URL("../../../../../", import.meta.url);
const shared = new URL("../shared/", checkout);

/** A journey that was made up, as one of many hands might have written it. */
export function writtenDocument(seed: number): TestDocument {
  const random = randomFrom(seed);
  const model = randomJourney(random);
  return checked(`made up ${seed}`, randomText(random, model), model);
}

/**
 * Journeys as they are found: those in ../shared that people wrote, where that folder is, and one for every resource of the
 * OpenAPI files there and in `examples`. Every second of the latter is written anew in another hand.
 */
export function realDocuments(): TestDocument[] {
  const people = ["arazzo", "journeys"].flatMap((folder) =>
    filesIn(new URL(`${folder}/`, shared), /(arazzo|journey)\.yaml$/).map(([name, text]) =>
      checked(name, text),
    ),
  );
  const described = [new URL("openapi/", shared), new URL("examples/", checkout)].flatMap((folder) =>
    filesIn(folder, /\.(ya?ml|json)$/),
  );
  const made = described.flatMap(([name, text]) =>
    crudTemplates(valueOf(name, text), { source: "api", url: `./${name}` }).map((template) => ({
      name: `${template.name} of ${name}`,
      text: template.text,
    })),
  );
  return [
    ...people,
    ...made.map(({ name, text }, index) => {
      const found = checked(name, text);
      return index % 2 === 0 ? found : checked(name, randomText(randomFrom(index), found.model), found.model);
    }),
  ];
}

function filesIn(folder: URL, pattern: RegExp): [name: string, text: string][] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => pattern.test(name));
  return names.toSorted().map((name) => [name, readFileSync(new URL(name, folder), "utf8")]);
}

function valueOf(file: string, text: string): JsonObject {
  const { value } = parseText(text, { file, limits: { chars: 1e8, tokens: 1e8, nodes: 1e7 } });
  if (!isObject(value)) throw new Error(`${file} can't be read`);
  return value;
}

/** What can't be read, or says something else than what it was made from, is a fault of the test itself. */
function checked(name: string, text: string, model?: JsonObject): TestDocument {
  const value = valueOf(name, text);
  if (model !== undefined && !jsonEqual(value, model)) {
    throw new Error(`the generator wrote a wrong document:\n${text}`);
  }
  return { name, text, model: value };
}

import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { root } from "../../scripts/bootstrap/checkout.mjs";

const require = createRequire(import.meta.url);
const published = path.dirname(require.resolve("@readme/oas-examples/package.json"));

/** Published descriptions: Swagger 2.0, OpenAPI 3.0 and 3.1, JSON and YAML, 1 kB to 0.5 MB. */
export const PUBLISHED_DESCRIPTIONS: readonly string[] = [
  "2.0/json/petstore-expanded.json",
  "2.0/yaml/api-with-examples.yaml",
  "2.0/yaml/petstore-with-external-docs.yaml",
  "3.0/json/readme-legacy.json",
  "3.0/json/star-trek.json",
  "3.0/yaml/complex-nesting.yaml",
  "3.0/yaml/link-example.yaml",
  "3.0/yaml/petstore-expanded.yaml",
  "3.0/yaml/uspto.yaml",
  "3.1/yaml/readme.yaml",
  "3.1/yaml/webhooks.yaml",
].map((name) => path.join(published, name));

const arazzo = path.join(root, "test/journeys/documents");

/** Arazzo documents without our extension, which together use most features of Arazzo. */
export const ARAZZO_DOCUMENTS: readonly string[] = readdirSync(arazzo)
  .filter((name) => name.endsWith(".arazzo.yaml"))
  .map((name) => path.join(arazzo, name));

const journeys = path.join(root, "examples/journeys");

/** The worked example: a journey over the life of a note, and an overlay that also proves its removal. */
export const WORKED_EXAMPLE = {
  folder: journeys,
  journey: path.join(journeys, "notes.journey.yaml"),
  overlay: path.join(journeys, "notes.gone.overlay.yaml"),
};

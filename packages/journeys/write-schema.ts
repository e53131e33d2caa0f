// Writes packages/journeys/schema/*.json from the models: `node packages/journeys/write-schema.ts`, then npx oxfmt.
import { writeFile } from "node:fs/promises";
import { artifactJsonSchema } from "./src/compile/artifact-schema.ts";
import { journeyJsonSchema } from "./src/document/json-schema.ts";

for (const [name, schema] of Object.entries({
  journey: journeyJsonSchema(),
  artifact: artifactJsonSchema(),
})) {
  const file = new URL(`./schema/${name}.schema.json`, import.meta.url);
  await writeFile(file, `${JSON.stringify(schema, null, 2)}\n`);
}

// Writes packages/journeys/schema/journey.schema.json from the models: `node packages/journeys/write-schema.ts`, then prettier.
import { writeFile } from "node:fs/promises";
import { journeyJsonSchema } from "./src/document/json-schema.ts";

const file = new URL("./schema/journey.schema.json", import.meta.url);
await writeFile(file, `${JSON.stringify(journeyJsonSchema(), null, 2)}\n`);

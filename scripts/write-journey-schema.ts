// Writes packages/journeys/schema/journey.schema.json from the models: `node scripts/write-journey-schema.ts`, then prettier.
import { writeFile } from "node:fs/promises";
import { journeyJsonSchema } from "../packages/journeys/src/document/json-schema.ts";

const file = new URL("../packages/journeys/schema/journey.schema.json", import.meta.url);
await writeFile(file, `${JSON.stringify(journeyJsonSchema(), null, 2)}\n`);

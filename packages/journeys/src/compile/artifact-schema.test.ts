import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { artifactJsonSchema } from "./artifact-schema.ts";

test("the published schema is the one that the models make (else: node packages/journeys/write-schema.ts, then npx oxfmt)", () => {
  const published = new URL("../../schema/artifact.schema.json", import.meta.url);
  expect(JSON.parse(readFileSync(published, "utf8"))).toEqual(artifactJsonSchema());
});

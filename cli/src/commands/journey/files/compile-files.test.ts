import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test-support/run-captured.ts";
import { openJourney } from "./compile-files.ts";
import type { ParsedDescriptions } from "./file-access.ts";

const DESCRIPTION =
  "openapi: 3.1.0\ninfo: { title: T, version: '1' }\npaths: { /a: { get: { operationId: a } } }\n";

function journey(title: string): string {
  return `arazzo: 1.0.1
info: { title: ${title}, version: 1.0.0 }
sourceDescriptions: [{ name: api, url: openapi.yaml, type: openapi }]
workflows:
  - workflowId: main
    steps: [{ stepId: a, operationId: a }]
`;
}

test("the journeys of one command parse a description once, and again when its file has changed", async () => {
  const folder = await temporaryFolder();
  await folder.write("openapi.yaml", DESCRIPTION);
  await folder.write("one.yaml", journey("One"));
  await folder.write("two.yaml", journey("Two"));
  const context = { cwd: folder.path, openStdin: () => Readable.from([]) };
  const parsed: ParsedDescriptions = new Map();
  const documentOf = async (file: string) => {
    const request = { file, overlay: [], source: [], workflow: undefined, env: undefined, parsed };
    const source = (await openJourney(context, request)).journey.loaded.sources["api"];
    return source?.type === "openapi" ? source.document : undefined;
  };
  const first = await documentOf("one.yaml");
  expect(first).toMatchObject({ info: { title: "T" } });
  expect(await documentOf("two.yaml")).toBe(first);
  await folder.write("openapi.yaml", DESCRIPTION.replace("title: T", "title: U"));
  expect(await documentOf("two.yaml")).toMatchObject({ info: { title: "U" } });
});

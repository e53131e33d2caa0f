import { expect, test } from "vitest";
import { azureLine, isAzurePipelines } from "./azure-pipelines.ts";

test("names of files and rules can't end an issue of Azure Pipelines, or add to it", () => {
  const found = { severity: "high" as const, message: "m%\n##vso[x]", position: () => undefined };
  expect(azureLine("error", { ...found, code: "a;b]c%", file: "/x;y]z\r.yaml" })).toBe(
    String.raw`##vso[task.logissue type=error;sourcepath=/x%3By%5Dz\r.yaml;code=a%3Bb%5Dc%AZP25;]m%AZP25\n\u{23}#vso[x]`,
  );
});

test("only Azure Pipelines is", () => {
  expect([{ TF_BUILD: "True" }, { TF_BUILD: "False" }, {}].map(isAzurePipelines)).toEqual([
    true,
    false,
    false,
  ]);
});

import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import {
  FUNCTION_NAMES,
  FUNCTIONS,
  signatureOf,
} from "@waymark/journeys/expressions/functions/declarations.ts";
import { buildText } from "./support/build.ts";
import { documentText, SOURCE } from "./support/fake.ts";

const PAGE = new URL("../../docs/journey-functions.md", import.meta.url);

test("the page of the functions lists each as it is declared, and no other", async () => {
  const listed = (await readFile(PAGE, "utf8")).match(/^- `\$fn\..*$/gm);
  expect(listed).toEqual(
    FUNCTION_NAMES.map((name) => `- \`${signatureOf(name)}\`: ${FUNCTIONS[name].text}.`),
  );
});

test("the recipes of the page compile", async () => {
  const page = await readFile(PAGE, "utf8");
  const recipes = [...page.matchAll(/```yaml\n((?:- )?stepId[\s\S]*?)```/g)].map(([, text = ""]) => text);
  expect(recipes.length).toBeGreaterThan(3);
  for (const recipe of recipes) {
    const steps = recipe.startsWith("- ") ? recipe : `- ${recipe.replaceAll("\n", "\n  ").trimEnd()}\n`;
    const text = documentText({
      workflows: `
  - workflowId: main
    inputs:
      type: object
      properties:
        { user: { type: string }, password: { type: string }, key: { type: string } }
    x-journey: { secrets: { password: { ref: env:PASSWORD }, key: { ref: env:KEY } }, vars: { order: { generate: uuid } } }
    steps:
${steps.replaceAll(/^/gm, "      ")}`,
    });
    const { problems } = await buildText(text, { file: "t.yaml", sources: { api: SOURCE } });
    expect({ recipe, problems }).toEqual({ recipe, problems: [] });
  }
});

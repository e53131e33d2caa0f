import { expect, test } from "vitest";
import { parse } from "yaml";
import {
  CIRCLECI_PARAMETER,
  GITHUB_EXPRESSION,
  KUBERNETES_VARIABLE,
  VARIABLE,
  yamlValue,
} from "./yaml-value.ts";

const HOSTILE = "a${{ secrets.KEY }}b $HOME $(KEY) << pipeline.id >> \" ' \\ : # \u202e";

test("a value is the text again when YAML is read", () => {
  expect(parse(`key: ${yamlValue(HOSTILE)}`)).toEqual({ key: HOSTILE });
  expect(yamlValue(HOSTILE)).not.toContain("\u202e");
});

test.each([
  ["GitHub", GITHUB_EXPRESSION, "a${{ '${{' }} secrets.KEY }}b"],
  ["GitLab and Buildkite", VARIABLE, "a$${{ secrets.KEY }}b $$HOME $$(KEY)"],
  ["CircleCI", CIRCLECI_PARAMETER, String.raw`\<< pipeline.id >>`],
  ["Kubernetes", KUBERNETES_VARIABLE, "$HOME $$(KEY) <<"],
])("%s replaces nothing in a value", (_, replaced, written) => {
  expect(parse(yamlValue(HOSTILE, replaced))).toContain(written);
});

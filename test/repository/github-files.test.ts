import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { root } from "../../scripts/bootstrap/checkout.mjs";

const FORMS = ".github/ISSUE_TEMPLATE";
const read = (file: string): string => readFileSync(path.join(root, file), "utf8");

/** The parts of GitHub's schema of issue forms that are used here. GitHub ignores invalid forms. */
const validations = z.strictObject({ required: z.boolean() }).optional();
const id = z.string().regex(/^[a-z]+$/);
const label = z.string().min(1);
const description = z.string().optional();
const Form = z.strictObject({
  name: label,
  description: label,
  labels: z.array(label),
  body: z.array(
    z.discriminatedUnion("type", [
      z.strictObject({ type: z.literal("markdown"), attributes: z.strictObject({ value: label }) }),
      z.strictObject({
        type: z.enum(["input", "textarea"]),
        id,
        attributes: z.strictObject({ label, description }),
        validations,
      }),
      z.strictObject({
        type: z.literal("dropdown"),
        id,
        attributes: z.strictObject({ label, description, options: z.array(label).min(2) }),
        validations,
      }),
    ]),
  ),
});

describe("the issue forms", () => {
  test.each(readdirSync(path.join(root, FORMS)).filter((name) => name !== "config.yml"))(
    "%s is valid",
    (name) => {
      const form = Form.parse(parse(read(`${FORMS}/${name}`)));
      const ids = form.body.flatMap((field) => ("id" in field ? [field.id] : []));
      expect(new Set(ids).size).toBe(ids.length);
    },
  );
});

test("CODEOWNERS names existing folders and files", () => {
  const paths = read(".github/CODEOWNERS")
    .split("\n")
    .filter((line) => line.startsWith("/"))
    .map((line) => line.split(/\s+/)[0] ?? "");
  expect(paths.length).toBeGreaterThan(3);
  expect(paths.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
});

test("the version of Node is the one of the image", () => {
  const version = read(".node-version").trim();
  expect(version).toMatch(/^24\.\d+\.\d+$/);
  for (const file of ["deploy/Dockerfile", "deploy/compose.yaml", "deploy/gitlab/waymark-scan.yml"]) {
    expect([...new Set(read(file).match(/node:\d[\w.]*/g))]).toEqual([`node:${version}`]);
  }
});

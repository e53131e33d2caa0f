import { expect, test } from "vitest";
import { compareValues, requestWith, responseWith } from "./test-support/compare-texts.ts";

const enumOf = (...values: string[]) => ({ type: "string", enum: values });
const SHOWN = ["a", "b", "c", "d", "e"];

/** The fingerprints of what breaks clients between two descriptions. */
async function breaking(base: unknown, head: unknown): Promise<string[]> {
  const verdicts = await compareValues(base, head);
  return verdicts.filter(({ level }) => level === "breaking").map(({ fingerprint }) => fingerprint);
}

test("a fingerprint is 128 bits, and the same for the same change", async () => {
  const change = () => breaking(requestWith(enumOf("a", "b")), requestWith(enumOf("a")));
  const [first] = await change();
  expect(first).toMatch(/^[0-9a-f]{32}$/);
  expect(await change()).toEqual([first]);
});

test.each([
  ["listed values that the text leaves out", ["x", "y"], ["v", "w"]],
  ["a value that the text cuts", [`${"l".repeat(90)}1`], [`${"l".repeat(90)}2`]],
])("changes that read the same have fingerprints of their own: %s", async (_name, one, other) => {
  const removed = (values: string[]) =>
    breaking(requestWith(enumOf("z", ...SHOWN, ...values)), requestWith(enumOf("z")));
  const [first, second] = [await removed(one), await removed(other)];
  expect(first).toHaveLength(1);
  expect(first).not.toEqual(second);
  const added = (values: string[]) =>
    breaking(responseWith(enumOf("z")), responseWith(enumOf("z", ...SHOWN, ...values)));
  expect(await added(one)).not.toEqual(await added(other));
});

test("the order of the values is no part of a change", async () => {
  const removed = (values: string[]) =>
    breaking(requestWith(enumOf("z", ...values)), requestWith(enumOf("z")));
  expect(await removed(["x", "y"])).toEqual(await removed(["y", "x"]));
});

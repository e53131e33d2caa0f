import { expect, test } from "vitest";
import { compareContracts } from "./compare-contracts.ts";
import { compareValues, load, requestWith, worstOf } from "./test-support/compare-texts.ts";

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

test("what exceeds the limit of work may break, with the reason", async () => {
  const components = { Node: { type: "object", properties: { next: ref("Node") } } };
  const other = { Node: { type: "object", properties: { next: ref("Node"), text: { type: "string" } } } };
  const [base, head] = [
    requestWith(ref("Node"), { components }),
    requestWith(ref("Node"), { components: other }),
  ];
  expect(await compareValues(base, head, { steps: 1 })).toMatchObject([
    { id: "request-undecided", level: "maybe", reason: expect.stringContaining("limit of work") },
  ]);
});

test("properties that did not change cost no work, however many there are", async () => {
  const object = (maxLength: number) => ({
    type: "object",
    properties: Object.fromEntries(
      Array.from({ length: 1_000 }, (_, n) => [
        `p${n}`,
        { type: "string", maxLength: n === 0 ? maxLength : 9 },
      ]),
    ),
  });
  const [base, head] = [requestWith(object(2)), requestWith(object(1))];
  expect(await compareValues(base, head, { steps: 100 })).toMatchObject([
    { id: "request-max-length-lowered", level: "breaking" },
  ]);
});

test("a product of many alternatives ends, and may break", async () => {
  const choice = (index: number) => ({
    anyOf: [1, 2, 3, 4, 5].map((each) => ({ required: [`a${index}${each}`] })),
  });
  const product = { allOf: Array.from({ length: 12 }, (_, index) => choice(index)) };
  const verdicts = await compareValues(requestWith(product), requestWith({ ...product, maxProperties: 9 }));
  expect(verdicts).toContainEqual(
    expect.objectContaining({ id: "request-undecided", reason: expect.stringContaining("combinations") }),
  );
});

test("a reference that is not read is said, also where nothing changed", async () => {
  const text = JSON.stringify(requestWith({ $ref: "https://example.com/pet.json" }), undefined, 1);
  const [base, head] = await Promise.all([load(text), load(text)]);
  const { verdicts, notCompared } = compareContracts(base, head, { today: "2026-01-31" });
  expect(verdicts).toEqual([]);
  expect(notCompared).toMatchObject([
    { message: expect.stringContaining("https://example.com/pet.json"), place: { line: expect.any(Number) } },
  ]);
});

test("each reference that is not read has its first place", async () => {
  const missing = (name: string) => ({ $ref: `https://example.com/${name}.json` });
  const properties = { a: missing("a"), b: missing("b"), c: { items: missing("a") }, d: missing("a") };
  const text = JSON.stringify(requestWith({ properties }), undefined, 1);
  const [base, head] = await Promise.all([load(text), load(text)]);
  const { notCompared } = compareContracts(base, head, { today: "2026-01-31" });
  const lineOf = (name: string) => text.split("\n").findIndex((line) => line.includes(`"${name}": {`)) + 1;
  expect(notCompared.map(({ place }) => [place?.pointer.at(-1), place?.line])).toEqual([
    ["a", lineOf("a")],
    ["b", lineOf("b")],
  ]);
});

const regions = (count: number, first = 0) => ({
  ...requestWith({ type: "string" }),
  servers: [
    {
      url: "https://{region}.example.com",
      variables: {
        region: {
          default: `r${first}`,
          enum: Array.from({ length: count }, (_, index) => `r${first + index}`),
        },
      },
    },
  ],
});

test("each of many addresses of a server is compared", async () => {
  expect(await compareValues(regions(60), regions(70))).toEqual([]);
  expect(await compareValues(regions(60), regions(60, 1))).toMatchObject([
    { id: "server-removed", message: expect.stringContaining("https://r0.example.com is no longer") },
  ]);
  // The second side has the same addresses in another order.
  const reversed = structuredClone(regions(60));
  reversed.servers[0]?.variables.region.enum.reverse();
  expect(await compareValues(regions(60), reversed)).toEqual([]);
});

test("servers with more addresses than are read are not said to be removed, but not to be compared", async () => {
  const [base, head] = await Promise.all([load(regions(2001)), load(regions(2001, 1))]);
  const { verdicts, notCompared } = compareContracts(base, head, { today: "2026-01-31" });
  expect(verdicts).toEqual([]);
  expect(notCompared).toEqual([
    {
      message:
        "removed servers, because variables make more than 2000 addresses of a server or 200000 of a description",
      place: undefined,
    },
  ]);
});

test("addresses beyond the limit of a description are not said to be removed, but not to be compared", async () => {
  const operations = (count: number) =>
    Array.from({ length: count }, (_, index) => [
      `/a${index}`,
      { get: { servers: structuredClone(regions(2000).servers), responses: {} } },
    ]);
  const notComparedOf = async (count: number) => {
    const description = await load({ ...regions(1), paths: Object.fromEntries(operations(count)) });
    return compareContracts(description, description, { today: "2026-01-31" }).notCompared;
  };
  expect(await notComparedOf(100)).toEqual([]);
  expect(await notComparedOf(101)).toEqual([
    { message: expect.stringContaining("or 200000 of a description"), place: undefined },
  ]);
});

test("references in circles end", async () => {
  const components = { A: ref("B"), B: ref("A"), C: { allOf: [ref("C"), { type: "object" }] } };
  const circles = (type: string) =>
    requestWith({ properties: { a: ref("A"), c: ref("C"), d: { type } } }, { components });
  expect(worstOf(await compareValues(circles("string"), circles("integer")))).toBe("breaking");
});

test("a list of 100,000 values is compared", async () => {
  const values = Array.from({ length: 100_000 }, (_, index) => `v${index}`);
  const verdicts = await compareValues(requestWith({ enum: values }), requestWith({ enum: values.slice(1) }));
  expect(verdicts).toMatchObject([{ id: "request-enum-value-removed", before: '"v0"', witness: "v0" }]);
});

import { readFile, readdir } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { PUBLISHED_DESCRIPTIONS } from "@waymark/test-support/documents.ts";
import { runCaptured, temporaryFolder } from "../../test-support/run-captured.ts";

const API = `openapi: 3.1.0
info: { title: Shop, version: 1.0.0 }
servers: [{ url: "https://shop.example" }]
security: [{ key: [] }]
paths:
  /orders:
    post:
      operationId: placeOrder
      requestBody: { content: { application/json: { schema: { type: object, required: [sku], properties: { sku: { type: string } } } } } }
      responses: { "201": { description: ok, content: { application/json: { schema: { $ref: "#/components/schemas/Order" } } } } }
  /orders/{orderId}:
    get: { operationId: getOrder, responses: { "200": { description: ok } } }
    delete: { operationId: cancelOrder, responses: { "204": { description: ok } } }
  /carts: { post: { operationId: makeCart, responses: { "201": { description: ok } } } }
  /carts/{cartId}: { get: { operationId: getCart, responses: { "200": { description: ok } } } }
components:
  schemas: { Order: { type: object, properties: { orderId: { type: string }, sku: { type: string } } } }
  securitySchemes: { key: { type: http, scheme: bearer } }
`;

async function project() {
  const folder = await temporaryFolder();
  await folder.write("api/shop.openapi.yaml", API);
  const waymark = (...args: string[]) => runCaptured(["journey", ...args], { cwd: folder.path });
  const text = (name: string) => readFile(path.join(folder.path, name), "utf8");
  return { folder, waymark, text };
}

describe("waymark journey new --openapi", () => {
  test("creates a journey for every resource, which lints and compiles", async () => {
    const { waymark, text } = await project();
    expect(await waymark("new", "made/here", "--openapi", "api/shop.openapi.yaml")).toEqual({
      exitCode: 0,
      stderr: "",
      stdout:
        "Made made/here/orders.journey.yaml for /orders\nMade made/here/carts.journey.yaml for /carts\n2 journeys\n",
    });
    expect(await text("made/here/orders.journey.yaml")).toContain("url: ../../api/shop.openapi.yaml");
    const files = ["made/here/orders.journey.yaml", "made/here/carts.journey.yaml"];
    expect(await waymark("lint", ...files)).toMatchObject({
      exitCode: 0,
      stdout: "2 journeys: no problems\n",
    });
  });

  test("creates one for a resource by name or path, lists them, and writes to standard output", async () => {
    const { waymark, text } = await project();
    const from = ["--openapi", "api/shop.openapi.yaml"];
    expect((await waymark("new", ...from, "--list")).stdout).toBe("orders  /orders\ncarts   /carts\n");
    expect(await waymark("new", "a b.journey.yaml", ...from, "--resource", "carts")).toMatchObject({
      exitCode: 0,
    });
    const byPath = await waymark("new", "-", ...from, "--resource", "/carts");
    expect(byPath).toMatchObject({ exitCode: 0, stderr: "" });
    expect(byPath.stdout).toBe(await text("a b.journey.yaml"));
  });

  test.each([
    ["more digits than a number keeps", "example: 12345678901234567890", "sku: 1.2345678901234567e+19"],
    ["a negative one", "default: -9007199254740993", "sku: -9.007199254740992e+15"],
    ["a large minimum", "type: integer, minimum: 100000000000000000000", "sku: 1e+20"],
    ["a large number in an exponent", "const: 1.5e300", "sku: 1.5e+300"],
    ["a fraction", "example: 0.1", "sku: 0.1"],
    ["no finite number", "type: number, example: .inf", "sku: 1"],
    ["no number at all", "type: number, minimum: .nan, default: .nan", "sku: 1"],
  ])("writes numbers that lint accepts: %s", async (_, schema, written) => {
    const { folder, waymark, text } = await project();
    await folder.write(
      "api/shop.openapi.yaml",
      API.replace("properties: { sku: { type: string } }", `properties: { sku: { ${schema} } }`),
    );
    expect(
      await waymark("new", "a.journey.yaml", "--openapi", "api/shop.openapi.yaml", "--resource", "orders"),
    ).toMatchObject({ exitCode: 0 });
    expect(await text("a.journey.yaml")).toMatch(
      new RegExp(`^ *(?:${written.replaceAll("+", "\\+")})$`, "m"),
    );
    expect(await waymark("lint", "a.journey.yaml")).toMatchObject({
      exitCode: 0,
      stdout: "1 journey: no problems\n",
    });
  });

  test("replaces no existing file, and creates none if one exists", async () => {
    const { folder, waymark, text } = await project();
    await folder.write("orders.journey.yaml", "mine\n");
    const refused = await waymark("new", "--openapi", "api/shop.openapi.yaml");
    expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("orders.journey.yaml") });
    expect(await text("orders.journey.yaml")).toBe("mine\n");
    expect(await readdir(folder.path)).toEqual(["api", "orders.journey.yaml"]);
    expect(await waymark("new", "--openapi", "api/shop.openapi.yaml", "--force")).toMatchObject({
      exitCode: 0,
    });
    expect(await text("orders.journey.yaml")).toContain("arazzo: 1.1.0");
  });

  test.each([
    [["new"], /^Name the file to make/],
    [["new", "a.yaml", "--list"], /^--list and --resource go with --openapi/],
    [["new", "a.yaml", "--openapi", "x.yaml", "--url", "http://x"], /^Give one of --openapi/],
    [["new", "--openapi", "none.yaml"], /^Can't read .*none\.yaml: there is no such file/],
    [["new", "a.yaml", "--openapi", "api/shop.openapi.yaml"], /has 2 resources: pick one with --resource/],
    [
      ["new", "--openapi", "api/shop.openapi.yaml", "--resource", "pets"],
      /has no resource "pets": there is orders, carts\./,
    ],
    [
      ["new", "api/shop.openapi.yaml/a.yaml", "--url", "https://x"],
      /^Can't write api\/shop\.openapi\.yaml\/a\.yaml: a part of the path is not a directory/,
    ],
  ])("refuses %j with a reason", async (args, message) => {
    const { waymark } = await project();
    expect(await waymark(...args)).toEqual({
      exitCode: 2,
      stdout: "",
      stderr: expect.stringMatching(message),
    });
  });

  test("a description that refers to itself a thousand times gives a small journey quickly", async () => {
    const { folder, waymark, text } = await project();
    const many = Array.from({ length: 60 }, (_, n) => `p${n}`);
    const node = {
      type: "object",
      required: many,
      properties: Object.fromEntries(many.map((name) => [name, { $ref: "#/components/schemas/Node" }])),
    };
    const circle = { allOf: Array.from({ length: 60 }, () => ({ $ref: "#/components/schemas/Circle" })) };
    const body = (name: string) => ({
      content: { "application/json": { schema: { $ref: `#/components/schemas/${name}` } } },
    });
    const resource = (name: string) => ({
      [`/${name}`]: {
        post: {
          operationId: `make${name}`,
          requestBody: body(name),
          responses: { 201: { description: "", ...body(name) } },
        },
      },
      [`/${name}/{id}`]: { get: { operationId: `get${name}`, responses: { 200: { description: "" } } } },
    });
    const document = {
      openapi: "3.1.0",
      paths: { ...resource("Node"), ...resource("Circle") },
      components: { schemas: { Node: node, Circle: circle } },
    };
    await folder.write("bomb.json", JSON.stringify(document));
    expect(await waymark("new", "--openapi", "bomb.json")).toMatchObject({ exitCode: 0 });
    expect((await text("node.journey.yaml")).length).toBeLessThan(200_000);
  });
});

describe("waymark journey new", () => {
  test("copies a template with its comments, and its sources are found from the new folder", async () => {
    const { folder, waymark, text } = await project();
    await waymark("new", "base.journey.yaml", "--openapi", "api/shop.openapi.yaml", "--resource", "orders");
    await folder.write("base.journey.yaml", `# ours\n${await text("base.journey.yaml")}`);
    await folder.write("teams/.keep", "");
    const made = await waymark("new", "teams/refund.journey.yaml", "--template", "base.journey.yaml");
    expect(made).toEqual({ exitCode: 0, stdout: "Made teams/refund.journey.yaml\n", stderr: "" });
    const written = await text("teams/refund.journey.yaml");
    expect(written).toMatch(/^# ours\n/);
    expect(written).toContain("title: Refund\n");
    expect(await waymark("lint", "teams/refund.journey.yaml")).toMatchObject({ exitCode: 0 });
    expect(
      await waymark("new", "teams/x.overlay.yaml", "--variant-of", "base.journey.yaml", "--title", "Other"),
    ).toMatchObject({ exitCode: 0 });
    expect(await waymark("lint", "teams/x.overlay.yaml")).toMatchObject({ exitCode: 0 });
  });

  test("creates a minimal journey for a URL", async () => {
    const { waymark } = await project();
    expect(await waymark("new", "ping.journey.yaml", "--url", "https://ping.example/")).toMatchObject({
      exitCode: 0,
    });
    expect(await waymark("lint", "ping.journey.yaml")).toMatchObject({ exitCode: 0 });
  });

  test("an invalid template is refused with the positions of its faults", async () => {
    const { folder, waymark } = await project();
    await folder.write("broken.yaml", "arazzo: 1.1.0\nworkflows: 1\n");
    const { exitCode, stderr } = await waymark("new", "a.yaml", "--template", "broken.yaml");
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^broken\.yaml can't be a template: \d errors?\.\n {2}broken\.yaml:1:1 error/);
  });
});

test("journeys from published descriptions lint and compile without problems", async () => {
  const { folder, waymark } = await project();
  let made = 0;
  for (const file of PUBLISHED_DESCRIPTIONS) {
    const out = path.relative(path.dirname(path.dirname(path.dirname(file))), file).replaceAll(/[./]/g, "-");
    const result = await waymark("new", out, "--openapi", file);
    if (result.stderr.includes("describes no resource that can be created")) continue;
    const files = (await readdir(path.join(folder.path, out))).map((name) => `${out}/${name}`);
    made += files.length;
    expect([file, (await waymark("lint", ...files.slice(0, 5))).stdout]).toEqual([
      file,
      expect.stringMatching(/^\d journeys?: no problems\n$/),
    ]);
  }
  expect(made).toBeGreaterThan(15);
});

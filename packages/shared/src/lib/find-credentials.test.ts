import { describe, expect, test } from "vitest";
import { findCredentials } from "./find-credentials.ts";

const KEY = `wmk_${"a".repeat(12)}_${"b".repeat(39)}`;
const PRIVATE_KEY = ["-----BEGIN RSA ", "PRIVATE KEY-----"].join("");

describe("credentials in a description", () => {
  test.each([
    [
      { servers: [{ url: "https://api.example.com" }, { url: "https://u:p@api.example.com" }] },
      "servers.1.url",
    ],
    [
      { paths: { "/a": { servers: [{ url: "https://api.example.com?token=x" }] } } },
      "paths./a.servers.0.url",
    ],
    [{ externalDocs: { url: "https://user@docs.example.com" } }, "externalDocs.url"],
    [{ info: { contact: { url: "https://user:p@example.com" } } }, "info.contact.url"],
    [
      {
        components: {
          securitySchemes: { a: { flows: { implicit: { authorizationUrl: "https://a:b@c.d" } } } },
        },
      },
      "components.securitySchemes.a.flows.implicit.authorizationUrl",
    ],
    [{ host: "user:password@api.example.com" }, "host"],
    [{ info: { description: `Use ${KEY}.` } }, "info.description"],
    [{ components: { schemas: { A: { example: { key: KEY } } } } }, "components.schemas.A.example.key"],
    [{ info: { description: `Sign with ${PRIVATE_KEY}.` } }, "info.description"],
    [{ components: { schemas: { A: { default: PRIVATE_KEY } } } }, "components.schemas.A.default"],
    [{ "x-signing": { key: PRIVATE_KEY } }, "x-signing.key"],
    [
      { components: { schemas: { A: { properties: { example: { description: PRIVATE_KEY } } } } } },
      "components.schemas.A.properties.example.description",
    ],
    [{ paths: { [`/${KEY}`]: {} } }, "paths"],
  ])("are found in %j", (document, place) => {
    expect(findCredentials(document)?.path.join(".")).toBe(place);
  });

  test("are not taken for such in examples of addresses, and in documents that share objects", () => {
    const example = {
      url: "https://user:password@example.com",
      servers: [{ url: "https://a:b@example.com" }],
    };
    const schema = {
      type: "object",
      properties: { servers: { type: "array" } },
      example,
      examples: [example],
    };
    const document = {
      info: { title: "A" },
      servers: [{ url: "/v1" }],
      components: { schemas: { A: schema, B: schema } },
    };
    expect(findCredentials(document)).toBeUndefined();
    expect(findCredentials({ ...document, servers: example.servers })?.path).toEqual(["servers", 0, "url"]);
  });
});

describe("a private key", () => {
  const shown = { pem: `${PRIVATE_KEY}\nMIIEowIBAAKCAQEA` };
  const documented = {
    paths: { "/a": { get: { responses: { 200: { content: { "a/b": { example: shown } } } } } } },
    components: { examples: { "from-manifest": { value: shown } }, schemas: { A: { examples: [shown] } } },
  };

  test("in an example is documentation", () => {
    const text = JSON.stringify(documented);
    expect(findCredentials(JSON.parse(text), text)).toBeUndefined();
  });

  test("in a comment beside an example is found", () => {
    const text = JSON.stringify(documented);
    expect(findCredentials(JSON.parse(text), `${text} # ${PRIVATE_KEY}`)).toEqual({
      path: [],
      message: "has a private key outside of its examples",
    });
  });

  test("in an object that an example shares with an extension is found", () => {
    const document = { ...documented, "x-signing": shown };
    expect(findCredentials(document)?.path).toEqual(["x-signing", "pem"]);
  });
});

test("a Waymark key in a comment is found", () => {
  expect(findCredentials({ openapi: "3.1.0" }, `openapi: 3.1.0 # ${KEY}`)?.message).toContain("of Waymark");
});

import { describe, expect, test } from "vitest";
import { encodeBody } from "./body.ts";
import type { ParameterRule } from "./operation.ts";
import { serializeCookie, serializeHeader, serializePath, serializeQuery } from "./serialize.ts";

const ARRAY = ["blue", "black", "brown"];
const OBJECT = { R: 100, G: 200, B: 150 };
const rule = (style: ParameterRule["style"], explode: boolean): ParameterRule => ({ style, explode });
const query = (value: unknown, with_: ParameterRule) =>
  serializeQuery("color", value, with_)
    .map(([name, text]) => `${name}=${text}`)
    .join("&");

describe("OpenAPI's table of styles", () => {
  test.each([
    ["simple", false, "blue", "blue,black,brown", "R,100,G,200,B,150"],
    ["simple", true, "blue", "blue,black,brown", "R=100,G=200,B=150"],
    ["label", false, ".blue", ".blue,black,brown", ".R,100,G,200,B,150"],
    ["label", true, ".blue", ".blue.black.brown", ".R=100.G=200.B=150"],
    ["matrix", false, ";color=blue", ";color=blue,black,brown", ";color=R,100,G,200,B,150"],
    ["matrix", true, ";color=blue", ";color=blue;color=black;color=brown", ";R=100;G=200;B=150"],
  ] as const)("path %s explode=%s", (style, explode, one, list, object) => {
    expect(serializePath("color", "blue", rule(style, explode))).toBe(one);
    expect(serializePath("color", ARRAY, rule(style, explode))).toBe(list);
    expect(serializePath("color", OBJECT, rule(style, explode))).toBe(object);
  });

  test.each([
    ["form", false, "color=blue,black,brown", "color=R,100,G,200,B,150"],
    ["form", true, "color=blue&color=black&color=brown", "R=100&G=200&B=150"],
    ["spaceDelimited", false, "color=blue%20black%20brown", "color=R%20100%20G%20200%20B%20150"],
    ["pipeDelimited", false, "color=blue%7Cblack%7Cbrown", "color=R%7C100%7CG%7C200%7CB%7C150"],
    [
      "deepObject",
      true,
      "color=blue&color=black&color=brown",
      "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150",
    ],
  ] as const)("query %s explode=%s", (style, explode, list, object) => {
    expect(query(ARRAY, rule(style, explode))).toBe(list);
    expect(query(OBJECT, rule(style, explode))).toBe(object);
  });

  test("headers are not percent-encoded, cookies are", () => {
    expect(serializeHeader("Bearer a/b c", rule("simple", false))).toBe("Bearer a/b c");
    expect(serializeHeader(OBJECT, rule("simple", true))).toBe("R=100,G=200,B=150");
    expect(serializeCookie("s", "a b", rule("form", true))).toEqual(["s=a%20b"]);
  });

  test("a value can't leave its place in a path or a query", () => {
    expect(serializePath("id", "../../admin?x#y", rule("simple", false))).toBe("..%2F..%2Fadmin%3Fx%23y");
    expect(query("a&admin=1", rule("form", true))).toBe("color=a%26admin%3D1");
  });

  test("allowReserved keeps reserved characters, content writes JSON", () => {
    expect(query("a/b?c", { ...rule("form", true), allowReserved: true })).toBe("color=a/b?c");
    expect(query({ a: 1 }, { ...rule("form", true), contentType: "application/json" })).toBe(
      "color=%7B%22a%22%3A1%7D",
    );
  });
});

const boundary = () => "B";

const body = (payload: unknown, mediaType: string, properties = {}) =>
  encodeBody(payload, { mediaType, rule: { properties }, boundary });

describe("bodies", () => {
  test("JSON text stays as it was written, other values are serialized", () => {
    expect(body('{ "a": 1 }', "application/json").body).toBe('{ "a": 1 }');
    expect(body({ a: 1 }, "application/merge-patch+json").body).toBe('{"a":1}');
    expect(body("plain", "application/json").body).toBe('"plain"');
  });

  test("forms encode every value and repeat lists", () => {
    expect(body({ a: "x y&z", list: [1, 2], o: { k: 1 } }, "application/x-www-form-urlencoded").body).toBe(
      "a=x+y%26z&list=1&list=2&o=%7B%22k%22%3A1%7D",
    );
    const deep = body({ o: { k: 1 } }, "application/x-www-form-urlencoded", {
      o: { style: "deepObject", explode: true },
    });
    expect(deep.body).toBe("o%5Bk%5D=1");
  });

  test("multipart parts have their content type and file name", () => {
    const encoded = body({ meta: { a: 1 }, file: "data", 'q"': "v" }, "multipart/form-data", {
      file: { contentType: "image/png", binary: true },
    });
    expect(encoded.contentType).toBe("multipart/form-data; boundary=B");
    expect(encoded.body).toBe(
      '--B\r\nContent-Disposition: form-data; name="meta"\r\nContent-Type: application/json\r\n\r\n{"a":1}\r\n' +
        '--B\r\nContent-Disposition: form-data; name="file"; filename="file"\r\nContent-Type: image/png\r\n\r\ndata\r\n' +
        '--B\r\nContent-Disposition: form-data; name="q%22"\r\n\r\nv\r\n--B--\r\n',
    );
  });

  test("an object in a media type without structure is refused", () => {
    expect(() => body({ a: 1 }, "application/octet-stream")).toThrow("give the payload as a string");
  });
});

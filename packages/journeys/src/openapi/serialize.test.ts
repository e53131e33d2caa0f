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

  test("the characters ! ' ( ) and * are encoded, as in RFC 6570", () => {
    expect(serializePath("id", "it's(*)!", rule("simple", false))).toBe("it%27s%28%2A%29%21");
    expect(query("love!", rule("form", true))).toBe("color=love%21");
    expect(serializeHeader("it's(*)!", rule("simple", false))).toBe("it's(*)!");
  });

  test("an empty value has the prefix of its style, without an equals sign in a matrix", () => {
    for (const explode of [true, false]) {
      expect(serializePath("color", "", rule("matrix", explode))).toBe(";color");
      expect(serializePath("color", "", rule("label", explode))).toBe(".");
      expect(query("", rule("form", explode))).toBe("color=");
    }
    expect(serializePath("color", ["", "a"], rule("matrix", true))).toBe(";color;color=a");
    expect(serializePath("color", { R: "", G: 1 }, rule("matrix", true))).toBe(";R;G=1");
  });

  test("null in a list or an object is left out", () => {
    expect(serializePath("color", [1, null, 2], rule("simple", false))).toBe("1,2");
    expect(serializePath("color", [1, null, 2], rule("label", true))).toBe(".1.2");
    expect(serializePath("color", [1, null, 2], rule("matrix", true))).toBe(";color=1;color=2");
    expect(query([1, null, 2], rule("form", false))).toBe("color=1,2");
  });

  test("the style cookie separates pairs, and escapes nothing", () => {
    const cookie = (value: unknown, explode: boolean) =>
      serializeCookie("color", value, rule("cookie", explode)).join("; ");
    expect(cookie("blue", true)).toBe("color=blue");
    expect(cookie(ARRAY, true)).toBe("color=blue; color=black; color=brown");
    expect(cookie(ARRAY, false)).toBe("color=blue,black,brown");
    expect(cookie(OBJECT, true)).toBe("R=100; G=200; B=150");
    expect(cookie(OBJECT, false)).toBe("color=R,100,G,200,B,150");
    expect(cookie({ greeting: "Hello%2C world!", code: 42 }, true)).toBe("greeting=Hello%2C world!; code=42");
  });

  test("a lone surrogate is sent as the replacement character", () => {
    expect(query("a\uD800", rule("form", true))).toBe("color=a%EF%BF%BD");
    expect(query("a\uD800", { ...rule("form", true), allowReserved: true })).toBe("color=a%EF%BF%BD");
  });

  test("a value can't leave its place in a path or a query", () => {
    expect(serializePath("id", "../../admin?x#y", rule("simple", false))).toBe("..%2F..%2Fadmin%3Fx%23y");
    expect(query("a&admin=1", rule("form", true))).toBe("color=a%26admin%3D1");
  });

  test("allowReserved keeps reserved characters, content writes JSON", () => {
    const reserved = { ...rule("form", true), allowReserved: true };
    expect(query("a/b?c", reserved)).toBe("color=a/b?c");
    expect(query(":/?[]@!$&'()*+,;=", reserved)).toBe("color=:/?[]@!$&'()*+,;=");
    // An escape stays, and any other percent sign is encoded. A hash is never part of a query.
    expect(query("100%25 %2f 5% %zz #é", reserved)).toBe("color=100%25%20%2f%205%25%20%25zz%20%23%C3%A9");
    expect(serializePath("p", "a/b?c#d:@%2F", { ...rule("simple", false), allowReserved: true })).toBe(
      "a%2Fb%3Fc%23d:@%2F",
    );
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

  test("multipart parts with a style are written as query parameters are, without escapes", () => {
    const parts = (value: unknown, own: object) =>
      [
        ...String(body({ p: value }, "multipart/form-data", { p: own }).body).matchAll(
          /name="([^"]*)"(.*)\r\n\r\n(.*)\r\n/g,
        ),
      ].map(([, name, rest, text]) => `${name}${rest}=${text}`);
    expect(parts(["a b", "c&d"], { explode: true })).toEqual(["p=a b", "p=c&d"]);
    expect(parts(["a b", "c&d"], { style: "form", explode: false })).toEqual(["p=a b,c&d"]);
    expect(parts(["a b", 1], { style: "pipeDelimited", contentType: "application/json" })).toEqual([
      "p=a b|1",
    ]);
    expect(parts(["a", "b"], { style: "spaceDelimited" })).toEqual(["p=a b"]);
    expect(parts({ R: 1, "G H": "x/y" }, { explode: true })).toEqual(["R=1", "G H=x/y"]);
    expect(parts({ R: 1 }, { style: "deepObject" })).toEqual(["p[R]=1"]);
    expect(parts("a%20b", { allowReserved: true })).toEqual(["p=a%20b"]);
  });

  test("items of a list are parts of their own, each in the type of its value", () => {
    const encoded = body({ list: [1, { a: 1 }, [2]] }, "multipart/form-data");
    const head = 'Content-Disposition: form-data; name="list"';
    expect(encoded.body).toBe(
      `--B\r\n${head}\r\n\r\n1\r\n--B\r\n${head}\r\nContent-Type: application/json\r\n\r\n{"a":1}\r\n` +
        `--B\r\n${head}\r\nContent-Type: application/json\r\n\r\n[2]\r\n--B--\r\n`,
    );
  });

  test("a part has one type: the first of the encoding that is no range", () => {
    const typeOf = (contentType: string) =>
      /Content-Type: (.*)\r/.exec(
        String(body({ f: "x" }, "multipart/form-data", { f: { contentType } }).body),
      )?.[1];
    expect(typeOf("image/*, image/png, image/jpeg")).toBe("image/png");
    expect(typeOf("image/*")).toBe("application/octet-stream");
  });

  test("a list is a multipart body of parts without names, in the types of their places", () => {
    const rules = { prefix: [{ contentType: "application/xml" }], item: { contentType: "text/csv" } };
    const listed = (payload: unknown, with_: object) =>
      encodeBody(payload, { mediaType: "multipart/mixed", rule: with_, boundary }).body;
    expect(listed(["<a/>", "1,2", "3"], rules)).toBe(
      "--B\r\nContent-Type: application/xml\r\n\r\n<a/>\r\n--B\r\nContent-Type: text/csv\r\n\r\n1,2\r\n" +
        "--B\r\nContent-Type: text/csv\r\n\r\n3\r\n--B--\r\n",
    );
    expect(listed([{ a: 1 }, "t"], {})).toBe(
      '--B\r\nContent-Type: application/json\r\n\r\n{"a":1}\r\n--B\r\nContent-Type: text/plain\r\n\r\nt\r\n--B--\r\n',
    );
    expect(() => body([1], "multipart/form-data")).toThrow("needs an object");
  });

  test.each([
    ["application/jsonl", '{"a":1}\n"x"\n3\n'],
    ["application/x-ndjson; charset=utf-8", '{"a":1}\n"x"\n3\n'],
    ["application/json-seq", '\u001E{"a":1}\n\u001E"x"\n\u001E3\n'],
    ["application/geo+json-seq", '\u001E{"a":1}\n\u001E"x"\n\u001E3\n'],
  ])("a list is %s, one JSON text for each item", (mediaType, text) => {
    expect(body([{ a: 1 }, "x", 3], mediaType)).toEqual({ body: text, contentType: mediaType });
    expect(body({ a: 1 }, mediaType).body).toBe(`${text.slice(0, text.indexOf("\n"))}\n`);
    expect(body("as it is", mediaType).body).toBe("as it is");
  });

  test("an object in a media type without structure is refused", () => {
    expect(() => body({ a: 1 }, "application/octet-stream")).toThrow("give the payload as a string");
  });
});

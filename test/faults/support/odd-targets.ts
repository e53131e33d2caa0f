import type { Random } from "@waymark/test-support/scale.ts";

/** The method and target of a request, and whether it may have a valid key. */
export interface OddRequest {
  method: string;
  target: string;
}

export interface TargetMaterial {
  /** Patterns of the api's routes, such as `/api/scan-runs/:scanRunId`. */
  patterns: readonly [string, ...string[]];
  /** Valid addresses, to combine with odd parts. */
  known: readonly [string, ...string[]];
  /** Files that no request may read, relative to the folder of the assets. */
  forbiddenFiles: readonly [string, ...string[]];
}

const METHODS = ["GET", "GET", "GET", "GET", "GET", "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;
const ODD_METHODS = [
  "OPTIONS",
  "TRACE",
  "PROPFIND",
  "MKCOL",
  "PURGE",
  "M-SEARCH",
  "QUERY",
  "LINK",
  "ACL",
  "FOO",
  "get",
  "X".repeat(300),
] as const;

/** Spellings of `../` that some servers accept. */
const UPWARDS = [
  "../",
  "%2e%2e/",
  "..%2f",
  "%2e%2e%2f",
  "..\\",
  "..%5c",
  "%2e%2e%5c",
  "%252e%252e%252f",
  "..%252f",
  "..%255c",
  ".%2e/",
  "..;/",
  "....//",
  "..././",
  "%c0%ae%c0%ae/",
  "..%c0%af",
  "%e0%80%ae%e0%80%ae/",
  "%uff0e%uff0e/",
  "..%00/",
  "/../",
  "./../",
] as const;

const SEGMENTS = [
  "%00",
  "a%00.js",
  "%2f",
  "%2F%2f",
  "/etc/passwd",
  "//",
  "/",
  ";",
  ";jsessionid=1",
  "a;b=c",
  "%3b",
  ".",
  "%2e",
  "..",
  "...",
  "\\",
  "%5c%5c",
  "%",
  "%%",
  "%z",
  "%u0041",
  "%c0%80",
  "%ff%fe",
  "%ed%a0%80",
  "%f4%90%80%80",
  "%e2%80%ae",
  "%0d%0aSet-Cookie:%20a=b",
  "%09",
  "%20",
  "%7f",
  "é",
  "ÿþ",
  "'\"<script>",
  "{}",
  "[0]",
  "|",
  "^",
  "`",
  "~root",
  "*",
  ":scanRunId",
  "__proto__",
  "constructor",
  "hasOwnProperty",
  ".env",
  ".git/config",
  "CON",
  "index.html",
  "index.html/",
  "undefined",
  "null",
  "-1",
  "1e999",
  "#fragment",
  "@",
  "&a=b",
] as const;

const QUERIES = [
  "?",
  "??",
  "?/../..",
  "?limit=1&limit=2",
  "?limit=NaN",
  "?limit=-0",
  "?cursor=%00",
  "?cursor=%",
  "?cursor=" + "A".repeat(3_000),
  "?__proto__[a]=b",
  "?a[]=1&a[b]=2",
  "?%zz=%zz",
  "?organizationId=",
  "?organizationId=a&organizationId=b",
  "?against=%2e%2e",
  "?trend=99999999999999999999",
  "?=&&==",
  "?é=ÿ",
  "?" + "a&".repeat(2_000),
] as const;

const IDS = ["0", "00000000-0000-0000-0000-000000000000", "self", "x".repeat(199), "x".repeat(201)] as const;

/** Any request target that a client could send, including some valid ones. */
export function oddRequest(random: Random, material: TargetMaterial): OddRequest {
  const method = random.next() < 0.1 ? random.pick(ODD_METHODS) : random.pick(METHODS);
  const path = random.pick(KINDS)(random, material);
  const query = random.next() < 0.2 ? random.pick(QUERIES) : "";
  return { method, target: path + query };
}

type Kind = (random: Random, material: TargetMaterial) => string;

const known: Kind = (random, { known: addresses }) => random.pick(addresses);

/** A route's address with odd values of its parameters. */
const parameters: Kind = (random, { patterns }) =>
  random.pick(patterns).replaceAll(/:\w+|\*/g, () => random.pick(random.next() < 0.3 ? IDS : SEGMENTS));

/** A valid address with odd segments inside, before or after it. */
const inserted: Kind = (random, material) => {
  const address = known(random, material);
  const at = random.integer(0, address.length);
  const odd = Array.from({ length: random.integer(1, 3) }, () => random.pick(SEGMENTS)).join("");
  return address.slice(0, at) + odd + address.slice(at);
};

/** Leads from a served folder to a file that is not served. */
const upwards: Kind = (random, { forbiddenFiles }) => {
  const start = random.pick(["/assets/", "/docs/static/", "/docs/", "/assets/a/", "/", "/api/"]);
  const up = random.pick(UPWARDS).repeat(random.integer(1, 9));
  return start + up + random.pick(forbiddenFiles).replace(/^(\.\.\/)+/, random.next() < 0.5 ? "" : "$&");
};

/** An equivalent spelling: any character may be percent-encoded, once or twice, or in the other case. */
const respelled: Kind = (random, material) =>
  Array.from(known(random, material))
    .map((character) => {
      const draw = random.next();
      const hex = (character.codePointAt(0) ?? 0).toString(16).padStart(2, "0");
      if (draw < 0.1) return `%${hex}`;
      if (draw < 0.13) return `%25${hex}`;
      return draw < 0.2 ? character.toUpperCase() : character;
    })
    .join("");

/** About as long as the limit for headers. */
const long: Kind = (random, material) => {
  const unit = random.pick(["a", "/", "../", "%2e", "%00", ";", "é", "a/"]);
  const bytes = random.pick([250, 2_000, 8_000, 15_000, 16_500]);
  return known(random, material) + unit.repeat(Math.floor(bytes / unit.length));
};

/** The forms of a target that are not a path: for a proxy, for the whole server, empty. */
const otherForms: Kind = (random, material) =>
  random.pick([
    `http://evil.example${known(random, material)}`,
    `https://user:password@evil.example:99999${known(random, material)}`,
    "http://",
    "http:///api/services",
    "http://[::1",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "evil.example:443",
    "*",
    "api/services",
    "//evil.example/api/services",
    "///",
    "?",
    "#",
    "/",
  ]);

const KINDS: readonly [Kind, ...Kind[]] = [
  known,
  parameters,
  parameters,
  inserted,
  inserted,
  inserted,
  upwards,
  upwards,
  respelled,
  long,
  otherForms,
];

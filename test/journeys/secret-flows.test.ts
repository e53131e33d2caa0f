import type { Artifact } from "@waymark/journeys/compile/artifact-model.ts";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scaled } from "@waymark/test-support/scale.ts";
import { arbitraryJourney } from "./support/arbitrary-journey.ts";
import type { FakeAnswer, FakeRequest } from "./support/fake.ts";
import { OWN_HOST, playArtifact, unchecked } from "./support/unchecked.ts";

/** Two secrets of one form, whose characters and order differ, with a piece of each that no other value has. */
const SECRETS: readonly [form: string, one: string, other: string, piece: RegExp][] = [
  ["of letters, digits and signs", "kq7-Zx3.Wm9/Tb5", "zw4-Pd8.Vc2/Hn6", /Zx3\.W|Wm9\/T|Pd8\.V|Vc2\/H/i],
  ["of digits", "837291645037", "519482736281", /8372|2916|4503|5194|8273|3628/],
  ["of signs that are escaped", "k%4\"<&é ü'>x7=w", "z%9\"<&ö ä'>q4=v", />x7=w|>q4=v/i],
  ["that is JSON", '{"user":"admin","pass":"hunt3rX2"}', '{"user":"admin","pass":"zolt9wQ8"}', /hunt3|zolt9/],
  [
    "of signs that part an address",
    "kq7?Zx3#Wm9\\Tb5",
    "zw4?Pd8#Vc2\\Hn6",
    /Zx3#|Wm9\\|Pd8#|Vc2\\|Zx3%|Pd8%|Wm9|Vc2/i,
  ],
  ["of lines", "kq7Zx3Wm\nTb5Rr8Ll\n", "zw4Pd8Vc\nHn6Yy2Mm\n", /Zx3W|Tb5R|Pd8V|Hn6Y/],
];

/**
 * Repeats what it gets, in the body and in a header, as JSON or as it came. It sends those that ask with GET on to a foreign host, with
 * what they sent.
 */
function echo({ method, url, headers, body = "" }: FakeRequest): FakeAnswer {
  const { search, host } = new URL(url);
  const { "content-type": type = "", "x-key": key = "none" } = headers;
  if (method === "GET" && host === OWN_HOST)
    return {
      status: 307,
      headers: { location: `https://other.example/${encodeURIComponent(key)}${search}` },
    };
  if (/xml|plain/.test(type)) return { status: 200, body, type };
  return {
    status: 200,
    body: { token: "login-token-1", echo: parsed(body), key, search },
    headers: { "x-echo": encodeURI(key) },
  };
}

/** A number of many digits would come back as another one. Digits within a hash are none. */
function parsed(text: string): unknown {
  if (/(?:^|[\s:[,])-?\d{16}/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Everything that an author who may only read results learns, and all that hosts get which the secret isn't for. */
async function learned(artifact: Artifact, secret: string): Promise<string> {
  const { text, requests } = await playArtifact(artifact, secret, echo);
  const foreign = requests.filter(({ url }) => new URL(url).host !== OWN_HOST);
  const times = /"(?:startedAt|endedAt|artifact)":"[^"]*",?|"ms":\d+,?/g;
  return `${text.replaceAll(times, "")} ${JSON.stringify(foreign)} ${requests.length}`;
}

describe("of a journey that was made at random, and that no compiler has checked, an author learns nothing of a secret", () => {
  test.each(SECRETS)("%s", async (_form, one, other, piece) => {
    await fc.assert(
      fc.asyncProperty(arbitraryJourney, async (journey) => {
        const artifact = await unchecked(` ${JSON.stringify(journey)}`);
        const ofOne = await learned(artifact, one);
        expect(ofOne).not.toMatch(piece);
        expect(await learned(artifact, other)).toBe(ofOne);
      }),
      { numRuns: scaled({ short: 100, long: 5_000 }) },
    );
  });
});

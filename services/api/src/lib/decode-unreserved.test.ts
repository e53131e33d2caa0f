import { expect, it } from "vitest";
import { decodeUnreserved } from "./decode-unreserved.ts";

const UNRESERVED = /[\w.~-]/;

it("decodes exactly the characters that need no encoding, in either case of the digits", () => {
  for (let code = 0; code < 256; code++) {
    const character = String.fromCodePoint(code);
    for (const digits of [code.toString(16), code.toString(16).toUpperCase()]) {
      const octet = `%${digits.padStart(2, "0")}`;
      expect(decodeUnreserved(`/a${octet}b`)).toBe(`/a${UNRESERVED.test(character) ? character : octet}b`);
    }
  }
});

it("decodes once, and leaves what is no encoding", () => {
  for (const url of ["/%255F", "/%zz", "/%5", "/%", "/a?b=c"]) expect(decodeUnreserved(url)).toBe(url);
});

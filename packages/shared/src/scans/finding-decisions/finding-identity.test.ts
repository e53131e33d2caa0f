import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findingIdentity, type IdentifiedFinding } from "./finding-identity.ts";

const FINDING: IdentifiedFinding = { code: "c", method: "GET", path: "/pets/{id}", message: "m" };
const of = (changes: Partial<IdentifiedFinding>) => findingIdentity({ ...FINDING, ...changes });

describe("the identity of a finding", () => {
  it.each([
    ["a number", "has 3 problems", "has 12 problems"],
    ["a number with a fraction", "is 1.5 too long", "is 22.75 too long"],
    ["a version", "since 1.2.3", "since 2.0"],
    ["a day and a time", "on 2026-01-31T10:00:00", "on 2027-11-01T23:59:59"],
    ["a UUID", "id 019a0000-0000-7000-8000-0000000000ab", "id 019a0000-0000-7000-8000-0000000000cd"],
    ["a quoted number", 'value "12" is wrong', 'value "7" is wrong'],
    ["a quoted text with blanks", 'example "a cat" is wrong', 'example "two dogs" is wrong'],
    ["a quoted day", "value '2026-01-31' is wrong", "value '2026-02-01' is wrong"],
    ["an empty value", 'value "" is wrong', 'value "1 2" is wrong'],
    [
      "the name of a path parameter",
      "the parameter `{id}` of `/pets/{id}`",
      "the parameter `{petId}` of `/pets/{petId}`",
    ],
  ])("stays with another %s", (_, before, after) => {
    expect(of({ message: after })).toBe(of({ message: before }));
  });

  it.each([
    ["name in quotes", '"Pet" is never used', '"Owner" is never used'],
    ["name in backticks", "property `a` is not expected", "property `b` is not expected"],
    ["name in single quotes", "tag 'a' is unknown", "tag 'b' is unknown"],
    ["word", "must be present", "must be absent"],
    ["word between apostrophes", "it doesn't fit and can't", "it doesn't work and can't"],
    ["quoted path", 'no "/pets"', 'no "/owners"'],
  ])("changes with another %s", (_, before, after) => {
    expect(of({ message: after })).not.toBe(of({ message: before }));
  });

  it("stays if a path parameter is renamed, and changes with the rest of the path", () => {
    expect(of({ path: "/pets/{petId}" })).toBe(of({}));
    const others = ["/pets", "/pets/id", "/pet/{id}", "/v2/pets/{id}", "/pets/{id}/{other}", "", null];
    const identities = [of({}), ...others.map((path) => of({ path }))];
    expect(new Set(identities).size).toBe(identities.length);
  });

  it("differs for other codes, methods and paths, however their texts are divided", () => {
    const word = fc.stringMatching(/^[a-z :-]{0,4}$/);
    const finding = fc.record({
      code: word,
      method: fc.constantFrom("GET" as const, null),
      path: fc.option(word),
      message: word,
    });
    fc.assert(
      fc.property(finding, finding, (a, b) => {
        const isSame =
          JSON.stringify([a.code, a.method, a.path, a.message]) ===
          JSON.stringify([b.code, b.method, b.path, b.message]);
        expect(findingIdentity(a) === findingIdentity(b)).toBe(isSame);
      }),
    );
  });
});

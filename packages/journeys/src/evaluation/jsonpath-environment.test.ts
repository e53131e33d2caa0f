import { describe, expect, test } from "vitest";
import { translateGoessner } from "./goessner.ts";
import { compileQuery } from "./jsonpath-environment.ts";

const LIST = [
  { id: "a", n: 1, price: 0.5, name: "😀", on: true, none: null, "0.5": 1, "a-b": 3, text: "" },
  { id: "b", n: -2, price: 0, name: "abc", on: false, "0.5": 0.5, "a-b": 0, text: "0.5" },
  { id: "c", n: 120, price: 0.05, name: "née", text: "x" },
];

function selected(query: string): unknown[] {
  return compileQuery(query).query(LIST).values();
}

describe("a query of RFC 9535", () => {
  test.each([
    ["$[?@.price == 0.5].id", ["a"]],
    ["$[?@.price < 0.50 && @.price > 0.01].id", ["c"]],
    ["$[?@.price == 5e-1].id", ["a"]],
    ["$[?@.price == 0.0].id", ["b"]],
    ["$[?@.price == 0e5].id", ["b"]],
    ["$[?@.n >= 0.12E3].id", ["c"]],
    ["$[?@.price > -0.5 && @.n < 0].id", ["b"]],
    // A number in a text or a name is none.
    ["$[?@.text == '0.5'].id", ["b"]],
    ['$[?@.text == "0.5"].id', ["b"]],
    ["$[?@['0.5'] == 0.5].id", ["b"]],
    ["$[0].id", ["a"]],
    ["$[0:1].id", ["a"]],
  ])("%s compares with numbers that begin with a zero", (query, ids) => {
    expect(selected(query)).toEqual(ids);
  });

  test.each(["$[?@.n == 00]", "$[?@.n == 01]", "$[?@.n == 0.]", "$[?@.n == .5]", "$[?@.n == 0e]", "$[0.5]"])(
    "%s is not valid",
    (query) => {
      expect(() => selected(query)).toThrow(/invalid number|required after|unexpected|selector/);
    },
  );

  test("counts the characters of a text, not its code units", () => {
    expect(selected("$[?length(@.name) == 1].id")).toEqual(["a"]);
    expect(selected("$[?length(@.name) == 3].id")).toEqual(["b", "c"]);
    expect(selected("$[?length(@) == 5].id")).toEqual(["c"]);
    // The length of a number is nothing, which is equal to nothing only.
    expect(selected("$[?length(@.n) == length(@.missing)].id")).toEqual(["a", "b", "c"]);
  });
});

describe("a query of Goessner's draft", () => {
  test.each([
    ["$[?(@.n == 120)].id", ["c"]],
    ["$[?(120 == @.n)].id", ["c"]],
    ["$[?(@.n == -2)].id", ["b"]],
    ["$[?(@.n < -1 || @.n > 100)].id", ["b", "c"]],
    ["$[?(@.n == +1)].id", ["a"]],
    ["$[?(@.price == .5)].id", ["a"]],
    ["$[?(@.price == 0.50)].id", ["a"]],
    ["$[?(@.n == 1.)].id", ["a"]],
    ["$[?(@.n == 12e1)].id", ["c"]],
    ["$[?(@.on == true)].id", ["a"]],
    ["$[?(@.on === false)].id", ["b"]],
    ["$[?(@.none == null)].id", ["a"]],
    ["$[?(@.n && true)].id", ["a", "b", "c"]],
    ["$[?(@.on || false)].id", ["a"]],
    ["$[?(true)].id", ["a", "b", "c"]],
    ["$[?(1)].id", ["a", "b", "c"]],
    ["$[?('a')].id", ["a", "b", "c"]],
    ["$[?(0)].id", []],
    ["$[?(null)].id", []],
    ["$[?('')].id", []],
    ["$[?(@.text)].id", ["b", "c"]],
    ["$[?(@.name.length == 1)].id", ["a"]],
    ["$[?(@.a-b == 3)].id", ["a"]],
  ])("%s selects %j", (query, ids) => {
    expect(selected(translateGoessner(query))).toEqual(ids);
  });

  test.each([
    "$[?(@.n*2 == 2)]",
    "$[?(@.name.length-1)]",
    "$[?(@.n in [1])]",
    "$[?(@.n + 1 == 2)]",
    "$[?(undefined)]",
  ])("%s is refused, because a filter computes nothing", (query) => {
    expect(() => selected(translateGoessner(query))).toThrow(/unexpected|no arithmetic/);
  });
});

import { describe, expect, it, test } from "vitest";
import {
  groupsOfLines,
  linesOfGroups,
  linesOfRoles,
  linesOfTeams,
  MappingError,
  rolesOfLines,
  teamsOfLines,
  valuesOf,
} from "./mapping-lines.ts";

const ROLES = [
  { group: null, role: "viewer", serviceNames: null },
  { group: "CN=engineers,DC=example", role: "developer", serviceNames: ["shop-*", "payments"] },
];

describe("lines of roles", () => {
  it("are read as they were written, also with groups that have equals signs", () => {
    expect(linesOfRoles(ROLES)).toBe("* = viewer\nCN=engineers,DC=example = developer for shop-*, payments");
    expect(rolesOfLines(linesOfRoles(ROLES))).toEqual(ROLES);
    expect(rolesOfLines("\n  *=viewer \n\n")).toEqual([ROLES[0]]);
  });

  it.each(["viewer", "= viewer", "engineers =", "=", "* = viewer\nengineers"])(
    "%j is refused with its line",
    (text) => {
      expect(() => rolesOfLines(text)).toThrow(MappingError);
      expect(() => rolesOfLines(text)).toThrow(`Line ${text.split("\n").length} `);
    },
  );
});

test("lines of teams are read as they were written", () => {
  const teams = [{ group: "pay", team: "payments" }];
  expect(teamsOfLines(linesOfTeams(teams))).toEqual(teams);
});

test("values are lines without blank ones", () => {
  expect(valuesOf(" example.com\n\nexample.org ")).toEqual(["example.com", "example.org"]);
});

test.each(["*", " spaced ", "two\nlines", '"quoted"', "a = b", "\u00a0"])(
  "the group %j stays the same group, and is never everybody",
  (group) => {
    const roles = [{ group, role: "administrator", serviceNames: null }];
    expect(rolesOfLines(linesOfRoles(roles))).toEqual(roles);
    expect(teamsOfLines(linesOfTeams([{ group, team: "pay" }]))).toEqual([{ group, team: "pay" }]);
    expect(groupsOfLines(linesOfGroups([group, "b"]))).toEqual([group, "b"]);
  },
);

test.each(['"open', '"a" b', '"a" = b'])("%j is no quoted group", (text) => {
  expect(() => groupsOfLines(text)).toThrow(MappingError);
});

test.each([["a,b"], ["a, *"], ["a = b"], ["waiting for a"], ['"a"', "b"], ["a,", "b "]])(
  "services named %j stay the same services",
  (...serviceNames) => {
    const roles = [{ group: "g", role: "developer", serviceNames }];
    expect(rolesOfLines(linesOfRoles(roles))).toEqual(roles);
  },
);

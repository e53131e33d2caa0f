import { expect, test } from "vitest";
import { describeFinding } from "./describe-finding.ts";

const FINDING = {
  code: "no-auth",
  severity: "high",
  message: "Anyone can\nwrite.",
  method: "POST",
  path: "/books",
} as const;

test("a finding as text has its severity, rule, place and whole message", () => {
  expect(describeFinding(FINDING)).toBe("high no-auth (POST /books)\nAnyone can\nwrite.");
  expect(describeFinding({ ...FINDING, method: null })).toMatch("(/books)");
  expect(describeFinding({ ...FINDING, method: null, path: null })).toMatch("(the whole API)");
});

import { expect, it } from "vitest";
import { generateBadgeToken, parseBadgeToken } from "./badge-token.ts";

it("a token is recognized by its hash, and no two are the same", () => {
  const [one, other] = [generateBadgeToken(), generateBadgeToken()];
  expect(parseBadgeToken(one.token)).toEqual(one.tokenHash);
  expect(one.tokenHash).toHaveLength(32);
  expect(other.token).not.toBe(one.token);
});

it("what can't be a token has no hash", () => {
  const { token } = generateBadgeToken();
  for (const text of ["", "wmb_", token.slice(1), token.slice(0, -1), `${token}x`, `${token.slice(0, -1)}.`])
    expect(parseBadgeToken(text)).toBeUndefined();
});

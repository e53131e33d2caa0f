import { expect, test } from "vitest";
import { describeCi } from "./describe-ci.ts";

test("a build is named by what its uploader says of it, the commit shortened", () => {
  expect(
    describeCi({
      system: "GitHub Actions",
      repository: "shop/api",
      branch: "main",
      commit: "0123456789abcdef0123",
      url: "https://ci.example/7",
    }),
  ).toBe("GitHub Actions · shop/api · main · 0123456789ab");
  expect(describeCi({ url: "https://ci.example/7" })).toBe("a build");
});

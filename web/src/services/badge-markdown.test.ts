import { expect, test } from "vitest";
import { markdownOf } from "./badge-markdown.ts";

const URLS = {
  badge: "https://w.example/badge/1.svg?token=wmb_x",
  page: "https://w.example/services/1?badge=1#a",
};

test("the image leads to the service's page, without what the page shows at the moment", () => {
  expect(markdownOf({ ...URLS, serviceName: "payments" })).toBe(
    "[![API contract of payments](https://w.example/badge/1.svg?token=wmb_x)](https://w.example/services/1)",
  );
});

test("a service's name can't end the link or add another", () => {
  const markdown = markdownOf({ ...URLS, serviceName: "x](https://evil.example)\n<img src=x>" });
  expect(markdown).toContain(String.raw`x\]\(https://evil.example\) \<img src=x\>](https://w.example/badge`);
});

import { expect, test } from "vitest";
import { exactFirst } from "./exact-first.ts";

const item = (label: string) => ({ value: label, label });

test("the option that is exactly the text is the first of those that contain it", () => {
  const options = ["orders-eu", "Orders", "payments", "my orders"].map(item);
  const found = exactFirst({ options, search: " orders ", limit: 10 });
  expect(found).toEqual(["Orders", "orders-eu", "my orders"].map(item));
  expect(exactFirst({ options, search: "orders", limit: 1 })).toEqual([item("Orders")]);
  expect(exactFirst({ options, search: "", limit: 10 })).toEqual(options);
  expect(exactFirst({ options, search: "none", limit: 10 })).toEqual([]);
});

test("the group with the exact option is the first, and groups without one are left out", () => {
  const options = [
    { group: "a", items: ["$url.path", "$x"].map(item) },
    { group: "b", items: ["$url"].map(item) },
    { group: "c", items: ["$y"].map(item) },
  ];
  expect(exactFirst({ options, search: "$url", limit: 10 })).toEqual([
    { group: "b", items: [item("$url")] },
    { group: "a", items: [item("$url.path")] },
  ]);
});

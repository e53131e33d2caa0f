import { expect, it } from "vitest";
import { consolePageOf, pageParamsOf } from "./schema.ts";

it.each([
  ["/", "/"],
  ["/services/", "/services"],
  ["/services/7", "/services/:serviceId"],
  ["/journeys/new", "/journeys/new"],
  ["/journeys/new/", "/journeys/new"],
  ["/journeys/7", "/journeys/:journeyId"],
  ["/journeys/7/edit", "/journeys/:journeyId/edit"],
  ["/journeys/7/other", undefined],
  ["/nowhere", undefined],
])("%s is the page %s", (path, page) => {
  expect(consolePageOf(path)).toBe(page);
});

it.each([
  ["/services/7", "/services/:serviceId", { serviceId: "7" }],
  ["/services/7/", "/services/:serviceId", { serviceId: "7" }],
  ["/journeys/a%2Fb/edit", "/journeys/:journeyId/edit", { journeyId: "a/b" }],
  ["/services/100%", "/services/:serviceId", { serviceId: "100%" }],
  ["/services", "/services", {}],
] as const)("%s gives the page %s its parameters", (path, page, params) => {
  expect(pageParamsOf(page, path)).toEqual(params);
});

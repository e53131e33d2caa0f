import { expect, it } from "vitest";
import { consolePageOf } from "./schema.ts";

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

import { expect, test } from "vitest";
import { acceptsGzip } from "./accepts-gzip.ts";

test.each([
  [undefined, false],
  ["", false],
  ["gzip", true],
  ["br, GZIP;q=0.5", true],
  ["*", true],
  ["*, gzip;q=0", false],
  ["gzip ; q=0.0", false],
  ["br, deflate", false],
  ["gzip;q=x", false],
])("Accept-Encoding %j allows gzip: %s", (header, allowed) => {
  expect(acceptsGzip(header)).toBe(allowed);
});

import { randomBytes } from "node:crypto";
import { inspect } from "node:util";
import { expect, it } from "vitest";
import { readConfig } from "../lib/read-config.ts";
import { z } from "zod";
import { findRingKey, KeyRingField, requireKeyRing } from "./key-ring.ts";

const Environment = z.object({ JOURNEY_KEYS: KeyRingField.optional() });
const newKey = () => randomBytes(32).toString("base64");
const read = (value: string) => readConfig(Environment, { JOURNEY_KEYS: value }).JOURNEY_KEYS;

it("the first key of the ring wraps, and every one is found by its id", () => {
  const [first, second] = [randomBytes(32), randomBytes(32)];
  const ring = requireKeyRing(read(`k2:${first.toString("base64")}, k1:${second.toString("base64url")}`));
  expect(ring.current.id).toBe("k2");
  expect(findRingKey(ring, "k2").key.export()).toEqual(first);
  expect(findRingKey(ring, "k1").key.export()).toEqual(second);
});

it("without a key, and where one is missing, the message says what to do and names the key", () => {
  expect(() => requireKeyRing(read(""))).toThrow(/operator must set JOURNEY_KEYS/);
  const ring = requireKeyRing(read(`k2:${newKey()}`));
  expect(() => findRingKey(ring, "k1")).toThrow(/need the key "k1".*must add it to JOURNEY_KEYS again/);
});

it("a malformed ring is refused at start, and no message nor the ring itself shows a key", () => {
  const [key, short] = [newKey(), randomBytes(31).toString("base64")];
  for (const [value, message] of [
    [`k1:${short}`, /entry 1 must be id:key/],
    [`k2:${key},${key}`, /entry 2 must be id:key/],
    [`k2:${key},`, /entry 2 must be id:key/],
    [`k 1:${key}`, /entry 1 must be id:key/],
    [`k1:${key},k1:${newKey()}`, /the same id twice/],
  ] as const) {
    expect(() => read(value)).toThrow(message);
    expect(() => read(value)).not.toThrow(key.slice(0, 20));
    expect(() => read(value)).not.toThrow(short.slice(0, 20));
  }
  const ring = read(`k1:${key}`);
  expect(inspect(ring, { depth: 9 }) + JSON.stringify(ring)).not.toContain(key.slice(0, 20));
});

import type { ApiKey } from "@waymark/shared/api-keys/schema.ts";
import { expect, test } from "vitest";
import { relatedKeys } from "./key-lineage.ts";

const key = (id: string, createdBy: string | null, replacedBy: string | null) =>
  ({ id, createdBy, replacedBy }) as ApiKey;
const FIRST = key("first", null, null);
const OLD = key("old", "first", "new");
const NEW = key("new", "first", "newest");
const KEYS = [FIRST, OLD, NEW];

test("a key is related to its creator, its successor and its predecessor, as far as they are listed", () => {
  expect(relatedKeys(KEYS, OLD)).toEqual({ creator: FIRST, successor: NEW, predecessor: undefined });
  expect(relatedKeys(KEYS, NEW)).toEqual({ creator: FIRST, successor: undefined, predecessor: OLD });
  expect(relatedKeys(KEYS, FIRST)).toEqual({
    creator: undefined,
    successor: undefined,
    predecessor: undefined,
  });
});

import { ownArray, ownValue } from "@waymark/openapi/json.ts";
import type { At, Description } from "./description.ts";

/** Returns the media types of a Swagger 2.0 operation. */
export function mediaTypesOf(description: Description, at: At, key: "consumes" | "produces"): string[] {
  const own =
    ownValue(at.value, key) === undefined ? ownArray(description.root, key) : ownArray(at.value, key);
  return own.filter((name) => typeof name === "string");
}

import coerce from "semver/functions/coerce.js";
import satisfies from "semver/functions/satisfies.js";
import validRange from "semver/ranges/valid.js";
import type { BaseDrift } from "./provenance.ts";

/**
 * Whether an overlay was written for this version of its base. A version that isn't valid semver counts as the nearest valid
 * one.
 */
export function driftOf(
  overlay: string,
  extendsVersion: string | undefined,
  baseVersion: string | undefined,
): BaseDrift {
  if (extendsVersion === undefined || baseVersion === undefined) {
    return { overlay, extendsVersion, baseVersion, moved: false };
  }
  const version = coerce(baseVersion, { includePrerelease: true });
  const moved = version === null ? baseVersion !== extendsVersion : !satisfies(version, extendsVersion);
  return { overlay, extendsVersion, baseVersion, moved };
}

export function isVersionRange(text: string): boolean {
  return validRange(text) !== null;
}

import { BuildUrl, countCharacters } from "../lib/schema.ts";
import { BRANCH_CHARS_MAX } from "./limits.ts";
import type { ScanSource } from "./schema.ts";
import { z } from "zod";

/** The headers that say where a scan comes from. Headers are ASCII, so the name of a branch is percent-encoded. */
export const SOURCE_HEADERS = {
  "waymark-branch": z
    .string()
    .refine(
      (value) => isBranch(decoded(value)),
      `must be percent-encoded UTF-8 of 1 to ${BRANCH_CHARS_MAX} characters without control characters`,
    )
    .optional()
    .meta({ description: "The branch that the description is of, percent-encoded." }),
  "waymark-commit": z
    .string()
    .regex(/^[0-9A-Fa-f]{7,64}$/, "must be the hexadecimal id of a commit")
    // Git prints them in small letters, and one commit must not have two names.
    .toLowerCase()
    .optional()
    .meta({ description: "The commit that the description is of." }),
  "waymark-build-url": BuildUrl.optional(),
};

type SourceHeaders = { [Name in keyof typeof SOURCE_HEADERS]?: string | undefined };

/** Returns the source that the headers describe; null without any of them. */
export function sourceOf(headers: SourceHeaders): ScanSource | null {
  const { "waymark-branch": branch, "waymark-commit": commit, "waymark-build-url": url } = headers;
  if (branch === undefined && commit === undefined && url === undefined) return null;
  return {
    branch: branch === undefined ? null : (decoded(branch) ?? null),
    commit: commit ?? null,
    url: url ?? null,
  };
}

function decoded(value: string): string | undefined {
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined;
  }
}

function isBranch(name: string | undefined): boolean {
  if (name === undefined || name === "" || countCharacters(name) > BRANCH_CHARS_MAX) return false;
  return !/[\p{Cc}\p{Cs}]/u.test(name);
}

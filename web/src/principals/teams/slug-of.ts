import { TEAM_LIMITS } from "@waymark/shared/principals/teams/limits.ts";

/** Proposes a slug for a name. Empty if the name has no letter that a slug can begin with. */
export function slugOf(name: string): string {
  return (
    name
      .normalize("NFKD")
      // Marks over letters.
      .replaceAll(/\p{M}/gu, "")
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, "-")
      .replace(/^[^a-z]+/, "")
      .slice(0, TEAM_LIMITS.slugMax)
      .replace(/-+$/, "")
  );
}

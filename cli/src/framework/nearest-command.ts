import { nearestName } from "@waymark/openapi/nearest-name.ts";

/** ` Did you mean "waymark scan"?`, or nothing if no command is near. */
export function suggestion(typed: string, names: readonly string[]): string {
  const inGroup = names.find((name) => name.endsWith(` ${typed}`));
  const meant = inGroup ?? nearestName(typed, names);
  return meant === undefined ? "" : ` Did you mean "waymark ${meant}"?`;
}

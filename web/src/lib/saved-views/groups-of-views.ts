import type { SavedView } from "@waymark/shared/saved-views/schema.ts";

type Owned = Pick<SavedView, "name" | "team">;

/** Returns the views of each owner by name: those of the person, of whom `team` is null, then those of the teams. */
export function groupsOfViews<View extends Owned>(
  views: readonly View[],
): { team: SavedView["team"]; views: View[] }[] {
  const byName = views.toSorted((a, b) => a.name.localeCompare(b.name));
  // By id: a team may have the name of another one.
  const groups = [...Map.groupBy(byName, ({ team }) => team?.id ?? "").values()];
  const nameOf = ({ team }: { team: SavedView["team"] }) => team?.displayName ?? "";
  return groups
    .map((group) => ({ team: group[0]?.team ?? null, views: group }))
    .toSorted((a, b) => nameOf(a).localeCompare(nameOf(b)));
}

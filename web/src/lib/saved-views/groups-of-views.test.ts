import { expect, it } from "vitest";
import { groupsOfViews } from "./groups-of-views.ts";

const team = (id: string, displayName: string) => ({ id, slug: id, displayName });

it("the person's own views are first, and are never among those of a team, whatever its name is", () => {
  const views = [
    { name: "b", team: team("1", "Mine") },
    { name: "b", team: null },
    { name: "a", team: team("2", "Mine") },
    { name: "a", team: null },
    { name: "a", team: team("3", "Billing") },
  ];
  const shown = groupsOfViews(views).map((group) => [
    group.team?.id ?? null,
    ...group.views.map(({ name }) => name),
  ]);
  expect(shown).toEqual([
    [null, "a", "b"],
    ["3", "a"],
    ["2", "a"],
    ["1", "b"],
  ]);
});

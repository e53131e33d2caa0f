import { sampleService } from "@waymark/test-support/sample-service.ts";
import { expect, test } from "vitest";
import { readSettings, settingsOf, updateOf } from "./service-settings.ts";

const SERVICE = sampleService({
  aliases: ["shop"],
  labels: { team: "sales" },
  links: { repository: "https://git.example.com/orders", documentation: null, onCall: null },
});

function updateFor(changes: Partial<ReturnType<typeof settingsOf>>) {
  const settings = { ...settingsOf(SERVICE), ...changes };
  return updateOf(SERVICE, settings, readSettings(settings).labels ?? {});
}

test.each([
  ["nothing", {}, {}],
  ["a new name only", { name: "billing" }, { name: "billing" }],
  [
    "a name that replaces the last one also as alias",
    { name: "billing", aliases: "till" },
    { name: "billing", aliases: ["till", "orders"] },
  ],
  ["an alias that becomes the name", { name: "shop", aliases: "shop" }, { name: "shop" }],
  ["no aliases", { aliases: " \n" }, { aliases: [] }],
  ["all labels", { labels: "team=sales\ntier = 1\n" }, { labels: { team: "sales", tier: "1" } }],
  [
    "all links",
    { onCall: "https://call.example.com" },
    { links: { ...SERVICE.links, onCall: "https://call.example.com" } },
  ],
  ["the owner", { owner: "payments" }, { ownerTeam: "payments" }],
  ["that it is archived", { archived: true }, { archived: true }],
])("a changed form sends %s", (_, changes, update) => {
  expect(updateFor(changes)).toEqual(update);
});

test("a form without the owner that the service had sends that no team owns it", () => {
  const owned = { ...SERVICE, ownerTeam: { id: "t", slug: "payments", displayName: "Payments" } };
  expect(updateOf(owned, { ...settingsOf(owned), owner: "" }, owned.labels)).toEqual({ ownerTeam: null });
  expect(updateOf(owned, settingsOf(owned), owned.labels)).toEqual({});
});

test.each([
  ["team", /“team” has no “=”/],
  ["team=a\nteam=b", /“team” is there twice/],
  ["Team=a", /“Team=a”/],
  ["team=", /“team=”/],
  [Array.from({ length: 21 }, (_, n) => `k${n}=v`).join("\n"), /20 labels/],
])("labels of the text %j are refused", (labels, problem) => {
  expect(readSettings({ ...settingsOf(SERVICE), labels }).labelsProblem).toMatch(problem);
});

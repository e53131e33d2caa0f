import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { CONSOLE_PAGES, consolePageOf } from "@waymark/shared/console/schema.ts";
import type { DemoPages } from "../browser/screenshots/demo-system.ts";
import { picturesOf } from "../browser/screenshots/pictures.ts";

const FOLDER = new URL("../../docs/screenshots/", import.meta.url).pathname;
const PAGES: DemoPages = {
  sharedRun: "1",
  service: "1",
  bookshop: "1",
  change: "15",
  firstRun: "2",
  run: "3",
  largeRun: "4",
  failedRun: "5",
  heldRun: "6",
  journey: "7",
  variant: "8",
  environment: "9",
  failedJourneyRun: "10",
  newcomerKey: "",
  person: "1",
  team: "1",
  personKey: "",
};
const SCHEMES = ["light", "dark"];

const gallery = readFileSync(path.join(FOLDER, "README.md"), "utf8");
const pictures = picturesOf(PAGES);

test.each(["wide", "phone"] as const)("every page of the console has a %s picture", (size) => {
  const ofSize = pictures.filter((picture) => picture.size === size);
  const shown = ofSize.map((picture) => consolePageOf(picture.path.replace(/\?.*/, "")));
  expect(CONSOLE_PAGES.filter((page) => !shown.includes(page))).toEqual([]);
});

test("the gallery shows every picture in both colour schemes, and has no other", () => {
  const taken = pictures.flatMap(({ name }) => SCHEMES.map((scheme) => `${name}-${scheme}.png`));
  const files = readdirSync(FOLDER, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".png"),
  );
  const linked = [...gallery.matchAll(/(?:src|srcset)="([^"]+)"/g)].map(([, file]) => file ?? "");
  expect([...new Set(linked)].toSorted()).toEqual(files.toSorted());
  expect(files.toSorted()).toEqual(taken.toSorted());
});

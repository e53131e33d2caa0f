import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const SOURCES = fileURLToPath(new URL("../../web/src/", import.meta.url));
const CSS = readFileSync(path.join(SOURCES, "app/app.css"), "utf8");
/** Mantine's page backgrounds. */
const BACKGROUNDS = { light: "#ffffff", dark: "#242424" } as const;
/** WCAG 2.2, 1.4.11: for graphics that are required to understand the content. */
const GRAPHIC_CONTRAST_MIN = 3;

test.each(["light", "dark"] as const)("bars and lines can be told from the %s background", (scheme) => {
  const rule = new RegExp(`scheme="${scheme}"\\] \\{([^}]*)\\}`).exec(CSS)?.[1] ?? "";
  const colors = [...rule.matchAll(/--(?:bar|series)-\w+: (#\w{6})/g)].map(([, color = ""]) => color);
  expect(colors).toHaveLength(8);
  const tooFaint = colors.filter((color) => contrast(color, BACKGROUNDS[scheme]) < GRAPHIC_CONTRAST_MIN);
  expect(tooFaint).toEqual([]);
});

// The build writes variables in its place, which nothing sets without a color-scheme in the same styles: no colour is left.
test("no style uses light-dark()", () => {
  const styles = globSync("**/*.css", { cwd: SOURCES });
  expect(styles.length).toBeGreaterThan(20);
  expect(
    styles.filter((file) => readFileSync(path.join(SOURCES, file), "utf8").includes("light-dark(")),
  ).toEqual([]);
});

function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const channel = Number.parseInt(color.slice(start, start + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

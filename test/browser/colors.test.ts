import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const CSS = readFileSync(new URL("../../web/src/app/app.css", import.meta.url), "utf8");
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

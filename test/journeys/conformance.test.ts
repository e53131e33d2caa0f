import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { playProbe } from "./support/play-probe.ts";
import type { Probe } from "./support/play-probe.ts";

const FOLDER = join(import.meta.dirname, "../../packages/journeys/test/conformance/probes");

const files = readdirSync(FOLDER).filter((name) => name.endsWith(".yaml"));

function probesOf(file: string): Probe[] {
  const probes: Probe[] = parse(readFileSync(join(FOLDER, file), "utf8"));
  return probes;
}

describe.each(files)("%s", (file) => {
  test.each(probesOf(file).map((probe) => [probe.section, probe.name, probe] as const))(
    "%s: %s",
    async (_section, _name, probe) => {
      expect(await playProbe(probe)).toEqual(probe.expect);
    },
  );
});

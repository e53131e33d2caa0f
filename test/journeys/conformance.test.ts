import { describe, expect, test } from "vitest";
import { playProbe } from "./support/play-probe.ts";
import { PROBE_FILES, probesOf } from "./support/probe.ts";

describe.each(PROBE_FILES)("%s", (file) => {
  test.each(probesOf(file).map((probe) => [probe.section, probe.name, probe] as const))(
    "%s: %s",
    async (_section, _name, probe) => {
      expect(await playProbe(probe)).toEqual(probe.expect);
    },
  );
});

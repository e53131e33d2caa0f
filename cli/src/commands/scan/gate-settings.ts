import { SEVERITIES } from "@waymark/shared/scans/limits.ts";
import type { Severity } from "@waymark/shared/scans/schema.ts";
import { usageError } from "../../lib/cli-error.ts";
import type { ProjectFile } from "../../framework/parse-project-file.ts";

export interface GateFlags {
  failOn: string | undefined;
  newOnly: boolean | undefined;
  failOnRemoved: boolean | undefined;
  failOnBrokenJourneys?: boolean | undefined;
}

export interface Gates {
  failOn: Severity | undefined;
  newOnly: boolean;
  failOnRemoved: boolean;
  failOnBrokenJourneys: boolean;
}

/** The gates of the options over those of `waymark.yaml`; undefined without any. @throws {CliError} */
export function resolveGates(flags: GateFlags, file: ProjectFile): Gates | undefined {
  const failOn = flags.failOn ?? file.gates?.failOn;
  const newOnly = flags.newOnly ?? file.gates?.newOnly ?? false;
  const failOnRemoved = flags.failOnRemoved ?? file.gates?.failOnRemoved ?? false;
  const failOnBrokenJourneys = flags.failOnBrokenJourneys ?? file.gates?.failOnBrokenJourneys ?? false;
  const onServer = { failOnRemoved, failOnBrokenJourneys };
  if (failOn === undefined) {
    if (newOnly) throw usageError("--new-only needs --fail-on <severity>.");
    return failOnRemoved || failOnBrokenJourneys ? { failOn: undefined, newOnly, ...onServer } : undefined;
  }
  const severity = SEVERITIES.find((one) => one === failOn);
  if (severity === undefined) throw usageError(`--fail-on must be one of ${SEVERITIES.join(", ")}.`);
  return { failOn: severity, newOnly, ...onServer };
}

import type { OptionsOf } from "../../../framework/base-command.ts";
import type { JourneyCoverageCommand } from "../coverage.ts";
import { statusText } from "@waymark/journeys/report/text.ts";
import type { ApiConnection } from "../../../api/api-client.ts";
import type { CliContext } from "../../../framework/context.ts";
import { findServiceId } from "../../../api/services-api.ts";
import { usageError } from "../../../lib/cli-error.ts";
import { writeJson, writeLine } from "../../../lib/output.ts";
import { createReporter } from "../../../lib/reporter.ts";
import { plural, printable } from "../../../lib/text.ts";
import { connect } from "../../../framework/connect.ts";
import { findEnvironmentId } from "../../../api/runs-api.ts";
import { JOURNEY_EXIT } from "../exit-codes.ts";
import { readCloudCoverage, type ShownCoverage } from "./coverage-api.ts";
import { failedGates, readGates, shareText } from "./gates.ts";

const WINDOW_MAX = 400;
const ORIGINS = ["cloud", "uploaded"] as const;

type CloudCoverageFlags = OptionsOf<JourneyCoverageCommand>;

/** Reads the coverage that the server measured, prints it and checks the gates. */
export async function reportCloudCoverage(context: CliContext, flags: CloudCoverageFlags): Promise<number> {
  if (flags.files.length + flags.openapi.length > 0)
    throw usageError("--cloud reads the server's coverage: it takes no files and no --openapi.");
  const gates = readGates(flags.min);
  const { severity } = flags;
  const origin = ORIGINS.find((each) => each === flags.origin);
  if (flags.origin !== origin) throw usageError(`--origin must be one of ${ORIGINS.join(", ")}.`);
  const window = readWindow(flags.window);
  const connection = await connect(context, createReporter(context.stderr, { quiet: false }), flags);
  const coverage = await readCloudCoverage(connection, {
    window,
    origin,
    severity,
    environmentId: await idOf(connection, { kind: "environment", name: flags.env }),
    serviceId: await idOf(connection, { kind: "service", name: flags.service }),
    // The lines name only gaps.
    gaps: flags.json === true ? undefined : "true",
  });
  if (flags.json === true) writeJson(context.stdout, coverage, 2);
  else for (const line of linesOf(coverage)) writeLine(context.stdout, printable(line));
  const missed = failedGates(gates, coverage.shares);
  for (const line of missed) writeLine(context.stderr, line);
  return missed.length > 0 ? JOURNEY_EXIT.failed : JOURNEY_EXIT.passed;
}

function readWindow(given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  const days = /^\d{1,3}$/.test(given) ? Number(given) : 0;
  if (days < 1 || days > WINDOW_MAX)
    throw usageError(`--window must be a whole number of days from 1 to ${WINDOW_MAX}.`);
  return given;
}

async function idOf(
  connection: ApiConnection,
  { kind, name }: { kind: "environment" | "service"; name: string | undefined },
): Promise<string | undefined> {
  if (name === undefined) return undefined;
  const find = kind === "service" ? findServiceId : findEnvironmentId;
  const id = await find(connection, name);
  if (id === null) throw usageError(`There is no ${kind} ${printable(name, 200)}.`);
  return id;
}

function linesOf({ windowDays, shares, criteria, operations }: ShownCoverage): string[] {
  const { acceptance, must, operations: called, asserted } = shares;
  return [
    `Runs of the newest versions in the last ${plural(windowDays, "day")}`,
    `Acceptance criteria proven: ${shareText(acceptance)}; must: ${shareText(must)}`,
    ...criteria.map(
      ({ journeyPath, id, severity, state, text }) =>
        `  ${statusText(state)}  ${journeyPath} ${id} (${severity}): ${text}`,
    ),
    `Operations called: ${shareText(called)}; asserted: ${shareText(asserted)}`,
    ...operations.map(
      ({ serviceName, sourcePath, method, path, state }) =>
        `  ${operationText(state)}  ${serviceName ?? sourcePath ?? ""} ${method} ${path}`,
    ),
  ];
}

function operationText(state: string): string {
  if (state === "uncalled") return "not called";
  if (state === "called") return "not asserted";
  return state === "notInInventory" ? "not in the inventory" : state;
}

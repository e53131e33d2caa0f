import path from "node:path";
import { type ApiConnection, probeServer } from "../../api/api-client.ts";
import { getOwnKey, type OwnKey } from "../../api/keys-api.ts";
import { findServiceId, listServiceNames } from "../../api/services-api.ts";
import type { FoundKey } from "../../framework/api-key.ts";
import { given } from "../../lib/config.ts";
import type { CliContext } from "../../framework/context.ts";
import { CliError, EXIT_CODES, type ExitCode, usageError } from "../../lib/cli-error.ts";
import { createReporter } from "../../lib/reporter.ts";
import { printable } from "../../lib/text.ts";
import { type ProjectFile, switchGates } from "../../framework/parse-project-file.ts";
import { findProjectFile, PROJECT_FILE, readProjectFile } from "../../framework/project-file.ts";
import { openConnection } from "../../framework/connect.ts";
import { API_KEY_REQUIRED, type ConnectionFlags, readCertificate } from "../../framework/connection-flags.ts";
import { findCredentials } from "../../framework/credentials.ts";
import { identityHint } from "../../framework/identity-hint.ts";
import { findMissing, permissionsToConclude } from "../scan/check-access.ts";
import { checkIdentity } from "./check-identity.ts";
import { findJourneyProblems } from "./check-journeys.ts";
import { describeClock, describeExpiry, missingPermissions } from "./diagnose.ts";
import { writeLine } from "../../lib/output.ts";
import { findLookAlikes } from "@waymark/shared/lib/look-alike.ts";
import { tidyServiceName } from "@waymark/shared/lib/service-name.ts";

const LOGIN_HINT = "On your own machine, waymark login stores it for this server.";

/** A scan with every gate but the one on journeys, for which a line of its own says what is missing. */
const EVERY_GATE = {
  gates: {
    contract: "breaking",
    failOn: "high",
    newOnly: true,
    ...switchGates((gate) => gate !== "failOnBrokenJourneys"),
  },
  waitSeconds: 1,
  promote: true,
} as const;

/** Runs the checks in the order of a scan's steps, up to the first failure. */
export async function runDoctor(
  context: CliContext,
  flags: ConnectionFlags & { service: string | undefined },
): Promise<ExitCode> {
  const say = (state: "ok" | "warning" | "failed", text: string) => {
    writeLine(context.stdout, `${state.padEnd(8)} ${text}`);
  };
  try {
    await check(context, flags, say);
    return EXIT_CODES.ok;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    say("failed", error.message);
    for (const detail of error.details) writeLine(context.stdout, `         ${detail}`);
    return error.exitCode;
  }
}

type Say = (state: "ok" | "warning", text: string) => void;

async function check(
  context: CliContext,
  flags: ConnectionFlags & { service: string | undefined },
  say: Say,
): Promise<void> {
  const file = await readProjectFile(context);
  say("ok", describeSettings(context));
  const { key: found, destination } = await findCredentials(context, flags, file.url);
  const reporter = createReporter(context.stderr, { quiet: false });
  const connection = openConnection(context, reporter, {
    apiKey: found?.apiKey,
    destination,
    extraCa: await readCertificate(context.cwd, flags.caCert),
  });
  const { proxy, baseUrl } = connection;
  say("ok", proxy === undefined ? "proxy: none for this address" : `proxy: ${proxy.host}`);
  await checkServer({ ...connection, apiKey: undefined }, say);
  if (found === undefined)
    throw usageError(API_KEY_REQUIRED, { details: [...identityHint(context.env), LOGIN_HINT] });
  if (typeof found.apiKey === "object") await checkIdentity(connection, found.apiKey, say);
  const key = await checkKey(connection, found, say);
  const service = given(flags.service) ?? file.service;
  await checkService(
    connection,
    { key, service: service && tidyServiceName(service), gates: file.gates },
    say,
  );
  await checkJourneys(connection, key, say);
  say("ok", `a scan to ${baseUrl} should work`);
}

function describeSettings(context: CliContext): string {
  const file = findProjectFile(context);
  if (file === undefined)
    return `settings: no ${PROJECT_FILE} here or above, up to the root of the repository`;
  return `settings: ${printable(path.relative(context.cwd, file), 1_000)}`;
}

async function checkServer(connection: ApiConnection, say: Say): Promise<void> {
  const start = performance.now();
  const { date } = await probeServer(connection);
  say("ok", `server: ${connection.baseUrl} responds in ${Math.round(performance.now() - start)} ms`);
  const clock = describeClock(date, Date.now());
  say(clock.isOff ? "warning" : "ok", clock.text);
}

async function checkKey(connection: ApiConnection, { source }: FoundKey, say: Say): Promise<OwnKey> {
  say("ok", `key from: ${printable(source, 1_000)}`);
  const key = await getOwnKey(connection);
  const expiry = describeExpiry(key.expiresAt, Date.now());
  say(expiry.isSoon ? "warning" : "ok", `key: ${key.prefix} "${printable(key.name, 100)}", ${expiry.text}`);
  say("ok", `scopes: ${[...new Set(key.scopes.map(({ permission }) => permission))].join(", ")}`);
  return key;
}

async function checkJourneys(connection: ApiConnection, key: OwnKey, say: Say): Promise<void> {
  const problems = await findJourneyProblems(connection, key, Date.now());
  if (problems?.length === 0) say("ok", "journeys: the server can run them");
  for (const problem of problems ?? []) say("warning", `journeys: ${problem}`);
}

/** Warns if people would take the name of a new service for that of another one. */
async function warnOfLookAlikes(connection: ApiConnection, service: string, say: Say): Promise<void> {
  const alike = findLookAlikes(service, await listServiceNames(connection));
  if (alike.length === 0) return;
  const names = alike.map((name) => printable(name, 100)).join(", ");
  say("warning", `service: its name looks like that of ${names}, and a scan would create another service`);
}

async function checkService(
  connection: ApiConnection,
  { key, service, gates }: { key: OwnKey } & Pick<ProjectFile, "service" | "gates">,
  say: Say,
): Promise<void> {
  if (service === undefined) {
    say("warning", "service: not checked, pass --service <name>");
    return;
  }
  // The required permission depends on whether the service exists. A key that can't read services is checked for both.
  const serviceId = await findServiceId(connection, service).catch((error: unknown) => {
    if (error instanceof CliError && error.exitCode === EXIT_CODES.access) return undefined;
    throw error;
  });
  if (serviceId === null) await warnOfLookAlikes(connection, service, say);
  const missing = missingPermissions(key, { name: service, id: serviceId });
  if (missing.length > 0) {
    throw new CliError(EXIT_CODES.access, `this key can't scan the service ${printable(service, 100)}:`, {
      details: missing,
    });
  }
  const state =
    serviceId === undefined
      ? "may exist or not, which this key can't see"
      : serviceId === null
        ? "is new"
        : "exists";
  say("ok", `service: ${printable(service, 100)} ${state}`);
  const lacksForGates = await findMissing(connection, {
    key,
    permissions: permissionsToConclude(EVERY_GATE),
    service,
  });
  if (lacksForGates === undefined) say("ok", "gates: the key can follow, compare and promote runs");
  else say("warning", `gates: a scan with --wait or gates would be refused: ${lacksForGates}`);
  const lacksForJourneys = await findMissing(connection, { key, permissions: ["journeys:read"], service });
  if (lacksForJourneys === undefined) say("ok", "journeys: the key can read which of them a scan breaks");
  else if (gates?.failOnBrokenJourneys === true) {
    say("warning", `journeys: a scan with --fail-on-broken-journeys would be refused: ${lacksForJourneys}`);
  }
}

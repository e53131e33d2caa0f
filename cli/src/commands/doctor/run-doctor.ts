import { type ApiConnection, findServiceId, getOwnKey, probeServer } from "../../api-client.ts";
import { findApiKey } from "../../api-key.ts";
import { destinationFrom, given } from "../../config.ts";
import type { CliContext } from "../../context.ts";
import { CliError, EXIT_CODES, type ExitCode, usageError } from "../../lib/cli-error.ts";
import { createReporter } from "../../lib/reporter.ts";
import { printable } from "../../lib/text.ts";
import { readProjectFile } from "../../project-file.ts";
import { openConnection } from "../connect.ts";
import { API_KEY_REQUIRED, type ConnectionFlags, readCertificate } from "../connection-flags.ts";
import { findMissing, permissionsToConclude } from "../scan/check-access.ts";
import { describeClock, describeExpiry, missingPermissions } from "./diagnose.ts";
import { writeLine } from "../../lib/output.ts";

const EVERY_GATE = {
  gates: { failOn: "high", newOnly: true, failOnRemoved: true },
  waitSeconds: 1,
  promote: true,
} as const;

/** Runs the checks in the order in which a scan would meet them; the first that fails ends them. */
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
  const file = await readProjectFile(context.cwd);
  const apiKey = await findApiKey(context, flags);
  const reporter = createReporter(context.stderr, { quiet: false });
  const connection = openConnection(context, reporter, {
    apiKey,
    destination: destinationFrom(flags, context.env, file.url),
    extraCa: await readCertificate(context.cwd, flags.caCert),
  });
  const { proxy, baseUrl } = connection;
  say("ok", proxy === undefined ? "proxy: none for this address" : `proxy: ${proxy.host}`);
  await checkServer({ ...connection, apiKey: undefined }, say);
  if (apiKey === undefined) throw usageError(API_KEY_REQUIRED);
  await checkKey(connection, given(flags.service) ?? file.service, say);
  say("ok", `a scan to ${baseUrl} should work`);
}

async function checkServer(connection: ApiConnection, say: Say): Promise<void> {
  const start = performance.now();
  const { date } = await probeServer(connection);
  say("ok", `server: ${connection.baseUrl} responds in ${Math.round(performance.now() - start)} ms`);
  const clock = describeClock(date, Date.now());
  say(clock.isOff ? "warning" : "ok", clock.text);
}

async function checkKey(connection: ApiConnection, service: string | undefined, say: Say): Promise<void> {
  const key = await getOwnKey(connection);
  const expiry = describeExpiry(key.expiresAt, Date.now());
  say(expiry.isSoon ? "warning" : "ok", `key: ${key.prefix} "${printable(key.name, 100)}", ${expiry.text}`);
  say("ok", `scopes: ${[...new Set(key.scopes.map(({ permission }) => permission))].join(", ")}`);
  if (service === undefined) {
    say("warning", "service: not checked, pass --service <name>");
    return;
  }
  // Whether the service exists decides which permission a scan needs; a key that may not look is judged for both.
  const serviceId = await findServiceId(connection, service).catch((error: unknown) => {
    if (error instanceof CliError && error.exitCode === EXIT_CODES.access) return undefined;
    throw error;
  });
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
}

import path from "node:path";
import { tidyServiceName } from "@waymark/shared/lib/service-name.ts";
import type { CliContext } from "../../framework/context.ts";
import type { ProjectFile } from "../../framework/parse-project-file.ts";
import { usageError } from "../../lib/cli-error.ts";
import { given } from "../../lib/config.ts";
import { writeLine } from "../../lib/output.ts";
import type { ScanFlags } from "./settings.ts";

/** A description with the name of its service. */
export interface ListedService {
  service: string;
  /** Relative to the working directory. */
  spec: string;
  /** The team that owns the service. */
  owner?: string | undefined;
}

/**
 * Returns the descriptions to scan with their names: those that `--discover` finds, or those of `waymark.yaml`, of which an option may
 * choose one by its name or its file. Undefined if neither lists them.
 * @throws {CliError}
 */
export async function listServices(
  context: CliContext,
  flags: ScanFlags,
  file: ProjectFile,
): Promise<readonly ListedService[] | undefined> {
  if (flags.discover === true) return discover(context, flags, file);
  const services = file.services?.map(tidied);
  if (services === undefined || given(flags.serviceFrom) !== undefined) return undefined;
  const [service, spec] = [given(flags.service), given(flags.spec)];
  if (spec !== undefined) {
    const wanted = path.resolve(context.cwd, spec);
    const named = services.filter((each) => path.resolve(context.cwd, each.spec) === wanted);
    return service === undefined && named.length === 1 ? named : undefined;
  }
  if (service === undefined) return services;
  const named = services.filter((each) => each.service === tidyServiceName(service));
  if (named.length > 0) return named;
  throw usageError(
    `waymark.yaml lists no service ${service}: add it there, or name its description with --spec.`,
  );
}

async function discover(
  { cwd, stderr }: CliContext,
  flags: ScanFlags,
  file: ProjectFile,
): Promise<readonly ListedService[]> {
  if ([flags.spec, flags.service, flags.serviceFrom].some((option) => given(option) !== undefined)) {
    throw usageError(
      "--discover finds the descriptions and names their services, so --spec, --service and --service-from don't go with it.",
    );
  }
  const { findDescriptions } = await import("../../discovery/find-descriptions.ts");
  const { describeSkipped } = await import("../../discovery/describe-skipped.ts");
  const { found, skipped } = await findDescriptions(cwd);
  const left = describeSkipped(skipped);
  if (found.length === 0)
    throw usageError("--discover found no OpenAPI description below the working directory.", {
      details: left,
    });
  if (flags.quiet !== true) for (const line of left) writeLine(stderr, line);
  const { services = [], spec: only, service: name } = file;
  const named = only === undefined || name === undefined ? services : [{ spec: only, service: name }];
  const known = new Map<string, Omit<ListedService, "spec">>(
    named.map(({ spec, ...each }) => [path.resolve(cwd, spec), each]),
  );
  return found.map(({ service, spec }) => tidied({ service, ...known.get(path.resolve(cwd, spec)), spec }));
}

function tidied({ service, spec, owner }: ListedService): ListedService {
  return { service: tidyServiceName(service), spec, owner };
}

import { connectApi, submitScan } from "../../api-client.ts";
import type { CliContext } from "../../app/context.ts";
import { connectionSettings, given } from "../../config.ts";
import { EXIT_CODES, usageError } from "../../lib/cli-error.ts";
import { checkLimits } from "../../spec/check-limits.ts";
import { readSpec } from "../../spec/read-spec.ts";

export interface ScanOptions {
  service: string | undefined;
  spec: string | undefined;
  apiKey: string | undefined;
  apiUrl: string | undefined;
}

/** Reads the spec, submits it, and prints the three lines of the specification. */
export async function runScan(context: CliContext, options: ScanOptions): Promise<number> {
  const { service, spec, apiKey, apiUrl } = requireOptions(context, options);
  const connection = connectApi({ apiKey, apiUrl });
  const reading = await readSpec({ path: spec, stdin: context.stdin as AsyncIterable<Buffer> });
  for (const note of reading.notes) context.stderr.write(`Note: ${note}\n`);

  const payload = checkLimits({
    service: { name: service },
    spec: reading.spec,
    endpoints: reading.endpoints,
    findings: [],
  });
  const accepted = await submitScan(connection, payload);
  context.stdout.write(
    `Scan ingested: ${accepted.scanRunId}\n` +
      `Result URL: ${connection.baseUrl}/scan-runs/${accepted.scanRunId}\n` +
      `Endpoints: ${accepted.endpointCount}; findings: ${accepted.findingCount}\n`,
  );
  return EXIT_CODES.ok;
}

// All that is missing is said at once, so that nobody mends a pipeline in three runs.
function requireOptions(context: CliContext, options: ScanOptions) {
  const { apiKey, apiUrl } = connectionSettings(options, context.env);
  const service = given(options.service) === undefined ? undefined : options.service;
  const spec = given(options.spec) === undefined ? undefined : options.spec;
  const missing: string[] = [];
  if (apiKey === undefined) missing.push("API key required: pass --api-key <key> or set SERVICE_API_KEY.");
  if (spec === undefined) missing.push("--spec is required: pass the path of an OpenAPI JSON or YAML file.");
  if (service === undefined) missing.push("--service is required: pass the name of the service to scan.");
  const [first, ...details] = missing;
  if (apiKey === undefined || spec === undefined || service === undefined) {
    throw usageError(first ?? "", { details });
  }
  return { apiKey, apiUrl, spec, service };
}

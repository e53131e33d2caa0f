import { areValidItems } from "../parse-payload.ts";
import type { NormalizedEndpoint, NormalizedFinding, ScanIngestionPayload } from "../schema.ts";

const FIELDS = {
  endpoints: ["method", "path", "operationId", "tags", "summary"],
  findings: ["code", "severity", "message", "method", "path"],
} as const;

/**
 * The canonical JSON text of a scan: fields in the contract's order, no white space, no unnecessary escapes. The command
 * sends this form; the texts of other clients are rewritten.
 */
export function canonicalJson({ service, spec, endpoints, findings }: ScanIngestionPayload): Buffer {
  return Buffer.from(
    JSON.stringify({
      service,
      spec,
      endpoints: endpoints.map(orderEndpoint),
      findings: findings.map(orderFinding),
    }),
  );
}

/** Whether this text of items is valid and canonical. */
export function areItemsCanonical(kind: keyof typeof FIELDS, text: Buffer): boolean {
  const json = `[${text.toString("utf8")}]`;
  let items: unknown;
  try {
    items = JSON.parse(json);
  } catch {
    return false;
  }
  return (
    areValidItems(kind, items, json) &&
    items.every((item) => hasFieldsInOrder(item, FIELDS[kind])) &&
    JSON.stringify(items) === json
  );
}

function hasFieldsInOrder(item: object, fields: readonly string[]): boolean {
  let n = 0;
  for (const field in item) {
    if (field !== fields[n++]) return false;
  }
  return true;
}

function orderEndpoint({ method, path, operationId, tags, summary }: NormalizedEndpoint): NormalizedEndpoint {
  return { method, path, operationId, tags, summary };
}

function orderFinding({ code, severity, message, method, path }: NormalizedFinding): NormalizedFinding {
  return { code, severity, message, method, path };
}

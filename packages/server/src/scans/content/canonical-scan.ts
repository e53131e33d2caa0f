import type {
  NormalizedEndpoint,
  NormalizedFinding,
  ScanIngestionPayload,
} from "@waymark/shared/scans/schema.ts";

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

function orderEndpoint({ method, path, operationId, tags, summary }: NormalizedEndpoint): NormalizedEndpoint {
  return { method, path, operationId, tags, summary };
}

function orderFinding({ code, severity, message, method, path }: NormalizedFinding): NormalizedFinding {
  return { code, severity, message, method, path };
}

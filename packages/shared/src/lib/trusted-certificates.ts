import { readFileSync } from "node:fs";
import tls from "node:tls";

/**
 * Returns every certificate that Node trusts by default, in PEM: its own, those of NODE_EXTRA_CA_CERTS, and the system's where
 * Node was told to use them. An option `ca` of a connection replaces them all, so that they must be repeated beside another one.
 */
export function defaultCertificates(): readonly string[] {
  const { getCACertificates }: Partial<typeof tls> = tls;
  // Node has it since 22.15. https://nodejs.org/api/tls.html#tlsgetcacertificatestype
  return getCACertificates?.("default") ?? [...tls.rootCertificates, ...extraCertificates()];
}

/** Node itself warns at its start if the file can't be read, and goes on without it. */
function extraCertificates(): string[] {
  // oxlint-disable-next-line node/no-process-env -- a variable of Node, not of Waymark
  const file = process.env["NODE_EXTRA_CA_CERTS"];
  if (file === undefined || file === "") return [];
  try {
    return [readFileSync(file, "utf8")];
  } catch {
    return [];
  }
}

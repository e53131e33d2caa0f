import { readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";
import { toError } from "@waymark/shared/lib/to-error.ts";
import { defaultCertificates } from "@waymark/shared/lib/trusted-certificates.ts";
import { DatabaseAddressError } from "./address-error.ts";

/** How a connection is encrypted, by libpq's words. */
export interface Tls {
  mode: "disable" | "require" | "verify-ca" | "verify-full";
  /** Files in PEM. `system` stands for the certificates that Node trusts. */
  rootCertificates: string | undefined;
  certificate: string | undefined;
  key: string | undefined;
}

/**
 * Returns the options of a connection's TLS, with the certificates in them.
 *
 * @throws DatabaseAddressError if a file can't be read
 */
export function tlsOptions({ mode, rootCertificates, certificate, key }: Tls): ConnectionOptions | false {
  if (mode === "disable") return false;
  const own = {
    ...(certificate === undefined ? {} : { cert: readPem("sslcert", certificate) }),
    ...(key === undefined ? {} : { key: readPem("sslkey", key) }),
  };
  if (mode === "require") return { ...own, rejectUnauthorized: false };
  const isSystem = rootCertificates === undefined || rootCertificates === "system";
  const ca = isSystem ? [...defaultCertificates()] : readPem("sslrootcert", rootCertificates);
  // libpq checks the chain only: the certificate may be for another name.
  return { ...own, ca, ...(mode === "verify-ca" ? { checkServerIdentity: () => undefined } : {}) };
}

function readPem(parameter: string, file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new DatabaseAddressError(
      `has a file in ${parameter} that can't be read (${toError(error).message})`,
    );
  }
}

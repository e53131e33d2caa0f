import { generate } from "selfsigned";

/** A self-signed certificate of 127.0.0.1, in PEM. */
export interface TlsCertificate {
  key: string;
  cert: string;
}

export async function createTlsCertificate(): Promise<TlsCertificate> {
  const pems = await generate([{ name: "commonName", value: "issuer.test" }], {
    keyType: "ec",
    extensions: [
      { name: "basicConstraints", cA: true },
      { name: "subjectAltName", altNames: [{ type: 7, ip: "127.0.0.1" }] },
    ],
  });
  return { key: pems.private, cert: pems.cert };
}

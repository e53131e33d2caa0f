import { crc32 } from "node:zlib";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** What somebody would try who knows a key's public prefix and the format: the checksum is right, the secret is not. */
export function withAnotherSecret(rawKey: string): string {
  const body = `${rawKey.slice(0, 17)}${"0".repeat(33)}`;
  let rest = crc32(body);
  let checksum = "";
  for (let i = 0; i < 6; i++) {
    checksum = BASE62.charAt(rest % 62) + checksum;
    rest = Math.floor(rest / 62);
  }
  return body + checksum;
}

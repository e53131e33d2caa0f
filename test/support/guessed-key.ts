import { crc32 } from "node:zlib";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** The guess of an attacker who knows a key's public prefix and the format: a valid checksum, and a wrong secret. */
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

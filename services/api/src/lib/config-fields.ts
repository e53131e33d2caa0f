import { isIP } from "node:net";
import { numberOrOff } from "@waymark/server/lib/config-fields.ts";
import { z } from "zod";

const NETWORK_NAMES = new Set(["loopback", "linklocal", "uniquelocal"]);

/**
 * `TRUST_PROXY`: the number of proxies in front of this process, or their addresses and networks. There is no value for
 * "everybody", because then any client could choose the address that limits and the audit record use.
 */
export const TrustProxy = z.string().transform((value, ctx) => {
  const text = value.trim();
  if (/^[1-9][0-9]?$/.test(text)) return (_address: string, hop: number) => hop < Number(text);
  const networks = text.split(",").map((part) => part.trim());
  if (networks.every(isNetwork)) return networks;
  ctx.addIssue({
    code: "custom",
    message:
      "must be the number of proxies in front, or a list of their addresses such as 10.0.0.0/8,loopback (names: loopback, linklocal, uniquelocal)",
  });
  return z.NEVER;
});

function isNetwork(text: string): boolean {
  if (NETWORK_NAMES.has(text)) return true;
  const [address = "", bits, ...rest] = text.split("/");
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^[0-9]{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

/** A limit per minute; `off` for none. */
export const perMinute = () => numberOrOff("requests a minute", 999_999_999);

/** A limit per day; `off` for none. */
export const perDay = (what: string) => numberOrOff(`${what} a day`, 999_999_999_999_999);

import { pathOfAddress } from "../lib/base-path.ts";

const KEY = "waymark.return-address";

/** Remembers the page that is open, for after the sign-in at an identity provider. This tab forgets it when it is closed. */
export function rememberReturnAddress(): void {
  const { pathname, search, hash } = window.location;
  sessionStorage.setItem(KEY, `${pathOfAddress(pathname)}${search}${hash}`);
}

/** Returns the remembered page once; the overview if there is none. Only this tab writes it, and it is a path of the console. */
export function takeReturnAddress(): string {
  const address = sessionStorage.getItem(KEY) ?? "/";
  sessionStorage.removeItem(KEY);
  return /^\/(?![/\\])\P{Cc}*$/u.test(address) && !address.startsWith("/sign-in") ? address : "/";
}

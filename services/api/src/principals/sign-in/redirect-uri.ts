import { SIGN_IN_CALLBACK } from "@waymark/shared/console/schema.ts";
import { logOutByProvider } from "@waymark/shared/principals/sign-in/addresses.ts";

/** The address of the console to which a provider sends browsers back. Each provider has its own, so that no response passes for another's. */
export function redirectUriOf(baseUrl: string, identityProviderId: string): string {
  return addressOf(baseUrl, SIGN_IN_CALLBACK, identityProviderId);
}

/** The address that a provider tells which of its sessions have ended. */
export function backChannelLogoutUriOf(baseUrl: string, identityProviderId: string): string {
  return addressOf(baseUrl, logOutByProvider.path, identityProviderId);
}

/** As browsers and libraries write it, because providers compare it letter by letter. */
function addressOf(baseUrl: string, path: string, identityProviderId: string): string {
  return new URL(`${baseUrl}${path.replace(":identityProviderId", identityProviderId)}`).href;
}

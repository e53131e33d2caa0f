import { SIGN_IN_CALLBACK } from "@waymark/shared/console/schema.ts";
import { useState } from "react";
import { addressOf, pathOfAddress } from "../lib/base-path.ts";

/** The redirect of an identity provider. */
export interface SignInCallback {
  identityProviderId: string;
  /** The query of the redirect, without the question mark. */
  query: string;
}

/** The redirect that the address was when the console was loaded. */
const FIRST = takeCallback();

/** Returns the redirect with which the console was opened, and a function that forgets it. The address bar and the history don't keep its code. */
export function useSignInCallback(): [callback: SignInCallback | undefined, forget: () => void] {
  const [callback, setCallback] = useState(FIRST);
  return [callback, () => setCallback(undefined)];
}

function takeCallback(): SignInCallback | undefined {
  const [before = ""] = SIGN_IN_CALLBACK.split(":");
  const path = pathOfAddress(window.location.pathname);
  if (!path.startsWith(before)) return undefined;
  const query = window.location.search.slice(1);
  window.history.replaceState(window.history.state, "", addressOf("/"));
  return { identityProviderId: path.slice(before.length), query };
}

import { INVITATION_FRAGMENT } from "@waymark/shared/console/schema.ts";
import { useEffect, useState } from "react";

/** The token that the address had when the console was loaded. */
const FIRST = takeToken();

/** Returns the token of an invitation's link, and a function that forgets it. The address bar and the history don't keep it. */
export function useInvitationToken(): [token: string | undefined, forget: () => void] {
  const [token, setToken] = useState(FIRST);
  useEffect(() => {
    // A link that is opened in a tab with the console changes the fragment only.
    const onChange = () => setToken((known) => takeToken() ?? known);
    window.addEventListener("hashchange", onChange);
    return () => window.removeEventListener("hashchange", onChange);
  }, []);
  return [token, () => setToken(undefined)];
}

function takeToken(): string | undefined {
  const { hash, pathname, search } = window.location;
  if (!hash.startsWith(INVITATION_FRAGMENT)) return undefined;
  window.history.replaceState(window.history.state, "", `${pathname}${search}`);
  return hash.slice(INVITATION_FRAGMENT.length);
}

import { useMutation, useQuery } from "@tanstack/react-query";
import { beginSignIn, listSignInOptions } from "@waymark/shared/principals/sign-in/addresses.ts";
import { BegunSignIn, SignInOptions } from "@waymark/shared/principals/sign-in/schema.ts";
import { callApi } from "../lib/api.ts";
import { useForgetSessionEnd } from "../lib/use-session.ts";
import { rememberReturnAddress } from "./return-address.ts";

/** Returns the ways to sign in, of an e-mail address or an organization if one is given. */
export function useSignInOptions(wanted?: string) {
  return useQuery({
    queryKey: ["sign-in-options", wanted],
    queryFn: ({ signal }) =>
      callApi(
        listSignInOptions,
        { query: wanted === undefined ? {} : { for: wanted } },
        { read: SignInOptions, signal },
      ),
    staleTime: 0,
    retry: false,
  });
}

/** Goes on to an identity provider, which sends the browser back to the page that is open. */
export function useProviderSignIn() {
  const forgetSessionEnd = useForgetSessionEnd();
  return useMutation({
    onMutate: forgetSessionEnd,
    mutationFn: async (wanted: { identityProviderId: string; loginHint?: string; again?: boolean }) => {
      const { authorizationUrl } = await callApi(beginSignIn, { body: wanted }, { read: BegunSignIn });
      rememberReturnAddress();
      window.location.assign(authorizationUrl);
      // The button stays busy until the browser has left.
      await new Promise(() => undefined);
    },
  });
}

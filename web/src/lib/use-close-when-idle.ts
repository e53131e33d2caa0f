import { type MutationKey, useQueryClient } from "@tanstack/react-query";

/**
 * Closes a dialog unless one of its requests is under way: nothing else shows what comes of it, such as a new key. Asks the cache,
 * which knows of a request before the dialog does.
 *
 * @param mutationKey of these requests
 */
export function useCloseWhenIdle(mutationKey: MutationKey, onClose: () => void): () => void {
  const client = useQueryClient();
  return () => {
    if (client.isMutating({ mutationKey }) === 0) onClose();
  };
}

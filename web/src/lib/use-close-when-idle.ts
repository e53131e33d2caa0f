import { type MutationKey, useQueryClient } from "@tanstack/react-query";

/**
 * Closes a dialog unless one of its requests is in progress, because only the dialog shows its result, such as a new
 * key. Asks the cache, which knows about a request before the dialog does.
 *
 * @param mutationKey of these requests
 */
export function useCloseWhenIdle(mutationKey: MutationKey, onClose: () => void): () => void {
  const client = useQueryClient();
  return () => {
    if (client.isMutating({ mutationKey }) === 0) onClose();
  };
}

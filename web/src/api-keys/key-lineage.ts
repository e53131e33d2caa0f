import type { ApiKey } from "@waymark/shared/api-keys/schema.ts";

/** Other keys that a key's details name, as far as they are known. */
export interface RelatedKeys {
  creator: ApiKey | undefined;
  /** The key that replaced it when it was last rotated. */
  successor: ApiKey | undefined;
  /** The key that it replaced. */
  predecessor: ApiKey | undefined;
}

export function relatedKeys(keys: readonly ApiKey[], key: ApiKey): RelatedKeys {
  return {
    creator: keys.find(({ id }) => id === key.createdBy),
    successor: keys.find(({ id }) => id === key.replacedBy),
    predecessor: keys.find(({ replacedBy }) => replacedBy === key.id),
  };
}

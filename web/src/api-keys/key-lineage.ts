import type { ApiKey } from "@waymark/shared/api-keys/schema.ts";

/** Other keys that a key's details name, as far as they are known. */
export interface RelatedKeys {
  creator: ApiKey | undefined;
  /** What it was rotated into last. */
  successor: ApiKey | undefined;
  /** What was rotated into it. */
  predecessor: ApiKey | undefined;
}

export function relatedKeys(keys: readonly ApiKey[], key: ApiKey): RelatedKeys {
  return {
    creator: keys.find(({ id }) => id === key.createdBy),
    successor: keys.find(({ id }) => id === key.replacedBy),
    predecessor: keys.find(({ replacedBy }) => replacedBy === key.id),
  };
}

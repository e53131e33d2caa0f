const REMEMBERED_MAX = 10_000;

interface NamedService {
  id: string;
  name: string;
}

/** Which service a key scanned last. A hint that saves a round trip: the database checks what is done with it. */
export interface LastServices {
  get: (apiKeyId: string) => NamedService | undefined;
  set: (apiKeyId: string, service: NamedService) => void;
}

export function createLastServices(): LastServices {
  const byKey = new Map<string, NamedService>();
  return {
    get: (apiKeyId) => byKey.get(apiKeyId),
    set(apiKeyId, service) {
      if (byKey.size >= REMEMBERED_MAX) byKey.clear();
      byKey.set(apiKeyId, service);
    },
  };
}

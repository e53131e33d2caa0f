/** Limits of environments and their secrets, counted in Unicode characters and bytes. */
export const ENVIRONMENT_LIMITS = {
  environmentsMax: 50,
  nameMax: 100,
  /** Servers, sources with variables, variables of a source, inputs. */
  entriesMax: 100,
  urlMax: 2_000,
  variableMax: 2_000,
  hostsMax: 100,
  hostMax: 260,
  /** The whole environment as JSON. */
  bodyBytesMax: 256 * 1024,
  secretsMax: 100,
  secretNameMax: 100,
  secretCharactersMin: 8,
  secretBytesMax: 64 * 1024,
  secretHostsMax: 20,
} as const;

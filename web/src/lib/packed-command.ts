import { z } from "zod";

/** The packed command that the server serves. */
export interface PackedCommand {
  url: string;
  /** The name of the file. */
  name: string;
  sha256: string;
}

const Described = z.object({
  file: z
    .string()
    .regex(/^waymark-[\w.+-]+\.tgz$/)
    .nullable(),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable(),
});

/** Reads which packed command the server has; null if it has none. */
export async function readPackedCommand(apiUrl: string): Promise<PackedCommand | null> {
  const folder = `${apiUrl}/downloads`;
  const response = await fetch(`${folder}/waymark.json`, { signal: AbortSignal.timeout(10_000) });
  if (!response.ok) return null;
  const { file, sha256 } = Described.parse(await response.json());
  return file === null || sha256 === null ? null : { url: `${folder}/${file}`, name: file, sha256 };
}

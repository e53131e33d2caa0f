/** The name that stands for standard input on the command line. */
export const STDIN_NAME = "-";

/**
 * Returns all bytes of a stream. Counts them while reading, because a device or a pipe has no size, and a file may
 * grow.
 * @throws the error that `tooLarge` returns for the number of bytes read, as soon as there are more than `bytesMax`
 */
export async function collectBytes(
  stream: AsyncIterable<unknown>,
  { bytesMax, tooLarge }: { bytesMax: number; tooLarge: (bytes: number) => Error },
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
    size += bytes.length;
    if (size > bytesMax) throw tooLarge(size);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

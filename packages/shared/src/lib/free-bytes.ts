/**
 * Gives the memory of large bytes back at once, instead of when the garbage collector comes: it would come for them,
 * and look through the whole heap each time. For bytes that nobody needs any more; whoever still looks at them finds
 * them empty. Those that share their memory with others are left alone.
 */
export function freeBytes({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}

/**
 * As `freeBytes`, also where more memory was reserved than came into use. Only for bytes whose memory is theirs alone,
 * or lies in the pool that all small buffers share.
 */
export function freeReserved(bytes: Buffer): void {
  const { buffer } = bytes;
  if (buffer.byteLength === Buffer.poolSize) freeBytes(bytes);
  else if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}

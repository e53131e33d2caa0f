/**
 * Gives the memory of large bytes back at once. V8 would collect the whole heap for every so many of them, see
 * docs/adr/0005-memory-given-back.md. Only for bytes that nothing uses any more: whoever still looks at them finds them
 * empty. Those that share their memory with others are left alone.
 */
export function detachOwnedBuffer({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}

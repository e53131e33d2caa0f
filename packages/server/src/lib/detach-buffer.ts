/**
 * Frees the memory of a large buffer immediately. Otherwise V8 would run full garbage collections, see
 * docs/adr/0005-memory-given-back.md. Use it only for buffers that nothing uses any more: they are empty afterwards.
 * Buffers that share their memory are not changed.
 */
export function detachOwnedBuffer({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}

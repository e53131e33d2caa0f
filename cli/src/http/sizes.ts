/** Larger bodies are sent compressed. Smaller ones fit into a few packets anyway. */
export const GZIP_ABOVE_BYTES = 64 * 1024;

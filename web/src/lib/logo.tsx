/** The picture of favicon.svg, inline, so that the first screen waits for no request. */
export function Logo({ size }: { size: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden>
      <path d="M16 2a10 10 0 0 0-10 10c0 7 10 18 10 18s10-11 10-18A10 10 0 0 0 16 2z" fill="#0b7285" />
      <path d="m11 12 4 4 7-8" fill="none" stroke="#fff" strokeWidth="3" />
    </svg>
  );
}

/** True if the host of a parsed URL is this machine for certain: a literal loopback address, or `localhost`. */
export function isLoopback(host: string): boolean {
  return (
    host === "localhost" ||
    host === "[::1]" ||
    /^127(\.\d{1,3}){3}$/.test(host) ||
    // 127.0.0.0/8 as IPv6, which URLs write in hexadecimal.
    /^\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\]$/.test(host)
  );
}

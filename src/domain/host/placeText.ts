/** As it stands in front of a port: an IPv6 literal in brackets, anything else as it is. Source: RFC 3986, 3.2.2. */
export function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** `host:port`, `[2001:db8::7]:22`. */
export function placeText(host: string, port: number): string {
  return `${bracketed(host)}:${String(port)}`;
}

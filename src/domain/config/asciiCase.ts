/** Lower case of the letters A to Z only, as OpenSSH does it; other scripts stay as they are. */
export function asciiLower(text: string): string {
  return /[^\x00-\x7f]/.test(text)
    ? text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
    : text.toLowerCase();
}

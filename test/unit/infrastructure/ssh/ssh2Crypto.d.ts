/** What the tests of our patch use of the library's ciphers. */
declare module 'ssh2/lib/protocol/crypto.js' {
  interface Cipher {
    allocPacket(payloadLength: number): Buffer;
    encrypt(packet: Buffer): void;
  }
  interface Decipher {
    decrypt(data: Buffer, from: number, length: number): void;
  }
  interface Parts {
    readonly CIPHER_INFO: Readonly<Record<string, { readonly keyLen: number; readonly ivLen: number }>>;
    createCipher(config: { readonly outbound: object }): Cipher;
    createDecipher(config: { readonly inbound: object }): Decipher;
  }
  const parts: Parts;
  export { parts as default };
}

/** As much of the package as the oracle needs; it has no types of its own. */
declare module 'ssh2-sftp-client' {
  class SftpClient {
    connect(options: {
      readonly host: string;
      readonly port: number;
      readonly username: string;
      readonly privateKey: Buffer;
    }): Promise<unknown>;
    list(
      folder: string,
    ): Promise<readonly { readonly name: string; readonly type: string; readonly size: number }[]>;
    /** An empty file comes as an empty array. */
    get(file: string): Promise<Buffer | readonly never[]>;
    end(): Promise<unknown>;
  }
  export { SftpClient as default };
}

import type { HostPrograms } from '../../ports/hostCommands.ts';

/** Archives of `tar` to and from one host. Source: ssh.md 8.7, 6. */
export interface HostArchives extends HostPrograms {
  /**
   * Whether so many small files may go as archives now. It waits for no person: where nobody has said yet, it is no, somebody is asked, and
   * a later call tells what they said. Never rejects.
   */
  mayUse(files: number): Promise<boolean>;
}

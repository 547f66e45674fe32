import { sftpServerProgram } from './scriptedSftp.ts';

/**
 * A forced command for a server on which nobody finds the program of the SFTP server: commands run as they are, with its name changed. A
 * subsystem works all the same, as one does that is built into sshd.
 */
export const withoutSftpServer = [
  `case "$SSH_ORIGINAL_COMMAND" in internal-sftp*) exec ${sftpServerProgram};; esac;`,
  `exec sh -c "$(printf "%s" "$SSH_ORIGINAL_COMMAND" | sed "s,/sftp-server,/no-server,g")"`,
].join(' ');

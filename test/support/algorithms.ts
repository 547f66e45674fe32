import { chooseAlgorithms } from '../../src/domain/ssh/algorithmChoice.ts';
import type { AgreedAlgorithms } from '../../src/domain/ssh/trace.ts';

/** What a target uses when neither its configuration nor its record says anything. */
export const usualChoice = chooseAlgorithms({
  written: () => undefined,
  wantsCompression: false,
  legacy: [],
});

/** What a connection may have come to. */
export const agreedUsually: AgreedAlgorithms = {
  kex: 'curve25519-sha256',
  hostKey: 'ssh-ed25519',
  cipher: 'aes128-gcm@openssh.com',
  mac: '',
  compression: 'none',
};

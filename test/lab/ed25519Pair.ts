import ssh2 from 'ssh2';

/**
 * A new key pair as the library writes it. It writes one in some hundred in a form that it does not read, which is not what is tested with
 * these.
 */
export function ed25519Pair(): ReturnType<typeof ssh2.utils.generateKeyPairSync> {
  for (;;) {
    const pair = ssh2.utils.generateKeyPairSync('ed25519');
    if (!(ssh2.utils.parseKey(pair.private) instanceof Error)) return pair;
  }
}

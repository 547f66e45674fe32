/** Asked once per connection. Only the value `true` accepts; anything else, also a rejection or a throw, refuses. */
export type HostKeyQuestion = (blob: Uint8Array) => unknown;

/** The form in which the library asks. It accepts unless it gets strictly `false`, so the return value stays `undefined`. */
export type LibraryVerifier = (key: Buffer, answer: (isAccepted: boolean) => void) => void;

/**
 * The only code that answers the library about host keys. The library asks again at every rekey: the first decision then stands for
 * the same bytes, and another key is refused, both within the call: an answer that comes later finds the library between two states of its
 * compression (TRAP-13). `onBroken` gets what the library throws when it is told. Source: TRAP-1, TRAP-2; ssh.md 3.1.
 */
export function hostVerifier(
  decide: HostKeyQuestion,
  onBroken: (error: unknown) => void = () => {},
): LibraryVerifier {
  let first: FirstKey | undefined;
  return (key, answer) => {
    if (first === undefined) {
      const blob = Buffer.from(key);
      const asked: FirstKey = { blob, decision: strictly(decide, blob) };
      asked.decision.then((isAccepted) => (asked.isAccepted = isAccepted)).catch(onBroken);
      first = asked;
    }
    const known = first.blob.equals(key) ? first.isAccepted : false;
    if (known === undefined)
      return void first.decision.then((isAccepted) => answer(isAccepted)).catch(onBroken);
    try {
      answer(known);
    } catch (error) {
      onBroken(error);
    }
  };
}

interface FirstKey {
  readonly blob: Buffer;
  readonly decision: Promise<boolean>;
  /** Absent while the decision is open. */
  isAccepted?: boolean;
}

async function strictly(decide: HostKeyQuestion, blob: Buffer): Promise<boolean> {
  try {
    return (await decide(blob)) === true;
  } catch {
    return false;
  }
}

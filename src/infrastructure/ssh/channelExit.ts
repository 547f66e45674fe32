import type { ChannelExit } from '../../application/ports/connection.ts';

/** The library's arguments of `exit`: the code is `null` for a signal; neither is unknown and never 0. Source: RFC 4254 section 6.10; TRAP-19. */
export function exitOf(code: unknown, signal: unknown): ChannelExit {
  if (typeof code === 'number') return { kind: 'code', code };
  if (typeof signal === 'string') return { kind: 'signal', signal: signal.replace(/^SIG/, '') };
  return { kind: 'unknown', reason: 'the server told neither a code nor a signal' };
}

/** A channel that closed before anything was told. */
export const closedWithoutStatus: ChannelExit = {
  kind: 'unknown',
  reason: 'the channel closed without a status',
};

import { sftpType, type SftpPacket, type SftpScript } from './scriptedSftp.ts';

/** Answers come in this order: the last of each `count` first. The rest is sent with the next one that is not held. */
export function reordered(count: number): SftpScript {
  let held: SftpPacket[] = [];
  const holds = new Set<number>([sftpType.read, sftpType.write]);
  let waiting = 0;
  return {
    onRequest: (request) => {
      if (holds.has(request.type)) waiting += 1;
      return request;
    },
    onReply: (reply, request) => {
      if (!holds.has(request.type)) return [reply];
      waiting -= 1;
      held.unshift(reply);
      if (held.length < count && waiting > 0) return [];
      const all = held;
      held = [];
      return all;
    },
  };
}

/** Gives fewer bytes than were asked for. */
export const shortReads: SftpScript = {
  onRequest: (request) => {
    if (request.type !== sftpType.read) return request;
    const body = Buffer.from(request.body);
    const length = body.readUInt32BE(body.length - 4);
    body.writeUInt32BE(Math.max(1, Math.min(length, 1 + (length % 40_000))), body.length - 4);
    return { ...request, body };
  },
};

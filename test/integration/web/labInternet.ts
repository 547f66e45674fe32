import { isIP } from 'node:net';
import { openSocket, type OpenSocket } from '../../../src/infrastructure/net/web/openSocket.ts';

/** An internet in which public addresses lead to servers of the lab, and which counts what was connected to. */
export interface LabInternet {
  readonly open: OpenSocket;
  /** The addresses that connections were asked for, in order. */
  readonly dialled: readonly string[];
}

/** Ports on 127.0.0.1 by public address. Every other address is connected to as it is. */
export function labInternet(servers: Readonly<Record<string, number>>): LabInternet {
  const dialled: string[] = [];
  return {
    dialled,
    open: (order, signal) => {
      dialled.push(...order.addresses);
      const port = order.addresses.map((address) => servers[address]).find((known) => known !== undefined);
      if (port === undefined) return openSocket(order, signal);
      const url = new URL(order.url);
      url.port = String(port);
      if (isIP(url.hostname) !== 0) url.hostname = '127.0.0.1';
      return openSocket({ url, addresses: ['127.0.0.1'] }, signal);
    },
  };
}

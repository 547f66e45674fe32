import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { listeningInodes, lsofOwner } from '../../../../src/infrastructure/net/portOwner.ts';

describe('who has a port', () => {
  it('is found in the table of sockets, among those that listen', () => {
    const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4711 1
   1: 0100007F:1F90 0100007F:C350 01 00000000:00000000 00:00000000 00000000  1000        0 4712 1
   2: 0100007F:1F91 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4713 1
   3: 00000000:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 0 1
`;
    assert.deepEqual(listeningInodes(table, 8080), ['4711']);
    assert.deepEqual(listeningInodes('', 8080), []);
  });

  it('is what lsof says first', () => {
    assert.equal(lsofOwner('p1234\ncnginx\nf6\np1235\ncnginx\n'), 'nginx (1234)');
    assert.equal(lsofOwner(''), undefined);
  });
});

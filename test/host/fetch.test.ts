import assert from 'node:assert/strict';
import http from 'node:http';
import { after, before, describe, it } from 'mocha';
import * as vscode from 'vscode';
import { PinnedRequests } from '../../src/infrastructure/net/web/pinnedRequests.ts';
import { startNetworkProxy, type NetworkProxy } from '../lab/networkProxy.ts';
import { page, startWebServer, type WebServer } from '../lab/webServer.ts';
import { FakeClock } from '../support/fakeClock.ts';
import { withinDeadline } from '../support/withinDeadline.ts';

const setting = 'http.proxy';

describe('fetch in an editor that has a proxy', () => {
  let server: WebServer;
  let proxy: NetworkProxy;

  before(async () => {
    server = await startWebServer({ '/': page('hello') });
    proxy = await startNetworkProxy();
    const address = `http://127.0.0.1:${proxy.port}`;
    await vscode.workspace.getConfiguration().update(setting, address, vscode.ConfigurationTarget.Global);
  });
  after(async () => {
    await vscode.workspace.getConfiguration().update(setting, undefined, vscode.ConfigurationTarget.Global);
    await Promise.all([server.stop(), proxy.stop()]);
  });

  it('goes to the checked address and not to the proxy, where other requests go', async () => {
    const url = `http://name.example:${server.port}/`;
    const { signal } = new AbortController();
    const answer = await new PinnedRequests(new FakeClock()).get(
      { url, addresses: ['127.0.0.1'], headers: [], totalMs: 60_000 },
      signal,
    );
    assert.equal(Buffer.from(await answer.body(signal)).toString('utf8'), 'hello');
    assert.deepEqual(proxy.requests, []);

    const other = new Promise((resolve) => {
      http.get(url, (response) => resolve(response.resume())).on('error', resolve);
    });
    await withinDeadline('the end of another request', other);
    assert.equal(proxy.requests.length, 1);
    assert.equal(server.visits.length, 1);
  });
});

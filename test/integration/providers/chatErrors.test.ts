import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { sse } from '../../lab/chatCompletions.ts';
import { startScriptedModel, type ScriptedModel } from '../../lab/scriptedModel.ts';
import {
  errorResponse,
  plainResponse,
  streamResponse,
  type ScriptedResponse,
} from '../../lab/scriptedResponse.ts';
import { chatModel, facts, read } from './support.ts';

interface Row {
  readonly name: string;
  readonly answer: ScriptedResponse;
  readonly code: string;
  readonly retryable: boolean;
  readonly status?: number;
  readonly retryAfterMs?: number;
  readonly detail?: string;
}

const now = Date.parse('2030-01-01T00:00:00Z');
const inStream = (error: { message: string; type: string; code?: string | number }): ScriptedResponse =>
  streamResponse([sse.begin(), sse.error(error)]);

const rows: readonly Row[] = [
  {
    name: 'a wrong key',
    answer: errorResponse(401, 'Incorrect key'),
    code: 'unauthorized',
    retryable: false,
    status: 401,
    detail: 'Incorrect key',
  },
  {
    name: 'a refused account',
    answer: errorResponse(403, 'No access'),
    code: 'unauthorized',
    retryable: false,
    status: 403,
    detail: 'No access',
  },
  {
    name: 'an unknown model',
    answer: errorResponse(404, 'No such model'),
    code: 'notFound',
    retryable: false,
    status: 404,
    detail: 'No such model',
  },
  {
    name: 'a request timeout',
    answer: errorResponse(408, 'Too slow'),
    code: 'network',
    retryable: true,
    status: 408,
    detail: 'Too slow',
  },
  {
    name: 'a body that is no JSON',
    answer: plainResponse(400, 'nope'),
    code: 'badRequest',
    retryable: false,
    status: 400,
    detail: '400 nope',
  },
  {
    name: 'a conflict',
    answer: errorResponse(409, 'Conflict'),
    code: 'badRequest',
    retryable: false,
    status: 409,
    detail: 'Conflict',
  },
  {
    name: 'a rate limit with seconds',
    answer: errorResponse(429, 'Slow down', { 'retry-after': '20' }),
    code: 'rateLimited',
    retryable: true,
    status: 429,
    retryAfterMs: 20_000,
    detail: 'Slow down',
  },
  {
    name: 'a rate limit with a date',
    answer: errorResponse(429, 'Slow down', { 'retry-after': 'Tue, 01 Jan 2030 00:01:30 GMT' }),
    code: 'rateLimited',
    retryable: true,
    status: 429,
    retryAfterMs: 90_000,
    detail: 'Slow down',
  },
  {
    name: 'an overload',
    answer: errorResponse(503, 'Busy'),
    code: 'overloaded',
    retryable: true,
    status: 503,
    detail: 'Busy',
  },
  {
    name: 'too long a conversation, by code',
    answer: plainResponse(400, {
      error: { message: 'Too long', type: 'invalid_request_error', code: 'context_length_exceeded' },
    }),
    code: 'contextLength',
    retryable: false,
    status: 400,
    detail: 'Too long',
  },
  {
    name: 'too long a conversation, in the words of vLLM',
    answer: plainResponse(400, {
      error: {
        message: "This model's maximum context length is 4096 tokens.",
        type: 'BadRequestError',
        code: 400,
      },
    }),
    code: 'contextLength',
    retryable: false,
    status: 400,
    detail: "This model's maximum context length is 4096 tokens.",
  },
  {
    name: 'too long a conversation, in the type of llama.cpp',
    answer: plainResponse(400, {
      error: { message: 'the request exceeds it', type: 'exceed_context_size_error', code: 400 },
    }),
    code: 'contextLength',
    retryable: false,
    status: 400,
    detail: 'the request exceeds it',
  },
  {
    name: 'an overload in the stream',
    answer: inStream({ message: 'Busy', type: 'server_error' }),
    code: 'overloaded',
    retryable: true,
    detail: 'Busy',
  },
  {
    name: 'a status in the stream',
    answer: inStream({ message: 'Upstream', type: '', code: 502 }),
    code: 'overloaded',
    retryable: true,
    status: 502,
    detail: 'Upstream',
  },
  {
    name: 'a refusal in the stream',
    answer: inStream({ message: 'No', type: 'invalid_request_error' }),
    code: 'badRequest',
    retryable: false,
    detail: 'No',
  },
  {
    name: 'an error object with 200',
    answer: plainResponse(200, { error: { message: 'No credit', type: 'x', code: 402 } }),
    code: 'badRequest',
    retryable: false,
    status: 402,
    detail: 'No credit',
  },
  {
    name: 'an answer that is not streamed',
    answer: plainResponse(200, { choices: [] }),
    code: 'malformed',
    retryable: false,
    detail: 'an answer of type application/json',
  },
  {
    name: 'a page instead of a model',
    answer: plainResponse(200, '<html>Sign in</html>', { 'content-type': 'text/html' }),
    code: 'malformed',
    retryable: false,
    detail: 'an answer of type text/html',
  },
  {
    name: 'a reset in the middle',
    answer: streamResponse([sse.begin(), sse.text('Half')], { ending: 'reset' }),
    code: 'network',
    retryable: true,
    detail: 'ECONNRESET',
  },
];

describe('what a Chat Completions server can go wrong with', () => {
  let server: ScriptedModel;
  beforeEach(async () => {
    server = await startScriptedModel();
  });
  afterEach(() => server.stop());

  for (const { name, answer, ...expected } of rows)
    it(`${name} is ${expected.code}, ${expected.retryable ? 'retried' : 'not retried'}`, async () => {
      server.enqueue(answer);
      const { failure } = await read(chatModel(server.baseUrl, { now: () => now }));
      assert.deepEqual(facts(failure), {
        status: undefined,
        retryAfterMs: undefined,
        detail: '',
        ...expected,
      });
      assert.equal(server.requests.length, 1, 'one attempt, whatever the SDK would do');
    });

  it('a server that is not there is a network failure with the system code', async () => {
    const { baseUrl } = server;
    await server.stop();
    const { failure } = await read(chatModel(baseUrl));
    assert.deepEqual(facts(failure), {
      code: 'network',
      retryable: true,
      status: undefined,
      retryAfterMs: undefined,
      detail: 'ECONNREFUSED',
    });
  });

  it('a message of the server is kept to 500 characters', async () => {
    server.enqueue(errorResponse(400, 'x'.repeat(5_000)));
    const { failure } = await read(chatModel(server.baseUrl));
    assert.equal(failure?.detail.length, 500);
  });
});

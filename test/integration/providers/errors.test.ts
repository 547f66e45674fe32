import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { sse } from '../../lab/chatCompletions.ts';
import type { ScriptedModel } from '../../lab/scriptedModel.ts';
import { plainResponse, streamResponse, type ScriptedResponse } from '../../lab/scriptedResponse.ts';
import { anthropicSse } from '../../lab/wires/anthropicWire.ts';
import { geminiSse } from '../../lab/wires/geminiWire.ts';
import { responsesSse } from '../../lab/wires/responsesWire.ts';
import { anthropic, chat, forEachProvider, gemini, responses, type ProviderUnderTest } from './matrix.ts';
import { facts, read } from './support.ts';

interface Expected {
  readonly code: string;
  readonly retryable: boolean;
  readonly status?: number;
  readonly retryAfterMs?: number;
  readonly detail?: string;
}

interface Row extends Expected {
  readonly name: string;
  readonly answer: ScriptedResponse;
}

const now = Date.parse('2030-01-01T00:00:00Z');

const eventStream = { 'content-type': 'text/event-stream' };
const page = (status: number): ScriptedResponse =>
  plainResponse(status, '<html>Sign in</html>', { 'content-type': 'text/html' });

/** What every provider can go wrong with, each in its own form. */
function commonRows<Body>({ wire }: ProviderUnderTest<Body>): readonly Row[] {
  const status = (name: string, given: number, { code, retryable }: Expected): Row => ({
    name,
    answer: wire.error(given, 'What it says'),
    code,
    retryable,
    status: given,
    detail: 'What it says',
  });
  const limited = { code: 'rateLimited', retryable: true, status: 429, detail: 'Slow down' };
  return [
    status('a wrong key', 401, { code: 'unauthorized', retryable: false }),
    status('a refused account', 403, { code: 'unauthorized', retryable: false }),
    status('an unknown model', 404, { code: 'notFound', retryable: false }),
    status('a request timeout', 408, { code: 'network', retryable: true }),
    status('a conflict', 409, { code: 'badRequest', retryable: false }),
    status('a refused request', 400, { code: 'badRequest', retryable: false }),
    status('a failure of the server', 500, { code: 'overloaded', retryable: true }),
    status('an overload', 503, { code: 'overloaded', retryable: true }),
    {
      name: 'a rate limit with seconds',
      answer: wire.error(429, 'Slow down', { 'retry-after': '20' }),
      ...limited,
      retryAfterMs: 20_000,
    },
    {
      name: 'a rate limit with a date',
      answer: wire.error(429, 'Slow down', { 'retry-after': 'Tue, 01 Jan 2030 00:01:30 GMT' }),
      ...limited,
      retryAfterMs: 90_000,
    },
    {
      name: 'a body that is no JSON',
      answer: plainResponse(400, 'nope'),
      code: 'badRequest',
      retryable: false,
      status: 400,
      detail: 'nope',
    },
    ...(
      [
        [
          'an answer that is not streamed',
          plainResponse(200, { choices: [] }),
          'an answer of type application/json',
        ],
        ['a page instead of a model', page(200), 'an answer of type text/html'],
        ['an answer without content', plainResponse(204, ''), 'an answer without content'],
      ] as const
    ).map(([name, answer, detail]): Row => ({
      name,
      answer,
      code: 'otherService',
      retryable: false,
      detail,
    })),
    {
      name: 'a page that says where it is not',
      answer: page(404),
      code: 'notFound',
      retryable: false,
      status: 404,
    },
    ...['gzip', 'br', 'deflate'].map((encoding): Row => ({
      name: `an answer that is not the ${encoding} it claims to be`,
      answer: plainResponse(200, 'data: {}\n\n', { ...eventStream, 'content-encoding': encoding }),
      code: 'malformed',
      retryable: false,
      detail: 'an answer whose compression is broken',
    })),
    {
      name: 'an error that cannot be unpacked',
      answer: plainResponse(503, 'no gzip', { 'content-encoding': 'gzip' }),
      code: 'overloaded',
      retryable: true,
      status: 503,
    },
  ];
}

const tooLong = (
  message: string,
  more: Partial<Row> & { readonly body: object; readonly name: string },
): Row => {
  const { body, ...rest } = more;
  return {
    answer: plainResponse(400, body),
    code: 'contextLength',
    retryable: false,
    status: 400,
    detail: message,
    ...rest,
  };
};
const inStream = (...events: readonly string[]): ScriptedResponse => streamResponse([...events]);

const chatRows: readonly Row[] = [
  tooLong('Too long', {
    name: 'too long a conversation, by code',
    body: { error: { message: 'Too long', type: 'invalid_request_error', code: 'context_length_exceeded' } },
  }),
  tooLong("This model's maximum context length is 4096 tokens.", {
    name: 'too long a conversation, in the words of vLLM',
    body: {
      error: {
        message: "This model's maximum context length is 4096 tokens.",
        type: 'BadRequestError',
        code: 400,
      },
    },
  }),
  tooLong('the request exceeds it', {
    name: 'too long a conversation, in the type of llama.cpp',
    body: { error: { message: 'the request exceeds it', type: 'exceed_context_size_error', code: 400 } },
  }),
  {
    name: 'an overload in the stream',
    answer: inStream(sse.begin(), sse.error({ message: 'Busy', type: 'server_error' })),
    code: 'overloaded',
    retryable: true,
    detail: 'Busy',
  },
  {
    name: 'a status in the stream',
    answer: inStream(sse.begin(), sse.error({ message: 'Upstream', type: '', code: 502 })),
    code: 'overloaded',
    retryable: true,
    status: 502,
    detail: 'Upstream',
  },
  {
    name: 'a refusal in the stream',
    answer: inStream(sse.begin(), sse.error({ message: 'No', type: 'invalid_request_error' })),
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
];

const responsesRows: readonly Row[] = [
  tooLong('Too long', {
    name: 'too long a conversation',
    body: { error: { message: 'Too long', type: 'invalid_request_error', code: 'context_length_exceeded' } },
  }),
  {
    name: 'too long a conversation, found out in the stream',
    answer: inStream(responsesSse.failed({ code: 'context_length_exceeded', message: 'Too long' })),
    code: 'contextLength',
    retryable: false,
    detail: 'Too long',
  },
  {
    name: 'a failed response',
    answer: inStream(responsesSse.begin(), responsesSse.failed({ code: 'server_error', message: 'Sorry' })),
    code: 'overloaded',
    retryable: true,
    detail: 'Sorry',
  },
  {
    name: 'a refused prompt in the stream',
    answer: inStream(responsesSse.failed({ code: 'invalid_prompt', message: 'No' })),
    code: 'badRequest',
    retryable: false,
    detail: 'No',
  },
];

const anthropicRows: readonly Row[] = [
  tooLong('prompt is too long: 210000 tokens > 200000 maximum', {
    name: 'too long a conversation',
    body: {
      type: 'error',
      error: {
        type: 'invalid_request_error',
        message: 'prompt is too long: 210000 tokens > 200000 maximum',
      },
    },
  }),
  {
    name: 'too large a request',
    answer: anthropic.wire.error(413, 'Request exceeds the maximum size'),
    code: 'contextLength',
    retryable: false,
    status: 413,
    detail: 'Request exceeds the maximum size',
  },
  {
    name: 'an overload by its own status',
    answer: anthropic.wire.error(529, 'Overloaded'),
    code: 'overloaded',
    retryable: true,
    status: 529,
    detail: 'Overloaded',
  },
  ...(
    [
      ['overloaded_error', 'overloaded', true],
      ['api_error', 'overloaded', true],
      ['rate_limit_error', 'rateLimited', true],
      ['invalid_request_error', 'badRequest', false],
    ] as const
  ).map(([type, code, retryable]): Row => ({
    name: `${type} in the stream`,
    answer: inStream(anthropicSse.begin(), anthropicSse.error(type, 'What it says')),
    code,
    retryable,
    detail: 'What it says',
  })),
];

const geminiRows: readonly Row[] = [
  tooLong('The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).', {
    name: 'too long a conversation',
    body: {
      error: {
        code: 400,
        status: 'INVALID_ARGUMENT',
        message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
      },
    },
  }),
  {
    name: 'a wrong key, which is said with 400',
    answer: plainResponse(400, {
      error: {
        code: 400,
        status: 'INVALID_ARGUMENT',
        message: 'API key not valid.',
        details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }],
      },
    }),
    code: 'unauthorized',
    retryable: false,
    status: 400,
    detail: 'API key not valid.',
  },
  {
    name: 'a quota that says when to come back',
    answer: plainResponse(429, {
      error: {
        code: 429,
        status: 'RESOURCE_EXHAUSTED',
        message: 'Quota',
        details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.5s' }],
      },
    }),
    code: 'rateLimited',
    retryable: true,
    status: 429,
    retryAfterMs: 34_500,
    detail: 'Quota',
  },
  {
    name: 'an overload in the stream',
    answer: inStream(geminiSse.text('Half'), geminiSse.error(503, 'UNAVAILABLE', 'Busy')),
    code: 'overloaded',
    retryable: true,
    status: 503,
    detail: 'Busy',
  },
];

const ownRows = new Map<string, readonly Row[]>([
  [chat.name, chatRows],
  [responses.name, responsesRows],
  [anthropic.name, anthropicRows],
  [gemini.name, geminiRows],
]);

forEachProvider((provider) => {
  describe(`what a server of ${provider.name} can go wrong with`, () => {
    let server: ScriptedModel<unknown>;
    beforeEach(async () => {
      server = await provider.start();
    });
    afterEach(() => server.stop());

    for (const { name, answer, ...expected } of [
      ...commonRows(provider),
      ...(ownRows.get(provider.name) ?? []),
    ])
      it(`${name} is ${expected.code}, ${expected.retryable ? 'retried' : 'not retried'}`, async () => {
        server.enqueue(answer);
        const { failure } = await read(provider.model(server.baseUrl, { now: () => now }));
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
      const { failure } = await read(provider.model(baseUrl));
      assert.deepEqual(facts(failure), {
        code: 'network',
        retryable: true,
        status: undefined,
        retryAfterMs: undefined,
        detail: 'ECONNREFUSED',
      });
    });

    for (const [where, answer] of [
      ['in front of the head', { steps: [], ending: 'reset' }],
      [
        'in the middle',
        streamResponse(provider.wire.answer({ text: 'Half' }, { turn: 1 }).slice(0, 1), { ending: 'reset' }),
      ],
    ] as const)
      it(`a reset ${where} is a network failure, in the word of the runtime`, async () => {
        server.enqueue(answer);
        const { failure } = await read(provider.model(server.baseUrl));
        assert.deepEqual([failure?.code, failure?.retryable], ['network', true]);
        assert.match(failure?.detail ?? '', /^(ECONNRESET|UND_ERR_SOCKET)$/);
      });

    it('a message of the server is kept to 500 characters', async () => {
      server.enqueue(provider.wire.error(400, 'x'.repeat(5_000)));
      const { failure } = await read(provider.model(server.baseUrl));
      assert.equal(failure?.detail.length, 500);
    });
  });
});

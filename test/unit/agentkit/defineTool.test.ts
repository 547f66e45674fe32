import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { z } from 'zod';
import {
  codePoints,
  defineTool,
  nonBlank,
  utf8Max,
  type JsonObject,
  type Tool,
} from '../../../src/agentkit/index.ts';

function tool(input: z.ZodObject): Tool {
  return defineTool({
    input,
    descriptor: {
      name: 'probe',
      summary: 'A probe.',
      target: 'local',
      safety: 'locallyReadOnly',
      presentation: { symbol: 'beaker', activity: 'Probes', actionKind: 'probe', groupsWithAdjacent: false },
    },
    execute: async () => ({ kind: 'success', fields: {} }),
  });
}

const full = z.strictObject({
  command: nonBlank(20).describe('Exactly what runs.'),
  yield_ms: z.int().min(0).max(120_000).default(10_000),
  signal: z.enum(['TERM', 'KILL']).optional(),
  label: codePoints(4, 1).optional(),
  env: z
    .array(z.strictObject({ name: z.string().regex(/^[A-Z]+$/), value: utf8Max(4).optional() }))
    .max(2)
    .optional(),
});

describe('a tool defined by one zod object', () => {
  it('prints the schema with the known keywords only and sorted keys', () => {
    assert.equal(
      JSON.stringify(tool(full).descriptor.inputSchema),
      JSON.stringify({
        additionalProperties: false,
        properties: {
          command: { description: 'Exactly what runs.', maxLength: 20, minLength: 1, type: 'string' },
          env: {
            items: {
              additionalProperties: false,
              properties: { name: { type: 'string' }, value: { maxLength: 4, type: 'string' } },
              required: ['name'],
              type: 'object',
            },
            maxItems: 2,
            type: 'array',
          },
          label: { maxLength: 4, minLength: 1, type: 'string' },
          signal: { enum: ['TERM', 'KILL'], type: 'string' },
          yield_ms: { maximum: 120_000, minimum: 0, type: 'integer' },
        },
        required: ['command'],
        type: 'object',
      }),
    );
  });

  it('is sequential and available in planning and acting unless it says otherwise', () => {
    const { concurrency, modes } = tool(full).descriptor;
    assert.deepEqual({ concurrency, modes }, { concurrency: 'sequential', modes: ['planning', 'acting'] });
  });

  for (const [reason, raw, value] of [
    ['defaults are filled in', { command: 'df' }, { command: 'df', yield_ms: 10_000 }],
    [
      'null for an optional member counts as omitted',
      { command: 'df', signal: null, yield_ms: null },
      { command: 'df', yield_ms: 10_000 },
    ],
    [
      'also inside a list',
      { command: 'df', env: [{ name: 'A', value: null }] },
      { command: 'df', yield_ms: 10_000, env: [{ name: 'A' }] },
    ],
    [
      'a limit in characters counts code points',
      { command: 'df', label: '🙂🙂🙂🙂' },
      { command: 'df', yield_ms: 10_000, label: '🙂🙂🙂🙂' },
    ],
  ] as const)
    it(`takes: ${reason}`, () => {
      assert.deepEqual(tool(full).validate(raw as JsonObject), { ok: true, value });
    });

  for (const [problem, raw] of [
    ['command: Invalid input: expected string, received undefined', {}],
    ['command: Invalid input: expected string, received null', { command: null }],
    ['command: must not be blank', { command: ' \n' }],
    ['command: must have at most 20 bytes in UTF-8', { command: '€€€€€€€' }],
    ['label: must have at most 4 characters', { command: 'df', label: 'abcde' }],
    ['label: must have at least 1 characters', { command: 'df', label: '' }],
    [
      'env[0].value: must have at most 4 bytes in UTF-8',
      { command: 'df', env: [{ name: 'A', value: '€€' }] },
    ],
    ['signal: Invalid option: expected one of "TERM"|"KILL"', { command: 'df', signal: 'HUP' }],
    ['Unrecognized key: "sudo"', { command: 'df', sudo: true }],
  ] as const)
    it(`refuses: ${problem}`, () => {
      assert.deepEqual(tool(full).validate(raw as JsonObject), { ok: false, problem });
    });

  for (const [reason, input] of [
    ['unknown members are let through', z.looseObject({ a: z.string() })],
    ['a nullable member', z.strictObject({ a: z.string().nullable() })],
    ['several types', z.strictObject({ a: z.union([z.string(), z.number()]) })],
    ['a union of objects', z.strictObject({ a: z.union([z.strictObject({ b: z.string() }), z.string()]) })],
    ['a record', z.strictObject({ a: z.record(z.string(), z.string()) })],
  ] as const)
    it(`cannot be declared: ${reason}`, () => {
      assert.throws(() => tool(input), /^Error: probe/);
    });
});

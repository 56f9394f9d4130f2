import { describe, expect, it } from 'vitest';
import {
  cliTypeSchema,
  fromCanonical,
  nativeIdSchema,
  projectIdSchema,
  requestIdSchema,
  sessionIdSchema,
  toCanonical,
} from '../../../shared/ids.ts';

const accepts = (schema: { safeParse(value: unknown): { success: boolean } }, value: unknown) =>
  schema.safeParse(value).success;

const HOSTILE = [
  '',
  ' ',
  '../x',
  'a/b',
  'a\\b',
  'a\0',
  'a\nb',
  'a%2fb',
  '.',
  '..',
  '.hidden',
  '-x',
  'ä',
  null,
  7,
  ['a'],
];

describe('the type of an agent', () => {
  it.each(['claude-code', 'codex', 'a', 'a1-2', 'a'.repeat(32)])('may be %s', (value) => {
    expect(accepts(cliTypeSchema, value)).toBe(true);
  });

  it.each([...HOSTILE, 'Codex', '1a', 'a_b', 'a:b', 'a.b', 'a'.repeat(33)])('may not be %j', (value) => {
    expect(accepts(cliTypeSchema, value)).toBe(false);
  });
});

describe('the id of an agent for its session', () => {
  it.each(['0b0b9d3c-6f5c-4a63-9d76-0f5f6f1e2a11', 'ses_1.2-3', 'A', '1'.repeat(128)])('may be %s', (value) => {
    expect(accepts(nativeIdSchema, value)).toBe(true);
  });

  it.each([...HOSTILE, 'a:b', 'a b', '1'.repeat(129)])('may not be %j', (value) => {
    expect(accepts(nativeIdSchema, value)).toBe(false);
  });
});

describe('the id of a session', () => {
  it('is built from the type and the agent’s own id, and can be split again', () => {
    const sessionId = toCanonical('claude-code', 'a.b-c_d');
    expect(accepts(sessionIdSchema, sessionId)).toBe(true);
    expect(fromCanonical(sessionId)).toEqual({ cliType: 'claude-code', nativeId: 'a.b-c_d' });
  });

  it.each([
    ...HOSTILE,
    'codex',
    'codex:',
    ':a',
    'codex:a:b',
    'codex:../a',
    'codex:.a',
    'Codex:a',
    'codex:a\n',
    `codex:${'a'.repeat(129)}`,
  ])('may not be %j', (value) => {
    expect(accepts(sessionIdSchema, value)).toBe(false);
  });
});

describe('other ids', () => {
  it.each([...HOSTILE, 'project', '0b0b9d3c6f5c4a639d760f5f6f1e2a11'])('of projects may not be %j', (value) => {
    expect(accepts(projectIdSchema, value)).toBe(false);
  });

  it.each(['', null, 7, 'r'.repeat(129)])('of requests may not be %j', (value) => {
    expect(accepts(requestIdSchema, value)).toBe(false);
  });
});

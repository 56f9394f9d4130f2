import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { AppError, type ErrorCode, errorBodySchema, errorCatalogue, toErrorBody } from '../../../shared/errors.ts';
import { describeProblems, invalidInput } from '../../../shared/parse.ts';

const codes = Object.keys(errorCatalogue) as ErrorCode[];

describe('the catalogue of errors', () => {
  it.each(codes)('has a status and a complete sentence for %s', (code) => {
    const { status, message } = errorCatalogue[code];
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(600);
    expect(message).toMatch(/^[A-Z].*\.$/);
  });
});

describe('an error that may be shown', () => {
  it('has the default message of its code unless it is given another', () => {
    expect(new AppError('NOT_FOUND').message).toBe(errorCatalogue.NOT_FOUND.message);
    expect(new AppError('NOT_FOUND', 'Not here.')).toMatchObject({ message: 'Not here.', status: 404 });
  });

  it('keeps its cause, if there is one', () => {
    const cause = new Error('below');
    expect(new AppError('NOT_FOUND', undefined, { cause }).cause).toBe(cause);
    expect(new AppError('NOT_FOUND')).not.toHaveProperty('cause');
  });

  it('becomes a body with its code, message and details', () => {
    const body = toErrorBody(new AppError('NOT_FOUND', 'Not here.', { details: [1] }));
    expect(body).toEqual({ code: 'NOT_FOUND', message: 'Not here.', details: [1] });
    expect(errorBodySchema.safeParse(body).success).toBe(true);
  });

  it.each([new Error('a secret'), 'a secret', undefined, { code: 'NOT_FOUND', message: 'a secret' }])(
    'is the only kind that is shown: %j',
    (error) => {
      expect(JSON.stringify(toErrorBody(error))).not.toContain('secret');
      expect(toErrorBody(error).code).toBe('INTERNAL_ERROR');
    },
  );
});

describe('problems of an input', () => {
  const { error } = z.object({ a: z.string(), b: z.object({ c: z.array(z.number()) }) }).safeParse({ b: { c: ['x'] } });

  it('are described by field', () => {
    expect(error && describeProblems(error)).toMatch(/^a: .*; b\.c\[0\]: /);
    const whole = z.string().safeParse(7).error;
    expect(whole && describeProblems(whole)).toMatch(/^value: /);
  });

  it('become an error with all problems in its details', () => {
    expect(error && invalidInput(error)).toMatchObject({
      code: 'INVALID_MESSAGE',
      details: [{ path: ['a'] }, { path: ['b', 'c', '0'] }],
    });
  });
});

import { expect } from 'vitest';
import type { z } from 'zod';

/** A valid value, and which of its fields are optional or of any type. */
export interface Sample {
  readonly valid: Record<string, unknown>;
  readonly optional?: readonly string[];
  readonly anything?: readonly string[];
}

export interface Spoilt {
  readonly how: string;
  readonly field: string;
  readonly value: Record<string, unknown>;
}

/** Variants of the value: without each required field, and with a wrong type in each field. */
export function spoil({ valid, optional = [], anything = [] }: Sample): Spoilt[] {
  return Object.entries(valid).flatMap(([field, value]) => {
    const { [field]: _, ...without } = valid;
    const wrong = { ...valid, [field]: typeof value === 'number' ? 'wrong' : 3.7 };
    return [
      ...(optional.includes(field) ? [] : [{ how: `without ${field}`, field, value: without }]),
      ...(anything.includes(field) ? [] : [{ how: `with a wrong ${field}`, field, value: wrong }]),
    ];
  });
}

/**
 * Expects the schema to accept the sample, also without optional fields, and to reject each invalid variant by field.
 */
export function expectToBeStrict(schema: z.ZodType, sample: Sample): void {
  const { valid, optional = [] } = sample;
  expect(schema.safeParse(valid).error).toBeUndefined();
  const least = Object.fromEntries(Object.entries(valid).filter(([field]) => !optional.includes(field)));
  expect(schema.safeParse(least).error).toBeUndefined();
  for (const { how, field, value } of spoil(sample)) {
    const { error } = schema.safeParse(value);
    expect(error?.issues.map((issue) => issue.path[0]) ?? 'accepted', how).toContain(field);
  }
  for (const value of [undefined, null, 'text', 7, [], [valid]]) expect(schema.safeParse(value).success).toBe(false);
}

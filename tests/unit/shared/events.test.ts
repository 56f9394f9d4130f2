import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventMessageSchema, sessionEventSchema, unreadEventSchema } from '../../../shared/events.ts';
import { shellToPortletSchema } from '../../../shared/portlet-messages.ts';
import { events as samples } from './samples.ts';

const root = join(import.meta.dirname, '../../..');

const sources = ['shared', 'server', 'client'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => ({ file: join(folder, name), text: readFileSync(join(root, folder, name), 'utf8') })),
);

const typesOf = (options: readonly { shape: { type: { value: string } } }[]) =>
  options.map((option) => option.shape.type.value);

describe('engine/events every event', () => {
  it.each(typesOf(eventMessageSchema.options))('engine/events %s is declared in one place', (type) => {
    const declarations = sources.flatMap(({ file, text }) =>
      [...text.matchAll(/z\.literal\('([^']+)'\)/g)].filter(([, literal]) => literal === type).map(() => file),
    );
    expect(declarations).toEqual(['shared/events.ts']);
  });

  it('engine/events is read by the shell too, with the same fields', () => {
    expect(typesOf(unreadEventSchema.options)).toEqual(typesOf(eventMessageSchema.options));
    for (const [index, option] of unreadEventSchema.options.entries()) {
      expect(Object.keys(option.shape)).toEqual(Object.keys(eventMessageSchema.options[index]?.shape ?? {}));
    }
  });

  it('engine/events of a session is numbered and reaches the session page as it is', () => {
    const accepted = typesOf(shellToPortletSchema.options);
    for (const { shape } of sessionEventSchema.options) {
      expect(Object.keys(shape)).toEqual(expect.arrayContaining(['sessionId', 'seq']));
      expect(accepted).toContain(shape.type.value);
    }
    for (const { valid } of samples.filter(({ valid: { type } }) => accepted.includes(String(type)))) {
      expect(shellToPortletSchema.parse(valid)).toEqual(valid);
    }
  });

  it('engine/events is not parsed deeply where it is only passed on', () => {
    const history = { type: 'session:history', sessionId: 'codex:a', asOf: 1, entries: [{ any: 'thing' }], turns: [] };
    expect(unreadEventSchema.parse(history)).toEqual(history);
    expect(eventMessageSchema.safeParse(history).success).toBe(false);
  });
});

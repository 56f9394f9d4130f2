import { describe, expect, it } from 'vitest';
import * as entities from '../../../shared/entities.ts';
import * as errors from '../../../shared/errors.ts';
import * as events from '../../../shared/events.ts';
import * as messages from '../../../shared/messages.ts';
import * as portlet from '../../../shared/portlet-messages.ts';
import * as contracts from '../../../shared/stream-contracts.ts';
import * as streamEvents from '../../../shared/stream-events.ts';
import * as samples from './samples.ts';
import { expectToBeStrict, type Sample } from './spoil.ts';

const errorBody: Sample = {
  valid: samples.errorBody,
  optional: ['details', 'requestId', 'sessionId'],
  anything: ['details'],
};

describe('objects', () => {
  it.each([
    ['project', entities.projectSchema, { valid: samples.project }],
    ['session meta', entities.sessionMetaSchema, { valid: samples.sessionMeta, optional: ['used', 'seqCeiling'] }],
    ['session list item', entities.sessionListItemSchema, { valid: samples.listItem }],
    [
      'provider info',
      entities.providerInfoSchema,
      { valid: { cliType: 'codex', label: 'Codex', available: false, reason: 'r' }, optional: ['reason'] },
    ],
    ['error body', errors.errorBodySchema, errorBody],
    ['auth', messages.authMessageSchema, { valid: { type: 'auth', token: 'x' } }],
    [
      'client frame',
      messages.clientFrameSchema,
      { valid: { type: 'session:send', requestId: 'r' }, optional: ['requestId'] },
    ],
    [
      'subscription',
      messages.subscriptionSchema,
      { valid: { sessionId: 'codex:a', from: 3, appends: true }, optional: ['from', 'appends'] },
    ],
    ['end of a subscription', messages.unsubscriptionSchema, { valid: { sessionId: 'codex:a' } }],
    ['diff', contracts.diffSchema, { valid: { path: 'a', oldText: null, newText: '' } }],
    ['turn summary', contracts.turnSummarySchema, samples.turnSummary],
    ['usage', streamEvents.usageSchema, samples.usageSample],
    ['stream error', streamEvents.streamErrorSchema, { valid: { code: 'X', message: '' } }],
    ['message upsert', contracts.messageUpsertSchema, samples.message],
    ['thinking upsert', contracts.thinkingUpsertSchema, samples.thinking],
    ['tool call upsert', contracts.toolCallUpsertSchema, samples.toolCall],
  ])('%s requires its fields with the right types', (_, schema, sample) => {
    expectToBeStrict(schema, sample);
  });
});

describe('messages', () => {
  const kinds = (list: readonly Sample[]) => list.map((sample) => [sample.valid.type, sample] as const);

  it.each(kinds(samples.events))('from the server: %s', (_, sample) => {
    expectToBeStrict(events.eventMessageSchema, sample);
  });

  it.each(kinds(samples.toPortlet))('to the session page: %s', (_, sample) => {
    expectToBeStrict(portlet.shellToPortletSchema, sample);
  });

  it.each(kinds(samples.fromPortlet))('from the session page: %s', (_, sample) => {
    expectToBeStrict(portlet.portletToShellSchema, sample);
  });

  it.each(kinds(samples.upserts))('upserts: %s', (_, sample) => {
    expectToBeStrict(contracts.upsertObjectSchema, sample);
  });

  it.each(kinds(samples.turnEvents))('turn events: %s', (_, sample) => {
    expectToBeStrict(contracts.turnEventSchema, sample);
  });

  it('are all covered here', () => {
    const covered = (list: readonly Sample[]) => list.map((sample) => sample.valid.type).sort();
    const declared = (options: readonly { shape: { type: { value: string } } }[]) =>
      options.map((option) => option.shape.type.value).sort();
    expect(covered(samples.events)).toEqual(declared(events.eventMessageSchema.options));
    expect(covered(samples.toPortlet)).toEqual(declared(portlet.shellToPortletSchema.options));
    expect(covered(samples.fromPortlet)).toEqual(declared(portlet.portletToShellSchema.options));
    expect(covered(samples.upserts)).toEqual(declared(contracts.upsertObjectSchema.options));
    expect(covered(samples.turnEvents)).toEqual(declared(contracts.turnEventSchema.options));
  });
});

describe('words', () => {
  it.each([
    ['session state', entities.sessionStateSchema],
    ['agent status', entities.agentStatusSchema],
    ['connection state', portlet.connectionStateSchema],
    ['theme', portlet.themeSchema],
    ['tool kind', contracts.toolKindSchema],
    ['origin', streamEvents.originSchema],
    ['error code', errors.errorCodeSchema],
  ])('of a %s are a closed list', (_, schema) => {
    for (const word of schema.options) expect(schema.safeParse(word).success).toBe(true);
    for (const value of ['', 'other than these', null, 7]) expect(schema.safeParse(value).success).toBe(false);
  });
});

describe('limits', () => {
  it.each([
    ['a token', messages.authMessageSchema, { type: 'auth', token: 'x'.repeat(513) }],
    [
      'a message',
      portlet.portletToShellSchema,
      { type: 'session:send', turnId: crypto.randomUUID(), content: 'x'.repeat(512 * 1024 + 1) },
    ],
    ['an unknown key', portlet.portletToShellSchema, { type: 'shell:key', key: 'tab-0' }],
    ['an extra field', messages.authMessageSchema, { type: 'auth', token: 'x', extra: 1 }],
    ['an unknown command', messages.clientFrameSchema, { type: 'session:hello' }],
    ['a number before the first', messages.subscriptionSchema, { sessionId: 'codex:a', from: -1 }],
    ['half a number', messages.subscriptionSchema, { sessionId: 'codex:a', from: 1.5 }],
    ['an entry without a name', portlet.portletToShellSchema, { type: 'session:older', before: '' }],
    ['background work without a name', portlet.portletToShellSchema, { type: 'session:stop-background', itemId: '' }],
    [
      'background work with an endless name',
      portlet.portletToShellSchema,
      { type: 'session:stop-background', itemId: 'x'.repeat(1025) },
    ],
    ['half a task', portlet.shellToPortletSchema, { ...samples.toPortlet[0]?.valid, background: 0.5 }],
    ['fewer than no tasks', portlet.shellToPortletSchema, { ...samples.toPortlet[0]?.valid, background: -1 }],
    ['half a token', streamEvents.usageSchema, { inputTokens: 0.5, outputTokens: 1 }],
    ['fewer than no tokens', streamEvents.usageSchema, { inputTokens: -1, outputTokens: 1 }],
    ['a local time', entities.projectSchema, { ...samples.project, addedAt: '2026-01-01T00:00:00' }],
    ['an empty path', entities.projectSchema, { ...samples.project, path: '' }],
  ])('%s is rejected', (_, schema, value) => {
    expect(schema.safeParse(value).success).toBe(false);
  });
});

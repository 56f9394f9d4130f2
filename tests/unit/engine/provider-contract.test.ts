import { describe, expect, expectTypeOf, it } from 'vitest';
import { ProviderError } from '../../../server/engine/provider-errors.ts';
import { createProviderRegistry } from '../../../server/engine/provider-registry.ts';
import type { CliProvider } from '../../../server/engine/provider-types.ts';
import { createEnvelopeRig } from '../../support/agents/envelope-rig.ts';

describe('the provider interface', () => {
  it('stream/TC-2.1a has all methods of the life of a session', () => {
    expectTypeOf<CliProvider>().toHaveProperty('createSession').returns.resolves.toHaveProperty('sessionId');
    expectTypeOf<CliProvider>().toHaveProperty('loadSession').returns.resolves.toHaveProperty('history');
    expectTypeOf<CliProvider>().toHaveProperty('sendMessage').returns.resolves.toHaveProperty('turnId');
    expectTypeOf<CliProvider>().toHaveProperty('cancelTurn').returns.resolves.toBeVoid();
    expectTypeOf<CliProvider>().toHaveProperty('killSession').returns.resolves.toBeVoid();
    expectTypeOf<CliProvider>().toHaveProperty('isAlive').returns.toBeBoolean();
    expectTypeOf<CliProvider>().toHaveProperty('onUpsert').returns.toBeFunction();
    expectTypeOf<CliProvider>().toHaveProperty('onTurn').returns.toBeFunction();
  });

  it('stream/TC-2.1a is what a provider has when it runs', () => {
    const { provider } = createEnvelopeRig();
    const methods = [
      'createSession',
      'sendMessage',
      'loadSession',
      'cancelTurn',
      'killSession',
      'isAlive',
      'onUpsert',
      'onTurn',
    ];
    for (const method of methods) expect(provider).toHaveProperty(method, expect.any(Function));
  });
});

describe('the registry', () => {
  const provider = (cliType: string) => createEnvelopeRig({ cliType }).provider;

  it('stream/TC-2.2a resolves a provider by the type of its agent', () => {
    const registry = createProviderRegistry();
    const [claude, codex] = [provider('claude-code'), provider('codex')];
    registry.register(claude);
    registry.register(codex);

    expect(registry.resolve('claude-code')).toBe(claude);
    expect(registry.resolve('codex')).toBe(codex);
    expect(registry.list()).toEqual([claude, codex]);
  });

  it('stream/TC-2.2b says that an unknown type is not supported, and which ones are', () => {
    const registry = createProviderRegistry();
    registry.register(provider('codex'));

    expect(() => registry.resolve('gemini')).toThrow(ProviderError);
    expect(() => registry.resolve('gemini')).toThrow(
      expect.objectContaining({ code: 'UNSUPPORTED_CLI_TYPE', message: expect.stringMatching(/gemini.*codex/) }),
    );
  });

  it('takes a type once', () => {
    const registry = createProviderRegistry();
    registry.register(provider('codex'));
    expect(() => registry.register(provider('codex'))).toThrow(/codex/);
  });
});

import { describe, expect, it } from 'vitest';
import type { CliProvider } from '../../../server/engine/provider-types.ts';
import type { SessionId } from '../../../shared/ids.ts';
import { type ContractOptions, type ContractSubject, watchProvider } from './contract-rig.ts';

/** Every sentence of the contract in server/engine/provider-types.ts, for one agent. */
export function describeContract(subject: ContractSubject): void {
  const { messages } = subject;

  async function start(options?: ContractOptions) {
    const agent = await subject.create(options);
    const { provider, projectDir } = agent;
    const watch = watchProvider(provider);
    const { sessionId } = await provider.createSession({ projectDir });
    watch.session(sessionId);
    const send = async (content: string) => (await provider.sendMessage(sessionId, content)).turnId;
    const ask = async (content: string) => {
      const turnId = await send(content);
      await watch.until(() => watch.ends(turnId).length > 0);
      return turnId;
    };
    /** Sends a message that is answered until it is cancelled, and waits for the first text. */
    const hold = async () => {
      const turnId = await send(messages.hold);
      await watch.until(() => watch.items(turnId).length > 1);
      return turnId;
    };
    return { ...agent, watch, sessionId, send, ask, hold };
  }

  const load = (provider: CliProvider, sessionId: SessionId, projectDir: string) =>
    provider.loadSession(sessionId, { projectDir });

  describe(`engine/contract ${subject.name}`, () => {
    it('a session whose conversation is gone is not found, and none begins in its place', async () => {
      const { provider, projectDir } = await subject.create();
      const sessionId = `${provider.cliType}:00000000-0000-4000-8000-000000000000`;
      await expect(load(provider, sessionId, projectDir)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
      await expect(provider.sendMessage(sessionId, messages.answer)).rejects.toMatchObject({
        code: 'SESSION_NOT_FOUND',
      });
      expect(provider.isAlive(sessionId)).toBe(false);
    });

    it('a message shows first as the user’s own, and its turn ends exactly once', async () => {
      const { ask, watch, sessionId } = await start();
      const turnId = await ask(messages.answer);
      expect(watch.items(turnId)[0]).toMatchObject({
        itemId: `${turnId}:user`,
        sessionId,
        origin: 'user',
        status: 'complete',
        content: messages.answer,
      });
      expect(JSON.stringify(watch.items(turnId))).toContain(subject.answerText);
      expect(watch.ends(turnId)).toMatchObject([{ type: 'turn_complete', status: 'completed' }]);
    });

    it('messages sent at once each have a turn that ends exactly once', async () => {
      const { send, watch } = await start();
      const turnIds = await Promise.all([send(messages.answer), send(messages.answer), send(messages.answer)]);
      await watch.until(() => turnIds.every((turnId) => watch.ends(turnId).length > 0));
      expect(new Set(turnIds).size).toBe(3);
      for (const turnId of turnIds) expect(watch.ends(turnId)).toHaveLength(1);
    });

    it('a turn id that the caller gives is the one that is used', async () => {
      const { provider, sessionId, watch } = await start();
      const turnId = '11111111-1111-4111-8111-111111111111';
      expect(await provider.sendMessage(sessionId, messages.answer, { turnId })).toEqual({ turnId });
      await watch.until(() => watch.ends(turnId).length > 0);
    });

    it('keep/receipts a message is taken by the agent, then in the request, and its receipt never goes back', async () => {
      const { provider, sessionId, ask } = await start();
      const receipts: { turnId: string; receipt: string }[] = [];
      provider.onReceipt(sessionId, ({ turnId, receipt }) => receipts.push({ turnId, receipt }));
      const first = await ask(messages.answer);
      const second = await ask(messages.answer);
      expect(receipts).toEqual(
        [first, second].flatMap((turnId) => [
          { turnId, receipt: 'taken' },
          { turnId, receipt: 'requested' },
        ]),
      );
    });

    it('cancel ends every open turn as cancelled, within the grace, and is no error when none is open', async () => {
      const { provider, sessionId, hold, ask, watch } = await start();
      await provider.cancelTurn(sessionId);
      const turnId = await hold();
      await provider.cancelTurn(sessionId);
      expect(watch.ends(turnId)).toMatchObject([{ type: 'turn_complete', status: 'cancelled' }]);
      const next = await ask(messages.answer);
      expect(watch.ends(next)).toMatchObject([{ type: 'turn_complete', status: 'completed' }]);
    });

    it('kill ends open turns as cancelled and the session can be loaded again', async () => {
      const { provider, projectDir, sessionId, ask, hold, watch, running } = await start();
      await ask(messages.answer);
      const turnId = await hold();
      await provider.killSession(sessionId);
      expect(watch.ends(turnId)).toMatchObject([{ type: 'turn_complete', status: 'cancelled' }]);
      expect(provider.isAlive(sessionId)).toBe(false);
      if (!subject.sharedProcess) expect(running()).toBe(0);
      await provider.killSession(sessionId);
      const { history } = await load(provider, sessionId, projectDir);
      expect(history.length).toBeGreaterThan(1);
      await ask(messages.answer);
    });

    it('keep/rename a title is told without a process being started for it', async () => {
      const { provider, projectDir, sessionId, ask, running } = await start();
      await ask(messages.answer);
      const stored = { projectDir, neverUsed: false };
      expect(['told', 'never']).toContain(await provider.setTitle(sessionId, 'A title', stored));
      await provider.killSession(sessionId);
      const before = running();
      expect(['told', 'never', 'later']).toContain(await provider.setTitle(sessionId, 'Another', stored));
      expect(running()).toBe(before);
      const { history } = await load(provider, sessionId, projectDir);
      expect(JSON.stringify(history)).toContain(subject.answerText);
    });

    it('keep/delete a deleted conversation cannot be loaded again, unless the agent says that it keeps it', async () => {
      const { provider, projectDir, sessionId, ask } = await start();
      const other = await provider.createSession({ projectDir });
      await ask(messages.answer);
      await provider.killSession(sessionId);
      const stored = { projectDir, neverUsed: false };
      const left = await provider.deleteConversation(sessionId, stored);
      if (left === undefined) {
        await expect(load(provider, sessionId, projectDir)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
      } else expect(left).toMatch(/keeps .*\.$/);
      expect(await provider.deleteConversation(sessionId, stored)).toBe(left);
      await provider.sendMessage(other.sessionId, messages.answer);
    });

    it('engine/overtake a load that comes during a kill waits for it and opens the session again', async () => {
      const { provider, projectDir, sessionId, ask, hold } = await start();
      await ask(messages.answer);
      await hold();
      const killed = provider.killSession(sessionId);
      const loaded = load(provider, sessionId, projectDir);
      await killed;
      expect((await loaded).sessionId).toBe(sessionId);
      await ask(messages.answer);
    });

    it('the same conversation has the same ids at every load', async () => {
      const { provider, projectDir, sessionId, ask } = await start();
      await ask(messages.answer);
      await ask(messages.answer);
      await provider.killSession(sessionId);
      const first = await load(provider, sessionId, projectDir);
      await provider.killSession(sessionId);
      const second = await load(provider, sessionId, projectDir);
      expect(second.history.map(({ itemId }) => itemId)).toEqual(first.history.map(({ itemId }) => itemId));
      expect(first.history.every(({ status }) => status === 'complete' || status === 'error')).toBe(true);
    });

    it('engine/one-end a crash ends the open turn with PROCESS_CRASH before its status is reported', async () => {
      const { crash, sessionId, hold, watch, ask } = await start();
      // An agent that is killed in its very first turn may not have stored the session yet.
      await ask(messages.answer);
      const turnId = await hold();
      crash(sessionId);
      await watch.until(() =>
        watch.events.some((seen) => seen.kind === 'status' && seen.status.status === 'disconnected'),
      );
      expect(watch.ends(turnId)).toMatchObject([{ type: 'turn_error', errorCode: 'PROCESS_CRASH' }]);
      const order = watch.events.map((seen) =>
        seen.kind === 'turn' && seen.event.type === 'turn_error'
          ? 'turn'
          : seen.kind === 'status' && seen.status.status === 'disconnected'
            ? 'status'
            : '',
      );
      expect(order.indexOf('turn')).toBeLessThan(order.indexOf('status'));
      expect(watch.ends(await ask(messages.answer))).toMatchObject([{ type: 'turn_complete' }]);
    });

    it('engine/retry a crashed process is started again by itself', async () => {
      const { crash, sessionId, ask, watch } = await start();
      await ask(messages.answer);
      const seen = watch.events.length;
      crash(sessionId);
      const later = () =>
        watch.events.slice(seen).flatMap((event) => (event.kind === 'status' ? [event.status.status] : []));
      await watch.until(() => later().includes('connected'));
      expect(later()).toEqual(['disconnected', 'reconnecting', 'connected']);
    });

    it('a listener that throws breaks neither the stream nor another listener', async () => {
      const { provider, sessionId, ask, watch } = await start();
      provider.onUpsert(sessionId, () => {
        throw new Error('broken listener');
      });
      provider.onTurn(sessionId, () => {
        throw new Error('broken listener');
      });
      provider.onStatus(() => {
        throw new Error('broken listener');
      });
      expect(watch.ends(await ask(messages.answer))).toHaveLength(1);
    });

    it('a listener that was removed hears nothing more', async () => {
      const { provider, sessionId, ask } = await start();
      let heard = 0;
      const stop = provider.onUpsert(sessionId, () => {
        heard += 1;
      });
      stop();
      await ask(messages.answer);
      expect(heard).toBe(0);
    });

    it('a session that cannot start is refused and leaves no process behind', async () => {
      const { provider, projectDir, running } = await subject.createBroken();
      await expect(provider.createSession({ projectDir })).rejects.toMatchObject({ name: 'ProviderError' });
      await provider.close();
      expect(running()).toBe(0);
    });

    it('warming up a session that is not loaded does nothing', async () => {
      const { provider, running } = await subject.create();
      provider.warmUp('nobody:nothing');
      expect(running()).toBe(0);
    });

    it('a directory that does not exist is refused', async () => {
      const { provider, projectDir } = await subject.create();
      await expect(provider.createSession({ projectDir: `${projectDir}/missing` })).rejects.toMatchObject({
        code: 'PROJECT_PATH_INVALID',
      });
    });

    it('engine/sleep an idle session goes to sleep and the next message wakes it', async () => {
      const { provider, sessionId, ask, watch, running } = await start({ sleepAfterMs: 150 });
      await ask(messages.answer);
      const statuses = () => watch.events.flatMap((seen) => (seen.kind === 'status' ? [seen.status.status] : []));
      await watch.until(() => statuses().at(-1) === 'idle');
      await expect.poll(running).toBe(0);
      expect(provider.isAlive(sessionId)).toBe(false);
      expect(watch.ends(await ask(messages.answer))).toMatchObject([{ type: 'turn_complete' }]);
    });

    it('follow/two-writers rest ends the link of an idle session, and the next message goes to a new one', async () => {
      const { provider, sessionId, ask, watch } = await start();
      await ask(messages.answer);
      await provider.rest(sessionId, 'test');
      expect(provider.isAlive(sessionId)).toBe(false);
      // Of a session that sleeps, and of one that is not loaded, it does nothing.
      const seen = watch.events.length;
      await provider.rest(sessionId, 'test');
      await provider.rest(`${provider.cliType}:nobody`, 'test');
      expect(watch.events.slice(seen)).toEqual([]);
      expect(watch.ends(await ask(messages.answer))).toMatchObject([{ type: 'turn_complete', status: 'completed' }]);
      expect(provider.isAlive(sessionId)).toBe(true);
    });

    it('follow/two-writers rest during a turn waits for its end', async () => {
      const { provider, sessionId, ask, hold, watch } = await start();
      await ask(messages.answer);
      const turnId = await hold();
      await provider.rest(sessionId, 'test');
      expect([provider.isAlive(sessionId), watch.ends(turnId)]).toEqual([true, []]);
      await provider.cancelTurn(sessionId);
      expect(watch.ends(turnId)).toMatchObject([{ type: 'turn_complete', status: 'cancelled' }]);
      await expect.poll(() => provider.isAlive(sessionId)).toBe(false);
      expect(watch.ends(await ask(messages.answer))).toMatchObject([{ type: 'turn_complete', status: 'completed' }]);
    });

    it('follow/two-writers a message that is sent during a rest, or at once after it, is answered', async () => {
      const { provider, sessionId, ask, send, watch } = await start();
      await ask(messages.answer);
      const resting = provider.rest(sessionId, 'test');
      const turnIds = [await send(messages.answer)];
      await resting;
      await watch.until(() => turnIds.every((turnId) => watch.ends(turnId).length > 0));
      void provider.rest(sessionId, 'test');
      provider.warmUp(sessionId);
      void provider.rest(sessionId, 'test');
      turnIds.push(await send(messages.answer));
      await watch.until(() => turnIds.every((turnId) => watch.ends(turnId).length > 0));
      for (const turnId of turnIds) expect(watch.ends(turnId)).toMatchObject([{ status: 'completed' }]);
    });

    if (subject.historyWithoutProcess) {
      it('safe/no-process a load reads the history and starts nothing; warming up starts one process', async () => {
        const { provider, projectDir, sessionId, ask, watch, running } = await start({ sleepAfterMs: 150 });
        await ask(messages.answer);
        await expect.poll(running).toBe(0);
        await provider.killSession(sessionId);
        const seen = watch.events.length;
        const later = () =>
          watch.events.slice(seen).flatMap((event) => (event.kind === 'status' ? [event.status.status] : []));
        await provider.prepare();
        const { history } = await load(provider, sessionId, projectDir);
        expect(history.length).toBeGreaterThan(1);
        expect([running(), later()]).toEqual([0, []]);
        provider.warmUp(sessionId);
        provider.warmUp(sessionId);
        await watch.until(() => later().includes('connected'));
        expect(later().slice(0, 2)).toEqual(['starting', 'connected']);
        expect(watch.ends(await ask(messages.answer))).toMatchObject([{ type: 'turn_complete' }]);
      });
    }

    it('close ends all turns and all processes', async () => {
      const { provider, hold, watch, running } = await start();
      const turnId = await hold();
      await provider.close();
      expect(watch.ends(turnId)).toHaveLength(1);
      expect(running()).toBe(0);
    });

    const { createHung } = subject;
    if (createHung === undefined) return;

    it('engine/start-cancel cancel overtakes a start that hangs: the send is answered and nothing is left', async () => {
      const { provider, projectDir, sessionId, running } = await createHung({ startTimeoutMs: 60_000 });
      if (subject.historyWithoutProcess) await load(provider, sessionId, projectDir);
      const sent = (async () => {
        if (!subject.historyWithoutProcess) await load(provider, sessionId, projectDir);
        await provider.sendMessage(sessionId, messages.answer);
      })();
      const refused = expect(sent).rejects.toMatchObject({ code: 'CANCELLED' });
      await expect.poll(running).toBe(1);
      await provider.cancelTurn(sessionId);
      await refused;
      await expect.poll(running).toBe(0);
    });

    it('engine/overtake kill overtakes a start that hangs', async () => {
      const { provider, projectDir, sessionId, running } = await createHung({ startTimeoutMs: 60_000 });
      if (subject.historyWithoutProcess) await load(provider, sessionId, projectDir);
      const sent = (async () => {
        if (!subject.historyWithoutProcess) await load(provider, sessionId, projectDir);
        await provider.sendMessage(sessionId, messages.answer);
      })();
      const refused = expect(sent).rejects.toMatchObject({ name: 'ProviderError' });
      await expect.poll(running).toBe(1);
      await provider.killSession(sessionId);
      await refused;
      await expect.poll(running).toBe(0);
    });

    it('engine/start-deadline a start that takes too long ends with a sentence and leaves no process', async () => {
      const { provider, projectDir, sessionId, running } = await createHung({ startTimeoutMs: 500 });
      const sent = (async () => {
        await load(provider, sessionId, projectDir);
        await provider.sendMessage(sessionId, messages.answer);
      })();
      await expect(sent).rejects.toMatchObject({
        code: 'AGENT_UNAVAILABLE',
        message: expect.stringMatching(/0\.5 s/),
      });
      await expect.poll(running).toBe(0);
    });
  });
}

import type { Branch } from '../../../shared/entities.ts';
import { fromCanonical, toCanonical } from '../../../shared/ids.ts';
import type { UpsertObject } from '../../../shared/stream-contracts.ts';
import { turnEnd } from '../../support/product/product-scene.ts';
import type { SocketClient } from '../../support/server/socket-client.ts';
import { type ClaudeTerminal, openClaude, runClaude } from '../../support/terminals/claude-terminal.ts';
import type { FollowScene } from './follow-scene.ts';
import { sayHere } from './say-here.ts';

/** Several programs that write into one conversation. */
export interface Writers {
  /** Does one step, such as `T1 says`. */
  take(step: string): Promise<void>;
  /** Every prompt, in any order. */
  typed(): string[];
  /** Every prompt that is shown, or in a branch that can be forked. */
  found(): Promise<string[]>;
  /** Says something in every fork that was made. */
  sayInForks(): Promise<void>;
  close(): Promise<void>;
}

export function createWriters(scene: FollowScene, name: string): Writers {
  const terminals = new Map<string, ClaudeTerminal>();
  const typed: string[] = [];
  const forks = new Map<string, { readonly sessionId: string; readonly entries: readonly UpsertObject[] }>();
  let nativeId = '';
  let slow: { readonly prompt: string; readonly window: SocketClient; readonly turnId: string } | undefined;

  const sessionId = () => toCanonical('claude-code', nativeId);
  const newPrompt = (who: string, kind = 'say') => {
    const prompt = `${kind} ${name}-${typed.length + 1} by ${who}`;
    typed.push(prompt);
    return prompt;
  };
  const terminal = (who: string) => {
    const found = terminals.get(who);
    if (found === undefined) throw new Error(`${who} is not open.`);
    return found;
  };

  async function snapshot(): Promise<{
    entries: readonly UpsertObject[];
    branches: readonly Branch[];
    window: SocketClient;
  }> {
    const window = await scene.server.window();
    const history = await window.ask('session:subscribe', { sessionId: sessionId() });
    return { entries: history.entries ?? [], branches: history.branches ?? [], window };
  }

  async function weSay(): Promise<void> {
    if (nativeId === '')
      nativeId = fromCanonical(await scene.server.createSession('claude-code', scene.projectDir)).nativeId;
    // `-p` may come and go unseen: then it is only known that somebody wrote.
    await scene.listed(sessionId(), ({ heldBy }) => heldBy?.certain !== true);
    await sayHere(scene, sessionId(), newPrompt('us'));
  }

  async function end(who: string, how: 'quit' | 'kill'): Promise<void> {
    await terminal(who)[how]();
    terminals.delete(who);
  }

  const steps: Readonly<Record<string, (who: string) => Promise<unknown>>> = {
    async begins(who) {
      const opened = await openClaude(scene.home);
      terminals.set(who, opened);
      nativeId = opened.sessionId();
    },
    async opens(who) {
      terminals.set(who, await openClaude(scene.home, { resume: nativeId }));
    },
    says: (who) =>
      who === 'p' ? runClaude(scene.home, newPrompt(who), { resume: nativeId }) : terminal(who).ask(newPrompt(who)),
    say: weSay,
    async begin() {
      const { window } = await snapshot();
      const prompt = newPrompt('us', 'slow');
      slow = { prompt, window, turnId: await scene.server.send(sessionId(), prompt) };
      await scene.model.gate(prompt);
    },
    async end() {
      if (slow === undefined) throw new Error('Nothing was begun.');
      scene.model.release(slow.prompt);
      await turnEnd(slow.window, slow.turnId);
      await slow.window.close();
    },
    'goes back': (who) => terminal(who).rewindTo(typed.at(-1) ?? ''),
    compacts: (who) => terminal(who).compact(),
    quits: (who) => end(who, 'quit'),
    dies: (who) => (who === 'server' ? scene.server.stop('SIGKILL') : end(who, 'kill')),
    starts: () => scene.start(),
  };

  return {
    async take(step) {
      const [who = '', ...what] = step.split(' ');
      const act = steps[what.join(' ')];
      if (act === undefined) throw new Error(`Unknown step: ${step}`);
      await act(who);
    },
    typed: () => typed.toSorted(),
    async found() {
      const { entries, branches, window } = await snapshot();
      for (const { id } of branches.filter(({ id }) => !forks.has(id))) {
        const { sessionId: fork = '' } = await window.ask('session:fork', { sessionId: sessionId(), branch: id });
        const copy = await window.ask('session:subscribe', { sessionId: fork });
        forks.set(id, { sessionId: fork, entries: copy.entries ?? [] });
      }
      await window.close();
      const texts = new Set([entries, ...[...forks.values()].map((fork) => fork.entries)].flatMap(userTexts));
      return typed.filter((prompt) => texts.has(prompt)).toSorted();
    },
    async sayInForks() {
      for (const fork of forks.values()) await sayHere(scene, fork.sessionId, newPrompt('us'));
    },
    async close() {
      for (const who of [...terminals.keys()]) await end(who, 'kill');
    },
  };
}

const userTexts = (entries: readonly UpsertObject[]) =>
  entries.flatMap((entry) => (entry.type === 'message' && entry.origin === 'user' ? [entry.content] : []));

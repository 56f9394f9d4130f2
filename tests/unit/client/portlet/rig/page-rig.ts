import { onTestFinished, vi } from 'vitest';
import { createSessionPage } from '../../../../../client/portlet/page/session-page.ts';
import type { PortletToShell } from '../../../../../shared/portlet-messages.ts';
import type { TurnEvent, TurnSummary, UpsertObject } from '../../../../../shared/stream-contracts.ts';
import { SESSION_ID } from '../../../../fixtures/conversation/upserts.ts';
import { createNumbering, type Told } from '../../../../support/browser/told.ts';
import { createManualEnvironment } from './manual-environment.ts';

/**
 * A session page in its own document, `ms` after the start of the day. What it posts to the shell is in `said`, except
 * that the user types.
 */
export function startPage(ms = 0) {
  const env = createManualEnvironment();
  env.pass(ms);
  const said: PortletToShell[] = [];
  let warmUps = 0;
  const page = createSessionPage({
    root: document.body,
    sessionId: SESSION_ID,
    env,
    post(message) {
      if (message.type === 'session:warm') warmUps += 1;
      else said.push(message);
    },
  });
  onTestFinished(() => {
    page.dispose();
    document.body.replaceChildren();
    localStorage.clear();
  });

  const numbered = createNumbering(SESSION_ID);
  function tell(...messages: readonly Told[]): void {
    for (const message of messages) page.receive(numbered(message));
    env.frame();
  }

  function find<E extends Element = HTMLElement>(selector: string): E {
    const found = document.querySelector<E>(selector);
    if (found === null) throw new Error(`There is no ${selector} on the page.`);
    return found;
  }

  const button = (name: string): HTMLButtonElement => {
    const found = [...document.querySelectorAll('button')].find(
      (candidate) => (candidate.getAttribute('aria-label') ?? candidate.textContent) === name,
    );
    if (found === undefined) throw new Error(`There is no button ${name} on the page.`);
    return found;
  };

  const field = (): HTMLTextAreaElement => find('textarea[aria-label="Message"]');

  function type(text: string): void {
    field().value = text;
    field().dispatchEvent(new Event('input', { bubbles: true }));
  }

  function press(key: string, options: KeyboardEventInit = {}): boolean {
    return field().dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...options }));
  }

  /** What the shell says of the session, with these facts. */
  const info = (facts: Partial<Extract<Told, { type: 'session:info' }>> = {}): Told => ({
    type: 'session:info',
    title: 'Fix the login',
    agentLabel: 'Claude Code',
    cliType: 'claude-code',
    projectPath: '/home/dev/project',
    demo: false,
    access: 'normal',
    ...facts,
  });

  return {
    env,
    said,
    info,
    /** Waits for the parts of the page that are loaded on demand. */
    async loaded(): Promise<void> {
      await vi.dynamicImportSettled();
      env.frame();
    },
    /** How often the page asked to warm up the agent. */
    warmUps: () => warmUps,
    tell,
    find,
    button,
    field,
    type,
    press,
    /** Sends the session info and the conversation. */
    open(entries: readonly UpsertObject[] = [], turns: readonly TurnSummary[] = []): void {
      tell(
        { type: 'connection', state: 'connected' },
        info(),
        { type: 'agent:status', status: 'connected' },
        { type: 'session:history', entries: [...entries], turns: [...turns] },
      );
      env.pass(0);
      env.frame();
    },
    upsert: (...upserts: readonly UpsertObject[]) =>
      tell(...upserts.map((payload) => ({ type: 'session:upsert' as const, payload }))),
    turn: (...events: readonly TurnEvent[]) =>
      tell(...events.map((payload) => ({ type: 'session:turn' as const, payload }))),
    start: (turnId: string) =>
      tell({
        type: 'session:turn',
        payload: { type: 'turn_started', turnId, sessionId: SESSION_ID, modelId: 'm', providerId: 'claude-code' },
      }),
    rows: (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>('.chunk > .row')],
    text: (selector: string): string => find(selector).textContent ?? '',
    isVisible: (selector: string): boolean => {
      const element = document.querySelector(selector);
      return element !== null && element.closest('[hidden]') === null;
    },
  };
}

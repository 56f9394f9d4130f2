import { describe, expect, it } from 'vitest';
import type { UpsertObject } from '../../../shared/stream-contracts.ts';
import { agentMessage, notice, thinking, toolCall, turn, userMessage } from '../../fixtures/conversation/upserts.ts';
import { heavyMarkdown, heavyOutput } from '../../fixtures/hostile/heavy-texts.ts';
import { traceTasks } from '../rig/cpu-trace.ts';
import { clickAll, formatted, history, prepare } from './rig/prepared.ts';
import { type SessionPageRig, useSessionPage } from './rig/use-page.ts';

const sessionPage = useSessionPage();

/** Processor time in milliseconds that the page may be blocked for at once. */
const LIMIT_MS = 200;

const markdown = Object.entries(heavyMarkdown);
const output = Object.entries(heavyOutput);

const message = (text: string, index: number): UpsertObject => agentMessage(`t1:0:${index}`, text);
const failedCall = (text: string, index: number): UpsertObject =>
  toolCall(
    `t2:0:${index}`,
    'Bash',
    { command: 'x' },
    { toolKind: 'execute', toolOutput: text, toolOutputIsError: true },
  );

const blocked = (tasks: readonly number[]): number[] => tasks.filter((ms) => ms > LIMIT_MS);

describe('a session with texts that are expensive to draw', () => {
  it('safe/frozen-text never blocks the page when it is loaded, scrolled through and formatted', async () => {
    const rig = await sessionPage.start();
    const entries = [...markdown.map(([, text], index) => message(text, index)), agentMessage('t1:1:0', 'The end.')];
    const open = await prepare(rig, history(entries));
    const untilDrawn = await traceTasks(sessionPage.browser(), rig.page, async () => {
      await open();
      await rig.frame.getByText('The end.').waitFor();
    });
    // Processor time, because the machine may be busy.
    expect(untilDrawn.reduce((sum, ms) => sum + ms, 0)).toBeLessThan(1_000);
    const tasks = await traceTasks(sessionPage.browser(), rig.page, async () => {
      await rig.mountAll(entries.length);
      await formatted(rig, 12);
    });
    expect(blocked([...untilDrawn, ...tasks])).toEqual([]);
  }, 120_000);

  it('safe/frozen-text never blocks the page while it streams', async () => {
    const rig = await sessionPage.start();
    await rig.open([]);
    await prepareStream(
      rig,
      markdown.map(([, text]) => text),
    );
    const tasks = await traceTasks(sessionPage.browser(), rig.page, async () => {
      await rig.page.evaluate(() => Reflect.get(window, 'streamPrepared')());
      await rig.settle();
    });
    expect(blocked(tasks)).toEqual([]);
  }, 120_000);

  it('safe/frozen-output never blocks the page, drawn at first or in full', async () => {
    const rig = await sessionPage.start();
    const entries = output.map(([, text], index) => failedCall(text, index));
    const open = await prepare(rig, history(entries));
    const tasks = await traceTasks(sessionPage.browser(), rig.page, async () => {
      await open();
      await rig.mountAll(entries.length);
      await clickAll(rig, '.output-frame > .more');
    });
    expect(blocked(tasks)).toEqual([]);
  }, 120_000);

  it('safe/frozen-output never blocks the page while it grows', async () => {
    const rig = await sessionPage.start();
    await rig.open([]);
    const growing = output.flatMap(([, text], index) => {
      const call = toolCall(`t3:0:${index}`, 'Bash', { command: 'x' }, { toolKind: 'execute', status: 'update' });
      return [0.2, 0.6, 1].map((part) => ({ ...call, toolOutput: text.slice(0, text.length * part) }));
    });
    await prepare(rig, ...growing.map((payload) => ({ type: 'session:upsert' as const, payload })));
    const tasks = await traceTasks(sessionPage.browser(), rig.page, async () => {
      await rig.page.evaluate(async () => {
        for (const told of Reflect.get(window, 'prepared')) {
          Reflect.get(window, 'tell')([told]);
          await new Promise(requestAnimationFrame);
        }
      });
      await rig.settle();
    });
    expect(blocked(tasks)).toEqual([]);
  }, 120_000);
});

describe('a diff that is expensive', () => {
  const numbered = (count: number): string[] => Array.from({ length: count }, (_, index) => `line ${index}`);
  const diffs = {
    'reversed lines': [numbered(20_000).join('\n'), numbered(20_000).reverse().join('\n')],
    'a long line': ['x'.repeat(500_000), 'y'.repeat(500_000)],
    'long lines': [null, Array.from({ length: 300 }, () => 'ab '.repeat(1_000)).join('\n')],
    'a new file of many lines': [null, 'a\n'.repeat(200_000)],
    'every second line': [
      numbered(10_000).join('\n'),
      numbered(10_000)
        .map((line, index) => (index % 2 ? line : `${line}!`))
        .join('\n'),
    ],
    'marks and overrides': ['a', `a${'\u0301'.repeat(50_000)}\n${'\u202e'.repeat(50_000)}`],
  } as const;

  it('safe/frozen-code never blocks the page, also when more lines are shown', async () => {
    const rig = await sessionPage.start();
    const entries = Object.values(diffs).map(([oldText, newText], index) =>
      toolCall(
        `t4:0:${index}`,
        'Edit',
        {},
        { toolKind: 'edit', toolOutputIsError: true, toolOutput: 'no', diffs: [{ path: 'a', oldText, newText }] },
      ),
    );
    const open = await prepare(rig, history(entries));
    const tasks = await traceTasks(sessionPage.browser(), rig.page, async () => {
      await open();
      await rig.frame.waitForFunction(() => !document.body.textContent?.includes('comparing\u2026'), undefined, {
        timeout: 50_000,
      });
      await clickAll(rig, '.diff-fold');
    });
    expect(await rig.frame.locator('.diff').count()).toBe(entries.length);
    expect(blocked(tasks)).toEqual([]);
  }, 120_000);
});

describe('very long text in other places', () => {
  const texts = [
    'a'.repeat(300_000),
    'word '.repeat(60_000),
    '\u0628'.repeat(50_000),
    `e${'\u0301'.repeat(100_000)}`,
    'a\n'.repeat(50_000),
  ];

  it('safe/frozen-text never blocks the page: messages, thinking, notices, names, arguments, plans and errors', async () => {
    const rig = await sessionPage.start();
    const entries = texts.flatMap((text, number): UpsertObject[] => {
      const id = `m${number}`;
      const failed = {
        toolOutputIsError: true,
        toolOutput: text,
        status: 'error',
        errorCode: 'X',
        errorMessage: text,
      } as const;
      return [
        userMessage(`${id}:user`, text),
        thinking(`${id}:0:0`, text, { status: 'update' }),
        notice(`${id}:0:1`, text),
        toolCall(
          `${id}:1:0`,
          text,
          { command: text, description: text, [text]: text },
          { ...failed, toolKind: 'execute' },
        ),
        toolCall(`${id}:1:1`, 'Edit', {}, { ...failed, diffs: [{ path: text, oldText: text, newText: text }] }),
        toolCall(`${id}:1:2`, 'Agent', { prompt: text }, { toolKind: 'think', toolOutput: text }),
        toolCall(
          `${id}:1:3`,
          'TodoWrite',
          { todos: Array.from({ length: 500 }, () => ({ content: text.slice(0, 3_000) })) },
          failed,
        ),
      ];
    });
    const turns = texts.map((text, number) =>
      turn(`m${number}`, { status: 'error', errorCode: 'X', errorMessage: text, modelId: text, stopReason: text }),
    );
    const open = await prepare(
      rig,
      {
        type: 'session:info',
        cliType: 'x',
        demo: false,
        title: texts[0] ?? '',
        agentLabel: 'A',
        projectPath: texts[1] ?? '',
      },
      history(entries, turns),
      { type: 'session:error', error: { code: 'INTERNAL_ERROR', message: texts[1] ?? '' } },
    );
    const tasks = await traceTasks(sessionPage.browser(), rig.page, async () => {
      await open();
      await rig.mountAll(entries.length);
      await clickAll(rig, '.row.user > .more');
    });
    expect(blocked(tasks)).toEqual([]);
  }, 120_000);
});

/** Puts texts into the host page and a function that streams them one after the other, in four pieces each. */
async function prepareStream(rig: SessionPageRig, texts: readonly string[]): Promise<void> {
  await rig.page.evaluate(
    (streams) => {
      Reflect.set(window, 'streamPrepared', async () => {
        for (const { item, text } of streams) {
          for (let piece = 1; piece <= 4; piece += 1) {
            const content = text.slice(0, (text.length * piece) / 4);
            const status = piece === 4 ? 'complete' : 'update';
            Reflect.get(window, 'tell')([{ type: 'session:upsert', payload: { ...item, content, status } }]);
            await new Promise(requestAnimationFrame);
          }
        }
      });
    },
    texts.map((text, index) => ({ item: message('', index), text })),
  );
}

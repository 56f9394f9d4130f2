import { describe, expect, it } from 'vitest';
import { agentMessage, SESSION_ID, thinking, userMessage } from '../../../fixtures/conversation/upserts.ts';
import { startPage } from './rig/page-rig.ts';

const item = agentMessage('t1:0:0', 'Hello', { status: 'update' });

function openGrowing() {
  const page = startPage();
  page.open([userMessage('t1:user', 'Hi'), item]);
  page.start('t1');
  const reloads = () => page.said.filter(({ type }) => type === 'session:reload').length;
  const append = (at: number, text: string, more: object = {}) =>
    page.tell({ type: 'session:append', itemId: item.itemId, at, text, ...more });
  return { ...page, reloads, append, answer: () => page.text('.agent .markdown') };
}

describe('engine/append a text on the page', () => {
  it('engine/append grows by what arrives and ends with its last part', () => {
    const page = openGrowing();
    page.append(5, ', wor');
    page.append(10, 'ld');
    expect(page.answer().trim()).toBe('Hello, world');
    expect(page.find('.agent').className).toContain('is-streaming');
    const { emittedAt, sourceTimestamp } = item;
    page.append(12, '!', { end: { status: 'complete', emittedAt, sourceTimestamp } });
    expect(page.answer().trim()).toBe('Hello, world!');
    expect(page.find('.agent').className).not.toContain('is-streaming');
    expect(page.reloads()).toBe(0);
  });

  it('engine/append grows for a thought too', () => {
    const page = startPage();
    page.open([thinking('t1:0:0', 'Let me', { status: 'update' })]);
    page.start('t1');
    page.tell({ type: 'session:append', itemId: 't1:0:0', at: 6, text: ' see' });
    expect(document.body.textContent).toContain('Let me see');
  });

  it('engine/append shows the error with which it ended', () => {
    const page = openGrowing();
    const { emittedAt, sourceTimestamp } = item;
    const error = { errorCode: 'STREAM_RETRIED', errorMessage: 'x' };
    page.append(5, '', { end: { status: 'error', emittedAt, sourceTimestamp, ...error } });
    expect(document.body.textContent).toContain('The connection to the model broke here.');
  });

  it.each([
    ['leaves a gap', { at: 9, text: 'late' }],
    ['overlaps', { at: 3, text: 'lo' }],
    ['is of an unknown item', { itemId: 't1:9:0', at: 0, text: 'x' }],
  ])(
    'engine/append that %s is not shown: the page asks for a snapshot once and drops events until it comes',
    (_name, part) => {
      const page = openGrowing();
      page.tell({ type: 'session:append', itemId: item.itemId, ...part });
      page.append(5, ' never shown');
      page.upsert(agentMessage('t1:1:0', 'Never shown either'));
      expect(page.reloads()).toBe(1);
      expect(page.answer().trim()).toBe('Hello');
      expect(page.rows()).toHaveLength(2);

      page.tell({ type: 'session:history', entries: [{ ...item, content: 'Hello again' }], turns: [] });
      page.append(11, '!');
      expect(page.answer().trim()).toBe('Hello again!');
      expect(page.reloads()).toBe(1);
    },
  );
});

describe('engine/seq events on the page', () => {
  it('engine/seq that are known already are ignored', () => {
    const page = openGrowing();
    page.append(5, '!', { seq: 2 });
    page.append(5, '!', { seq: 2 });
    page.append(5, '!', { seq: 1 });
    page.tell({ type: 'session:upsert', seq: 2, payload: { ...item, content: 'Old' } });
    expect(page.answer().trim()).toBe('Hello!');
    expect(page.reloads()).toBe(0);
  });

  it('engine/seq with a number missing make the page ask for a snapshot', () => {
    const page = openGrowing();
    page.append(5, '!', { seq: 3 });
    expect(page.answer().trim()).toBe('Hello');
    expect(page.reloads()).toBe(1);
  });

  it('engine/seq before the first snapshot are dropped', () => {
    const page = startPage();
    page.upsert(item);
    expect(page.rows()).toEqual([]);
    expect(page.said).toEqual([]);
  });

  it('engine/from that were missed while the connection was lost complete the page, which says so', () => {
    const page = openGrowing();
    page.tell({ type: 'connection', state: 'reconnecting' }, { type: 'connection', state: 'connected' });
    page.append(5, ', world');
    page.tell({ type: 'session:resumed' });
    expect(page.answer().trim()).toBe('Hello, world');
    expect(page.text('[role="status"]')).toBe('Connected again.');
  });
});

const questions = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => userMessage(`turn-${from + index}:user`, `Question ${from + index}`));

/** A page with the newest 300 of 900 entries, scrolled to its top. */
function openPaged() {
  const page = startPage();
  const log = page.find('[role="log"]');
  Object.defineProperties(log, {
    clientHeight: { value: 500 },
    scrollHeight: { value: 100_000 },
    scrollTop: { value: 0, writable: true },
  });
  page.open();
  page.tell({ type: 'session:history', entries: questions(600, 900), turns: [], more: true });
  const settle = () => {
    for (let round = 0; round < 60; round += 1) {
      log.scrollTop = 0;
      log.dispatchEvent(new Event('scroll'));
      page.env.pass(0);
      page.env.frame();
    }
  };
  settle();
  const asked = () => page.said.filter((message) => message.type === 'session:older');
  const answer = (from: number, to: number, more: boolean, before = `turn-${to}:user`) => {
    page.tell({ type: 'session:page', before, entries: questions(from, to), turns: [], more });
    settle();
  };
  return { ...page, log, settle, asked, answer, texts: () => page.rows().map((row) => row.textContent) };
}

const texts = (from: number, to: number) => questions(from, to).map(({ content }) => content);

describe('engine/pages older entries', () => {
  it('engine/pages are asked for at the top, page by page, and come in order, once', () => {
    const page = openPaged();
    expect(page.texts()).toEqual(texts(600, 900));
    expect(page.asked()).toEqual([{ type: 'session:older', before: 'turn-600:user' }]);
    expect(page.text('.loading-older')).toBe('Loading older messages…');
    expect(page.log.getAttribute('aria-busy')).toBe('true');

    page.answer(300, 600, true);
    expect(page.texts()).toEqual(texts(300, 900));
    expect(page.asked()).toHaveLength(2);

    page.answer(0, 300, false);
    expect(page.texts()).toEqual(texts(0, 900));
    expect(page.asked()).toHaveLength(2);
    expect(page.text('.loading-older')).toBe('');
  });

  it('engine/pages are not asked for while the user is far from the top', () => {
    const page = openPaged();
    page.answer(300, 600, true);
    const { length } = page.asked();
    page.answer(0, 300, true);
    page.log.scrollTop = 50_000;
    page.env.frame();
    expect(page.asked()).toHaveLength(length + 1);
  });

  it('engine/pages that nobody asked for are ignored', () => {
    const page = openPaged();
    page.answer(300, 600, true, 'turn-1:user');
    page.answer(300, 600, true);
    page.answer(300, 600, true);
    expect(page.texts()).toEqual(texts(300, 900));
  });

  it('engine/pages keep what changed meanwhile, in its place', () => {
    const page = openPaged();
    page.upsert(userMessage('turn-450:user', 'Changed'));
    expect(page.texts().at(-1)).toBe('Changed');
    page.answer(300, 600, false);
    const expected = texts(300, 900);
    expected[150] = 'Changed';
    expect(page.texts()).toEqual(expected);
  });

  it('engine/pages the text of an entry that is not here yet comes with its page', () => {
    const page = openPaged();
    page.tell({ type: 'session:append', itemId: 'turn-450:user', at: 3, text: 'more' });
    expect(page.said.some(({ type }) => type === 'session:reload')).toBe(false);
  });

  it('engine/pages that cannot be read are asked for again later, and the reason is shown', () => {
    const page = openPaged();
    const error = { code: 'INTERNAL_ERROR', message: 'It broke.' } as const;
    page.tell({ type: 'session:page-failed', before: 'turn-600:user', error });
    expect(page.text('.loading-older')).toBe('');
    expect(document.body.textContent).toContain('It broke.');
    page.log.dispatchEvent(new Event('scroll'));
    page.env.frame();
    expect(page.asked()).toHaveLength(2);
  });

  it('engine/pages that are gone make the page ask for a snapshot', () => {
    const page = openPaged();
    const error = { code: 'ITEM_NOT_FOUND', message: 'Gone.' } as const;
    page.tell({ type: 'session:page-failed', before: 'turn-600:user', error });
    expect(page.said.at(-1)).toEqual({ type: 'session:reload' });
  });

  it('engine/pages stay when a snapshot comes that continues them, and go when it does not', () => {
    const page = openPaged();
    page.answer(300, 600, true);
    page.tell({ type: 'session:history', entries: questions(601, 901), turns: [], more: true });
    page.settle();
    expect(page.texts()).toEqual(texts(300, 901));

    page.tell({ type: 'session:history', entries: questions(2_000, 2_010), turns: [], more: true });
    page.settle();
    expect(page.texts()).toEqual(texts(2_000, 2_010));
  });

  it('engine/pages with an entry that does not fit the contract leave out that one only', () => {
    const page = openPaged();
    const entries = [...questions(598, 600), { type: 'message', itemId: 7 }];
    page.tell({
      type: 'session:page',
      sessionId: SESSION_ID,
      before: 'turn-600:user',
      entries,
      turns: [],
      more: false,
    });
    page.settle();
    expect(page.texts()).toEqual(texts(598, 900));
    expect(document.body.textContent).toContain('1 entry of this conversation could not be read');
  });
});

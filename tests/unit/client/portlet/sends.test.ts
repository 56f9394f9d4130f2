import { describe, expect, it } from 'vitest';
import { agentMessage, turn, userMessage } from '../../../fixtures/conversation/upserts.ts';
import { idOf } from './rig/manual-environment.ts';
import { startPage } from './rig/page-rig.ts';

const SENT = idOf(1);
const SEND = { type: 'session:send', turnId: SENT, content: 'Hello' };
const unanswered = { type: 'session:send-unanswered', turnId: SENT } as const;
const lost = { type: 'connection', state: 'reconnecting' } as const;
const back = { type: 'connection', state: 'connected' } as const;
const resumed = { type: 'session:resumed' } as const;

function sendHello() {
  const page = startPage();
  page.open();
  page.type('Hello');
  page.press('Enter');
  page.env.frame();
  const sends = () => page.said.filter(({ type }) => type === 'session:send');
  return { page, sends };
}

/** The same browser after the page was loaded again. */
function refresh() {
  document.body.replaceChildren();
  const page = startPage();
  return { page, sends: () => page.said.filter(({ type }) => type === 'session:send') };
}

describe('a message that nobody answered', () => {
  it('keep/same-send is sent again under the same id once the connection is back and the page is current', () => {
    const { page, sends } = sendHello();
    page.tell(lost, unanswered);
    expect(page.text('.sent')).toBe('Not sent yet: waits for the server');
    page.tell(back);
    expect(sends()).toEqual([SEND]);
    page.tell(resumed);
    expect(sends()).toEqual([SEND, SEND]);
    expect(page.rows()).toHaveLength(1);
    page.tell({ type: 'session:sent', turnId: SENT }, lost, back, resumed);
    expect(sends()).toHaveLength(2);
  });

  it('keep/same-send is sent again after a second if the connection was never lost', () => {
    const { page, sends } = sendHello();
    page.tell(unanswered);
    expect(sends()).toHaveLength(1);
    page.env.pass(1_000);
    expect(sends()).toEqual([SEND, SEND]);
  });

  it('keep/same-send is not sent again while the first request is under way', () => {
    const { page, sends } = sendHello();
    page.tell(lost, back, resumed);
    expect(sends()).toHaveLength(1);
  });

  it('keep/same-send is shown once if the server had it after all', () => {
    const { page } = sendHello();
    page.tell(lost, unanswered, back, {
      type: 'session:history',
      entries: [userMessage(`${SENT}:user`, 'Hello')],
      turns: [turn(SENT, { receipt: 'requested' })],
    });
    page.tell({ type: 'session:sent', turnId: SENT });
    expect(page.rows().map((row) => row.textContent)).toEqual(['Hello']);
    expect(page.button('Cancel').hidden).toBe(true);
  });

  it('keep/same-send survives a refresh: it is shown and sent again', () => {
    sendHello();
    const { page, sends } = refresh();
    page.env.frame();
    expect(page.rows().map((row) => row.textContent)).toEqual(['HelloNot sent yet: waits for the server']);
    expect(sends()).toEqual([]);
    page.open();
    expect(sends()).toEqual([SEND]);
    expect(page.field().value).toBe('');
    page.tell({ type: 'session:sent', turnId: SENT });
    const last = refresh();
    last.page.open();
    expect(last.sends()).toEqual([]);
  });

  it('keep/same-send returns to the field after a refresh if it is older than ten minutes', () => {
    sendHello();
    document.body.replaceChildren();
    const page = startPage(11 * 60_000);
    page.open();
    expect(page.said).toEqual([]);
    expect(page.field().value).toBe('Hello');
    expect(page.text('[role="alert"]')).toBe('This message was not sent. Send it again if you still want to.');
    expect(page.rows()).toEqual([]);
  });

  it('keep/same-send that is older but known to the server is not offered again', () => {
    sendHello();
    document.body.replaceChildren();
    const page = startPage(11 * 60_000);
    page.open([userMessage(`${SENT}:user`, 'Hello')], [turn(SENT)]);
    expect(page.field().value).toBe('');
    expect(page.said).toEqual([SEND]);
  });

  it('keep/same-send is given back by Cancel while the server cannot be reached, with what is not certain', () => {
    const { page, sends } = sendHello();
    page.tell(lost, unanswered);
    page.button('Cancel').click();
    page.env.frame();
    expect(page.field().value).toBe('Hello');
    expect(page.text('[role="alert"]')).toMatch(/^The server did not answer, so it may or may not have this message/);
    expect(page.rows()).toEqual([]);
    page.tell(back, resumed);
    expect(sends()).toHaveLength(1);
    expect(page.said.filter(({ type }) => type === 'session:cancel')).toEqual([]);
  });
});

describe('the banner after a lost connection', () => {
  const running = [userMessage('t1:user', 'Go'), agentMessage('t1:0:0', 'Half of the', { status: 'update' })];
  const begun = turn('t1', { status: 'running' });
  const stopped = turn('t1', { status: 'error', errorCode: 'SERVER_STOPPED', errorMessage: 'It stopped.' });
  const half = (content: string) =>
    agentMessage('t1:0:0', content, { status: 'error', errorCode: 'SERVER_STOPPED', inContext: false });

  function reconnect(entries: Parameters<ReturnType<typeof startPage>['open']>[0], ended = begun) {
    const page = startPage();
    page.open(running, [begun]);
    page.tell(lost, back, { type: 'session:history', entries: [...(entries ?? [])], turns: [ended] });
    return page.text('.banner-text');
  }

  it('says that everything is up to date only if all that was shown is there', () => {
    expect(reconnect(running)).toBe('Connected again. Everything is up to date.');
    document.body.replaceChildren();
    expect(reconnect([...running, agentMessage('t1:0:1', 'More')])).toBe('Connected again. Everything is up to date.');
  });

  it('keep/send-again says that the server stopped in the middle of a turn', () => {
    expect(reconnect([userMessage('t1:user', 'Go'), half('Half of the')], stopped)).toBe(
      'Connected again. The server stopped before the turn was finished.',
    );
  });

  it.each([
    ['shorter', [userMessage('t1:user', 'Go'), half('Half')]],
    ['missing', [userMessage('t1:user', 'Go')]],
  ])('says that something was not kept if a text is %s', (_, entries) => {
    expect(reconnect(entries, stopped)).toBe('Connected again, but not everything that was shown here could be kept.');
  });

  it('does not say that everything is up to date while a message still has to be sent', () => {
    const { page } = sendHello();
    page.tell(lost, unanswered, back, resumed);
    expect(page.text('.banner-text')).toBe('Connected again. Sending your message…');
  });
});

describe('a turn that the server did not finish', () => {
  it('keep/send-again has its error card with "Send again", also after a refresh', () => {
    const page = startPage();
    page.open(
      [
        userMessage('t1:user', 'Go'),
        agentMessage('t1:0:0', 'Half', { status: 'error', errorCode: 'SERVER_STOPPED', inContext: false }),
      ],
      [turn('t1', { status: 'error', errorCode: 'SERVER_STOPPED', errorMessage: 'It stopped.', receipt: 'requested' })],
    );
    expect(page.text('.turn-error-title')).toBe('The server stopped in the middle of this turn');
    expect(page.text('.agent')).toBe('HalfNot finished.');
    expect(page.text('.turn-facts')).toBe('Failed · 12 s');
    page.button('Send again').click();
    expect(page.said).toContainEqual({ type: 'session:send', turnId: SENT, content: 'Go' });
  });
});

import { describe, expect, it } from 'vitest';
import { agentMessage } from '../../../fixtures/conversation/upserts.ts';
import { startPage } from './rig/page-rig.ts';

/** jsdom has no layout: the log is 500 high and as tall inside as the test says. */
function startWithHeights() {
  const page = startPage();
  page.open();
  const log = page.find('[role="log"]');
  let height = 1_000;
  let top = 0;
  let isHidden = false;
  Object.defineProperties(log, {
    clientHeight: { get: () => (isHidden ? 0 : 500) },
    scrollHeight: { get: () => (isHidden ? 0 : height) },
    scrollTop: {
      get: () => (isHidden ? 0 : top),
      set: (value: number) => {
        top = Math.max(0, Math.min(value, height - 500));
      },
    },
  });
  return {
    ...page,
    log,
    /** More text arrives and makes the log taller. */
    grow(by: number): void {
      height += by;
      page.upsert(agentMessage('t1:0:0', `text ${height}`, { status: 'update' }));
    },
    scrollTo(value: number): void {
      log.scrollTop = value;
      log.dispatchEvent(new Event('scroll'));
    },
    /** As the tab of another session takes its place. */
    hide(): void {
      isHidden = true;
      log.dispatchEvent(new Event('scroll'));
    },
    show(): void {
      isHidden = false;
      page.tell({ type: 'portlet:shown' });
    },
    isAtBottom: () => log.scrollTop === height - 500,
    isButtonHidden: () => page.button('Scroll to bottom').hidden,
  };
}

describe('the conversation', () => {
  it('mvp/TC-3.6a follows new text to the bottom', () => {
    const page = startWithHeights();
    page.grow(300);
    expect(page.isAtBottom()).toBe(true);
    page.grow(300);
    expect(page.isAtBottom()).toBe(true);
    expect(page.isButtonHidden()).toBe(true);
  });

  it('mvp/TC-3.6b stays where the user scrolled up to, and shows the way back', () => {
    const page = startWithHeights();
    page.grow(300);
    page.scrollTo(200);
    expect(page.isButtonHidden()).toBe(false);
    page.grow(300);
    expect(page.log.scrollTop).toBe(200);
  });

  it('mvp/TC-3.6c follows again after a click on the button', () => {
    const page = startWithHeights();
    page.grow(300);
    page.scrollTo(200);
    page.button('Scroll to bottom').click();
    expect(page.isAtBottom()).toBe(true);
    expect(page.isButtonHidden()).toBe(true);
    page.grow(300);
    expect(page.isAtBottom()).toBe(true);
  });

  it('follows again when the user scrolls back to the end himself', () => {
    const page = startWithHeights();
    page.scrollTo(300);
    page.scrollTo(100);
    page.scrollTo(490);
    expect(page.isButtonHidden()).toBe(true);
  });

  it('does not follow after the smallest step up, even near the end', () => {
    const page = startWithHeights();
    page.grow(300);
    page.scrollTo(795);
    page.grow(10);
    expect(page.log.scrollTop).toBe(795);
  });

  it('mvp/TC-4.2a is where it was after it was hidden in the middle of a scroll', () => {
    const page = startWithHeights();
    page.grow(300);
    page.scrollTo(200);
    page.hide();
    page.show();
    expect(page.log.scrollTop).toBe(200);
    expect(page.isButtonHidden()).toBe(false);
  });

  it('goes to the end when the user sends a message', () => {
    const page = startWithHeights();
    page.grow(300);
    page.scrollTo(100);
    page.type('Next');
    page.press('Enter');
    expect(page.isAtBottom()).toBe(true);
  });
});

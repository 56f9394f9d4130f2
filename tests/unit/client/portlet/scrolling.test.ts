import { describe, expect, it } from 'vitest';
import { agentMessage } from '../../../fixtures/conversation/upserts.ts';
import { startPage } from './rig/page-rig.ts';

/** jsdom has no layout: the log has a height of 500, and the test sets the height of its contents. */
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
    /** Hides the page, as switching to another tab does. */
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

  it('mvp/TC-3.6b stays where the user scrolled to and shows the button to go back', () => {
    const page = startWithHeights();
    page.grow(300);
    page.scrollTo(200);
    expect(page.isButtonHidden()).toBe(false);
    page.grow(300);
    expect(page.log.scrollTop).toBe(200);
  });

  it('mvp/TC-3.6c follows again after the button was clicked', () => {
    const page = startWithHeights();
    page.grow(300);
    page.scrollTo(200);
    page.button('Scroll to bottom').click();
    expect(page.isAtBottom()).toBe(true);
    expect(page.isButtonHidden()).toBe(true);
    page.grow(300);
    expect(page.isAtBottom()).toBe(true);
  });

  it('follows again when the user scrolls back to the end', () => {
    const page = startWithHeights();
    page.scrollTo(300);
    page.scrollTo(100);
    page.scrollTo(490);
    expect(page.isButtonHidden()).toBe(true);
  });

  it('stops following after the smallest step up, even near the end', () => {
    const page = startWithHeights();
    page.grow(300);
    page.scrollTo(795);
    page.grow(10);
    expect(page.log.scrollTop).toBe(795);
  });

  it('mvp/TC-4.2a keeps its position if it is hidden during a scroll', () => {
    const page = startWithHeights();
    page.grow(300);
    page.scrollTo(200);
    page.hide();
    page.show();
    expect(page.log.scrollTop).toBe(200);
    expect(page.isButtonHidden()).toBe(false);
  });

  it('scrolls to the end when the user sends a message', () => {
    const page = startWithHeights();
    page.grow(300);
    page.scrollTo(100);
    page.type('Next');
    page.press('Enter');
    expect(page.isAtBottom()).toBe(true);
  });
});

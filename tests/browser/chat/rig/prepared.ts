import type { TurnSummary, UpsertObject } from '../../../../shared/stream-contracts.ts';
import type { Told } from '../../../support/browser/told.ts';
import type { SessionPageRig } from './use-page.ts';

/** Waits until at most so many texts are still being formatted. */
export async function formatted(rig: SessionPageRig, left: number): Promise<void> {
  await rig.frame.waitForFunction(
    (most) => {
      const notes = [...document.querySelectorAll('.plain-text:not([hidden]) .code-language')];
      return notes.filter(({ textContent }) => textContent === 'Formatting\u2026').length <= most;
    },
    left,
    { timeout: 50_000, polling: 200 },
  );
  await rig.settle();
}

/** Puts messages into the host page, so that passing them there is not measured. The returned function posts them. */
export async function prepare(rig: SessionPageRig, ...messages: readonly Told[]): Promise<() => Promise<void>> {
  await rig.page.evaluate((list) => Reflect.set(window, 'prepared', list), messages);
  return () => rig.page.evaluate(() => Reflect.get(window, 'tell')(Reflect.get(window, 'prepared')));
}

export const history = (entries: readonly UpsertObject[], turns: readonly TurnSummary[] = []): Told => ({
  type: 'session:history',
  entries: [...entries],
  turns: [...turns],
});

/** Clicks every button that is there now, one per frame. */
export async function clickAll(rig: SessionPageRig, selector: string): Promise<void> {
  await rig.frame.evaluate(async (wanted) => {
    for (const button of [...document.querySelectorAll<HTMLElement>(wanted)]) {
      button.click();
      await new Promise(requestAnimationFrame);
    }
  }, selector);
  await rig.settle();
}

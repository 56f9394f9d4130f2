import type { BrowserContext, Page } from 'playwright-core';

/** Everything that must never happen. */
export interface Watch {
  readonly foreignRequests: string[];
  readonly dialogs: string[];
  readonly popups: string[];
  readonly errors: string[];
  /** Every address that a frame has gone to. */
  readonly navigations: string[];
  /** How often code from the text ran, and the policy violations. */
  caught(): Promise<{ pwned: number; violations: string[] }>;
}

/** Watches for foreign requests, dialogs, new windows, and code that runs or is blocked by the policy. */
export async function watch(context: BrowserContext, origin: string): Promise<Watch> {
  const foreignRequests: string[] = [];
  const dialogs: string[] = [];
  const popups: string[] = [];
  const errors: string[] = [];
  const navigations: string[] = [];
  const pages: Page[] = [];
  await context.addInitScript(() => {
    const top = window.top as unknown as { pwnedCount?: number; violations?: string[] };
    Reflect.set(window, 'pwned', () => {
      top.pwnedCount = (top.pwnedCount ?? 0) + 1;
    });
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
      top.violations = [...(top.violations ?? []), `${violatedDirective} ${blockedURI}`];
    });
  });
  context.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`)) foreignRequests.push(url);
  });
  context.on('page', (page) => {
    pages.push(page);
    if (pages.length > 1) popups.push(page.url());
    page.on('framenavigated', (frame) => navigations.push(frame.url()));
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
  });
  return {
    foreignRequests,
    dialogs,
    popups,
    errors,
    navigations,
    async caught() {
      const found = await pages[0]?.evaluate(() => ({
        pwned: Number(Reflect.get(window, 'pwnedCount') ?? 0),
        violations: (Reflect.get(window, 'violations') ?? []) as string[],
      }));
      return found ?? { pwned: -1, violations: ['There is no page.'] };
    },
  };
}

import type { FrameLocator, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

export const PATIENCE = { timeout: 30_000, interval: 100 };

/** What a user does with the page, by the names that the page promises. */
export function createUser(page: Page) {
  const tab = (title: string) => page.getByRole('tab', { name: title, exact: true });
  /** The session page of the active tab. */
  const chat = (): FrameLocator => page.frameLocator('[role=tabpanel]:not([hidden]) iframe');
  const log = () => chat().getByRole('log', { name: 'Conversation' });
  const message = () => chat().getByRole('textbox', { name: 'Message' });

  return {
    tab,
    chat,
    log,
    message,
    async addProject(path: string) {
      await page.getByRole('button', { name: 'Add project', exact: true }).first().click();
      const dialog = page.getByRole('dialog', { name: 'Add project' });
      await dialog.getByRole('textbox', { name: 'Project path' }).or(dialog.getByRole('combobox')).first().fill(path);
      await dialog.getByRole('button', { name: 'Add', exact: true }).click();
      await dialog.waitFor({ state: 'hidden' });
    },
    async newSession(project: string, agent: string) {
      const before = await page.getByRole('tab').count();
      await page.getByRole('button', { name: `New session in ${project}`, exact: true }).click();
      await page.getByRole('menuitem', { name: agent }).click();
      await expect.poll(() => page.getByRole('tab').count(), PATIENCE).toBe(before + 1);
      await message().waitFor();
    },
    async send(text: string) {
      await message().fill(text);
      await message().press('Enter');
    },
    async sees(text: string) {
      await log().getByText(text).first().waitFor({ timeout: PATIENCE.timeout });
    },
    /** The turn is over: a new message can be sent. */
    async isReady() {
      await chat()
        .getByRole('button', { name: 'Cancel', exact: true })
        .waitFor({ state: 'hidden', ...PATIENCE });
    },
    async text(): Promise<string> {
      // biome-ignore lint/performance/useDomNodeTextContent: what the user sees, line by line
      return log().evaluate((element: HTMLElement) => element.innerText);
    },
    async openTab(title: string) {
      await tab(title).click();
      await message().waitFor();
    },
    async archive(title: string) {
      const row = page.getByRole('navigation').getByRole('listitem').filter({ hasText: title }).last();
      await row.hover();
      await row.getByRole('button', { name: /^Archive/ }).click();
    },
    sidebarRow: (title: string): Locator => page.getByRole('navigation').getByRole('button', { name: `${title},` }),
  };
}

export type User = ReturnType<typeof createUser>;

import type { FrameLocator, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

/** What a user does and sees, by the accessible names that the page guarantees. */
export function createUser(page: Page) {
  const sidebar = () => page.getByRole('navigation', { name: 'Projects and sessions' });
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const tab = (title: string): Locator => page.getByRole('tab', { name: title, exact: true });
  /** The session page of the active tab. */
  const chat = (): FrameLocator => page.getByRole('tabpanel').frameLocator('iframe');
  const chatButton = (name: string): Locator => chat().getByRole('button', { name, exact: true });
  const log = () => chat().getByRole('log', { name: 'Conversation' });
  const message = () => chat().getByRole('textbox', { name: 'Message' });
  /** The name of a row continues with agent, status and age. */
  const row = (title: string): Locator => sidebar().getByRole('button', { name: startsWith(`${title} `) });

  return {
    sidebar,
    row,
    tab,
    chat,
    button,
    chatButton,
    log,
    message,
    tabs: (): Promise<string[]> => page.getByRole('tab').allTextContents(),
    activeSession: async (): Promise<string> => {
      const id = await page.getByRole('tab', { selected: true }).getAttribute('id');
      return id?.replace(/^tab-/, '') ?? '';
    },
    activeTab: (): Promise<string[]> => page.getByRole('tab', { selected: true }).allTextContents(),
    /** The full text of each session in the sidebar, including what is hidden on hover. */
    rows: (project: string): Promise<string[]> =>
      sidebar()
        .getByRole('list', { name: `Sessions in ${project}` })
        .getByRole('listitem')
        .evaluateAll((items) =>
          items.map((item) => {
            const walker = document.createTreeWalker(item, NodeFilter.SHOW_TEXT);
            const texts: string[] = [];
            while (walker.nextNode() !== null) texts.push(walker.currentNode.textContent ?? '');
            return texts.filter(Boolean).join(' ');
          }),
        ),

    async addProject(path: string): Promise<void> {
      await button('Add project').click();
      const dialog = page.getByRole('dialog', { name: 'Add project' });
      await dialog.getByRole('textbox', { name: 'Project path' }).fill(path);
      await dialog.getByRole('button', { name: 'Add', exact: true }).click();
      await dialog.waitFor({ state: 'hidden' });
    },
    async newSession(project: string, agent: string): Promise<void> {
      const before = await page.getByRole('tab').count();
      await button(`New session in ${project}`).click();
      await page.getByRole('menuitem', { name: agent }).click();
      await expect.poll(() => page.getByRole('tab').count()).toBe(before + 1);
      await message().waitFor();
    },
    /** Opens a session from the sidebar and waits for its page. */
    async open(title: string): Promise<void> {
      await row(title).click();
      await tab(title)
        .and(page.getByRole('tab', { selected: true }))
        .waitFor();
      await message().waitFor();
    },
    async openTab(title: string): Promise<void> {
      await tab(title).click();
      await message().waitFor();
    },
    async archive(title: string): Promise<void> {
      const item = sidebar().getByRole('listitem').filter({ hasText: title }).last();
      await item.hover();
      await item.getByRole('button', { name: 'Archive' }).click();
    },
    async send(text: string): Promise<void> {
      await message().fill(text);
      await message().press('Enter');
    },
    sees: (text: string | RegExp): Promise<void> => log().getByText(text).first().waitFor(),
    /** Waits until the turn has ended and a new message can be sent. */
    isReady: (): Promise<void> => chatButton('Cancel').waitFor({ state: 'hidden' }),
    /** All messages in order, each with its author. */
    said: (): Promise<string[]> =>
      log()
        .getByRole('article')
        .evaluateAll((all) =>
          all.map((it) => {
            const label = document.getElementById(it.getAttribute('aria-labelledby') ?? '')?.textContent;
            return `${label ?? it.getAttribute('aria-label')}: ${it.textContent?.trim()}`;
          }),
        ),
    /** The visible text of the conversation, line by line. */
    // biome-ignore lint/performance/useDomNodeTextContent: the visible text, line by line
    text: (): Promise<string> => log().evaluate((element: HTMLElement) => element.innerText),
  };
}

export type User = ReturnType<typeof createUser>;

function startsWith(text: string): RegExp {
  return new RegExp(`^${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`);
}

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { agentMessage } from '../../fixtures/conversation/upserts.ts';
import { buildPages } from '../../support/browser/built-pages.ts';
import { launchProfile } from '../../support/browser/chromium.ts';
import { hostFiles } from '../../support/browser/host-page.ts';
import { serveStatic } from '../../support/browser/static-server.ts';
import { scratchDirectory } from '../../support/scratch-directory.ts';
import { openHost, type SessionPageRig } from './rig/use-page.ts';

/** Each action has a link to a host of its own. */
const actions = ['seen', 'hovered', 'pressed', 'middle', 'touched', 'focused', 'menu', 'clicked', 'entered'] as const;
type Action = (typeof actions)[number];

const hostOf = (action: Action): string => `${action}-link.example`;

async function startPage(...flags: readonly string[]): Promise<SessionPageRig> {
  const [context, pages] = await Promise.all([launchProfile(scratchDirectory(), ...flags), buildPages()]);
  const server = await serveStatic(pages.directory, hostFiles);
  onTestFinished(async () => {
    await context.close();
    await server.stop();
    await pages.remove();
  });
  return openHost(context, server.origin);
}

interface NetLog {
  readonly constants: { readonly logEventTypes: Readonly<Record<string, number>> };
  readonly events: readonly { readonly type: number; readonly params?: unknown }[];
}

/** The links whose host the browser asked for, or connected to. */
async function lookedUp(netLog: string): Promise<Action[]> {
  const { constants, events } = JSON.parse(await readFile(netLog, 'utf8')) as NetLog;
  const network = new Set(
    Object.entries(constants.logEventTypes)
      .filter(([name]) => /^(?:HOST_RESOLVER|DNS|HTTP_STREAM|TCP_CLIENT|SOCKET_POOL)/.test(name))
      .map(([, type]) => type),
  );
  const texts = events.filter(({ type }) => network.has(type)).map(({ params }) => JSON.stringify(params ?? {}));
  return actions.filter((action) => texts.some((text) => text.includes(hostOf(action))));
}

describe('the host of a link', () => {
  it('safe/no-lookup is not looked up before a click or Enter, whatever else the user does with the link', async () => {
    const netLog = join(scratchDirectory(), 'net-log.json');
    const rig = await startPage(`--log-net-log=${netLog}`);
    const text = actions.map((action) => `[${action}](http://${hostOf(action)}/a)`).join('\n\n');
    await rig.open([agentMessage('t1:0:0', text)]);
    await rig.settle();
    const link = (action: Action) => rig.frame.getByRole('link', { name: action });
    const { mouse } = rig.page;

    await link('hovered').hover();
    for (const [action, button] of [
      ['pressed', 'left'],
      ['middle', 'middle'],
    ] as const) {
      await link(action).hover();
      await mouse.down({ button });
      await mouse.move(5, 5);
      await mouse.up({ button });
    }
    const touched = await link('touched').boundingBox();
    const point = { x: (touched?.x ?? 0) + 4, y: (touched?.y ?? 0) + 4 };
    const devtools = await rig.context.newCDPSession(rig.page);
    await devtools.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [point] });
    await devtools.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: [{ x: point.x, y: 400 }] });
    await devtools.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    await link('focused').focus();
    await link('menu').click({ button: 'right' });
    await rig.page.keyboard.press('Escape');
    const before = rig.context.pages().length;

    await Promise.all([rig.context.waitForEvent('page'), link('clicked').click()]);
    await link('entered').focus();
    await link('entered').hover();
    await Promise.all([rig.context.waitForEvent('page'), link('entered').press('Enter')]);
    await expect.poll(() => rig.context.pages()).toHaveLength(before + 2);
    await rig.context.close();

    expect(await lookedUp(netLog)).toEqual(['clicked', 'entered']);
  });

  it('safe/no-lookup is still told: by the address of the link, or by its tooltip while the pointer is over it', async () => {
    const rig = await startPage();
    await rig.open([agentMessage('t1:0:0', '[one](http://one.example/a "Title") and [two](http://two.example/b)')]);
    const one = rig.frame.getByRole('link', { name: 'one' });
    const two = rig.frame.getByRole('link', { name: 'two' });
    await one.hover();
    expect(await one.getAttribute('title')).toBe('Title\nhttp://one.example/a');
    await two.hover();
    expect(await two.getAttribute('title')).toBe('http://two.example/b');
    expect(await one.getAttribute('title')).toBe('Title');
    expect(await one.getAttribute('href')).toBe('http://one.example/a');
    await two.click({ button: 'right' });
    expect(await two.getAttribute('href')).toBe('http://two.example/b');
    expect(await two.getAttribute('title')).toBeNull();
  });
});

import { beforeEach, describe, expect, it } from 'vitest';
import {
  createOfferedDirectories,
  type OfferedDirectory,
} from '../../../../client/shell/dialogs/offered-directories.ts';
import { createPathCompletion } from '../../../../client/shell/dialogs/path-completion.ts';
import { createResizer } from '../../../../client/shell/sidebar/resizer.ts';
import { createConfirmDialog } from '../../../../client/shell/widgets/confirm-dialog.ts';
import { createMenu, type MenuItem } from '../../../../client/shell/widgets/menu.ts';
import { createNotices } from '../../../../client/shell/widgets/notices.ts';
import { installDialogs } from './rig/dialogs.ts';
import { createManualTimers } from './rig/manual-timers.ts';
import { all, nameOf, one, press, type } from './rig/page.ts';

beforeEach(() => document.body.replaceChildren());

const focused = () => nameOf(document.activeElement as Element);

describe('a menu', () => {
  function openMenu(items: readonly MenuItem[]) {
    const chosen: string[] = [];
    const anchor = document.createElement('button');
    const menu = createMenu({ label: 'Agent', onChoose: (id) => chosen.push(id) });
    document.body.append(anchor);
    menu.open(anchor, items);
    return { menu, anchor, chosen };
  }
  const fruits = ['Apple', 'Banana', 'Blueberry'].map((label) => ({ id: label, label }));

  it('is navigated with arrows, Home, End and letters', () => {
    openMenu(fruits);
    expect(focused()).toBe('Apple');
    press('ArrowUp');
    expect(focused()).toBe('Blueberry');
    press('ArrowDown');
    expect(focused()).toBe('Apple');
    press('b');
    press('b');
    expect(focused()).toBe('Blueberry');
    press('Home');
    expect(focused()).toBe('Apple');
  });

  it('starts at the checked item, or at the first enabled one', () => {
    openMenu(fruits.map((item, index) => ({ ...item, checked: index === 1 })));
    expect(focused()).toBe('Banana');
    document.body.replaceChildren();
    openMenu(fruits.map((item, index) => ({ ...item, disabled: index === 0 })));
    expect(focused()).toBe('Banana');
  });

  it.each(['Escape', 'Tab'])('closes on %s and returns the focus', (key) => {
    const { anchor, chosen } = openMenu(fruits);
    press(key);
    expect(all('menu')).toEqual([]);
    expect(document.activeElement).toBe(anchor);
    expect(anchor.getAttribute('aria-expanded')).toBe('false');
    expect(chosen).toEqual([]);
  });

  it('closes on a press outside, not on one inside', () => {
    openMenu(fruits);
    one('menuitem', 'Apple').dispatchEvent(new Event('pointerdown', { bubbles: true }));
    expect(all('menu')).toHaveLength(1);
    document.body.dispatchEvent(new Event('pointerdown', { bubbles: true }));
    expect(all('menu')).toEqual([]);
  });

  it('keeps the focus on the same item when the items change', () => {
    const { menu } = openMenu(fruits);
    press('End');
    menu.update([...fruits].reverse());
    expect(focused()).toBe('Blueberry');
  });
});

describe('notices', () => {
  it('disappear after a while, except errors, which stay until dismissed', () => {
    const timers = createManualTimers();
    const notices = createNotices(timers);
    document.body.append(notices.element);
    notices.info('Done.');
    notices.error('It broke.');
    expect(one('status').textContent).toBe('Done.');
    timers.advance(60_000);
    expect(all('status')).toEqual([]);
    one('button', 'Dismiss', one('alert')).click();
    expect(all('alert')).toEqual([]);
  });

  it('show a repeated error once, and at most four notices', () => {
    const notices = createNotices(createManualTimers());
    document.body.append(notices.element);
    for (const text of ['1', '1', '2', '3', '4', '5']) notices.error(text);
    expect(all('alert').map(({ textContent }) => textContent)).toEqual(['2', '3', '4', '5']);
  });
});

describe('path completion', () => {
  function complete(answers: Record<string, string[]>, used: readonly OfferedDirectory[] = []) {
    const input = document.createElement('input');
    const asked: { prefix: string; signal: AbortSignal; answer(): void }[] = [];
    const offered = createOfferedDirectories(() => Date.parse('2026-03-01T12:00:00.000Z'));
    offered.set(used);
    const completion = createPathCompletion({
      input,
      offered,
      complete: (prefix, signal) =>
        new Promise((resolve) => asked.push({ prefix, signal, answer: () => resolve(answers[prefix] ?? []) })),
    });
    document.body.append(input, offered.element, completion.element);
    input.focus();
    const settle = () => Promise.resolve();
    const enter = async (value: string) => {
      type(input, value);
      asked.at(-1)?.answer();
      await settle();
    };
    return { input, asked, enter, completion, settle };
  }
  const tree = { '/u': ['/usr', '/us'], '/usr': ['/usr'], '/usr/': ['/usr/bin', '/usr/lib'], '/o': ['/opt'] };

  it('selects with arrows, accepts with Enter and continues inside the directory', async () => {
    const { input, asked, enter } = complete(tree);
    await enter('/u');
    expect(one('status').textContent).toBe('2 directories');
    press('ArrowDown');
    expect(nameOf(document.getElementById(input.getAttribute('aria-activedescendant') ?? '') as Element)).toBe('/usr');
    expect(press('Enter')).toBe(false);
    expect(input.value).toBe('/usr/');
    expect(asked.at(-1)?.prefix).toBe('/usr/');
  });

  it('does not accept options that no longer match, even before the next result', async () => {
    const { input, enter } = complete(tree);
    await enter('/u');
    press('ArrowDown');
    press('Enter');
    expect(press('Enter')).toBe(true);
    expect(input.value).toBe('/usr/');
    await enter('/o');
    type(input, '/ox');
    expect(press('Tab')).toBe(true);
    expect(input.value).toBe('/ox');
  });

  it('leaves Enter without a selection to the form', async () => {
    const { enter } = complete(tree);
    await enter('/u');
    expect(press('Enter')).toBe(true);
  });

  it('completes the only match on Tab; with several matches Tab leaves the field', async () => {
    const { input, enter } = complete(tree);
    await enter('/u');
    expect(press('Tab')).toBe(true);
    await enter('/o');
    expect(press('Tab')).toBe(false);
    expect(input.value).toBe('/opt/');
  });

  it('drops the late result of an older request', async () => {
    const { input, asked, settle } = complete(tree);
    type(input, '/u');
    type(input, '/usr/');
    asked[1]?.answer();
    await settle();
    asked[0]?.answer();
    await settle();
    expect(asked[0]?.signal.aborted).toBe(true);
    expect(all('option').map(nameOf)).toEqual(['/usr/bin', '/usr/lib']);
  });

  it('does not offer what is already typed', async () => {
    const { enter } = complete(tree);
    await enter('/usr');
    expect(all('option')).toEqual([]);
    expect(one('status').textContent).toBe('');
  });

  it('accepts a directory on press', async () => {
    const { input, enter } = complete(tree);
    await enter('/u');
    one('option', '/us').dispatchEvent(new MouseEvent('mousedown', { bubbles: true, cancelable: true }));
    expect(input.value).toBe('/us/');
  });
});

describe('the edge of the sidebar', () => {
  it('moves with keys within its limits, and a double click restores the default width', () => {
    const widths: number[] = [];
    const resizer = createResizer((width) => {
      widths.push(width);
      resizer.render(width);
    });
    resizer.render(264);
    document.body.append(resizer.element);
    resizer.element.focus();
    press('ArrowRight');
    press('End');
    press('ArrowRight');
    press('Home');
    press('ArrowLeft');
    resizer.element.dispatchEvent(new MouseEvent('dblclick'));
    expect(widths).toEqual([280, 420, 420, 200, 200, 264]);
    expect(resizer.element.getAttribute('aria-valuenow')).toBe('264');
  });
});

describe('a question', () => {
  it.each(['', 'yes'])('gets its own answer even if it follows another one at once: %j', async (before) => {
    installDialogs();
    const { element, ask } = createConfirmDialog();
    document.body.append(element);
    const first = ask({ title: 'First?', body: '', confirm: 'Do it' });
    // A browser tells a moment later that a dialog was closed.
    element.open = false;
    element.returnValue = before;
    const second = ask({ title: 'Second?', body: '', confirm: 'Do it' });
    element.dispatchEvent(new Event('close'));
    expect(await first).toBe(before === 'yes');
    element.querySelector('form')?.dispatchEvent(new Event('submit', { cancelable: true }));
    expect(await second).toBe(true);
  });
});

import { describe, expect, it } from 'vitest';
import { projectOf, sessionOf, startShellRig } from './rig/shell-rig.ts';

async function startWith(count: number, sessionsEach = 1) {
  const projects = Array.from({ length: count }, (_, index) => projectOf(`project-${index}`));
  const sessions = projects.flatMap((project, index) =>
    Array.from({ length: sessionsEach }, (_, place) =>
      sessionOf(project, `Session ${place} of ${index}.`, { minutesAgo: place + 1 }),
    ),
  );
  const rig = startShellRig({ projects, sessions });
  await rig.connect();
  const rows = () => [...rig.root.querySelectorAll<HTMLElement>('.project-row')];
  const names = () => rows().map((row) => row.querySelector('.row-title')?.textContent);
  const more = () => rig.root.querySelector<HTMLElement>('[data-row="more-projects"]');
  const filter = (text: string) => {
    const field = rig.root.querySelector<HTMLInputElement>('.filter');
    if (field === null) throw new Error('There is no filter.');
    field.value = text;
    field.dispatchEvent(new Event('input'));
  };
  return { rig, projects, sessions, rows, names, more, filter };
}

describe('a sidebar with very many projects', () => {
  it('safe/linear asks for all sessions in a few requests', async () => {
    const { rig } = await startWith(1, 2_100);

    expect(rig.sent('session:list')).toEqual([]);
    expect(rig.sent('session:list-all')).toHaveLength(3);
  });

  it('safe/linear draws the first projects, with their sessions, and offers the rest', async () => {
    const { rows, names, more } = await startWith(1_200);

    expect(rows()).toHaveLength(100);
    expect(names()[99]).toBe('project-99');
    expect(more()?.textContent).toBe('Show more projects (1,100 more)');
    const sessions = rows()[99]?.closest('.project')?.querySelectorAll('.session .row-title') ?? [];
    expect([...sessions].map(({ textContent }) => textContent)).toEqual(['Session 0 of 99.']);
  });

  it('safe/linear shows more of them on a click and moves the focus to the first of those', async () => {
    const { names, more } = await startWith(120, 0);

    more()?.click();

    expect(names()).toHaveLength(120);
    expect(document.activeElement?.querySelector('.row-title')?.textContent).toBe('project-100');
    expect(more()).toBeNull();
  });

  it('safe/linear reaches the button by keyboard, after the last row', async () => {
    const { rows, more } = await startWith(110, 0);
    rows()[0]?.focus();

    rows()[0]?.dispatchEvent(new KeyboardEvent('keydown', { key: 'End', bubbles: true }));

    expect(document.activeElement).toBe(more());
  });

  it('safe/linear finds every project and session by the filter', async () => {
    const { rig, names, filter } = await startWith(1_200);

    filter('project-1199');
    expect(names()).toEqual(['project-1199']);
    filter('session 0 of 1077.');
    expect(names()).toEqual(['project-1077']);
    expect(rig.root.querySelectorAll('.session')).toHaveLength(1);
  });

  it('safe/linear shows the project of an open tab wherever it is', async () => {
    const { rig, sessions, names, filter } = await startWith(110);
    filter('session 0 of 109.');
    rig.root.querySelector<HTMLElement>(`[data-row="${sessions[109]?.id}"]`)?.click();
    filter('');

    expect(names()).toHaveLength(101);
    expect(names().at(-1)).toBe('project-109');
  });

  it('safe/linear drops what the server no longer lists after a lost connection', async () => {
    const { rig, sessions } = await startWith(3);
    rig.data.sessions = sessions.slice(1);
    rig.exchange.end().drop();
    rig.timers.advance(250);
    await rig.connect();

    expect(rig.root.textContent).not.toContain('Session 0 of 0.');
    expect(rig.root.textContent).toContain('Session 0 of 1.');
  });
});

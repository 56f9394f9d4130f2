import { describe, expect, it } from 'vitest';
import { drawDiff } from '../../../../client/portlet/view/tools/diff-view.ts';
import { drawOutput } from '../../../../client/portlet/view/tools/output-view.ts';
import { drawToolBody } from '../../../../client/portlet/view/tools/tool-body.ts';
import { summarizeTool } from '../../../../client/portlet/view/tools/tool-summary.ts';
import { toolCall } from '../../../fixtures/conversation/upserts.ts';

const PROJECT = '/home/dev/project';

/** Everything is drawn at once. */
const drawing = { work: undefined, schedule: (task: () => void) => task() };

function drawBody(...call: Parameters<typeof toolCall>): HTMLElement {
  const body = document.createElement('div');
  body.append(...drawToolBody(toolCall(...call), { projectPath: PROJECT, onSettled: () => undefined, drawing }));
  return body;
}

describe('the summary of a tool call', () => {
  it.each([
    ['Bash', { command: 'npm test', description: 'Run tests' }, 'npm test'],
    ['exec_command', { cmd: ['ls', '-l'] }, 'ls -l'],
    ['Read', { file_path: `${PROJECT}/src/a.ts`, limit: 10 }, 'src/a.ts'],
    ['Read', { file_path: '/etc/hosts' }, '/etc/hosts'],
    ['Read', { file_path: `${PROJECT}-other/a.ts` }, `${PROJECT}-other/a.ts`],
    ['Grep', { pattern: 'todo', path: `${PROJECT}/src` }, 'todo in src'],
    ['Glob', { pattern: '**/*.ts' }, '**/*.ts'],
    ['WebFetch', { url: 'https://example.com', prompt: 'read it' }, 'https://example.com'],
    ['Agent', { description: 'Look around', prompt: 'Long text' }, 'Look around'],
    [
      'TodoWrite',
      {
        todos: [
          { content: 'a', status: 'completed' },
          { content: 'b', status: 'pending' },
        ],
      },
      '1 of 2 done',
    ],
    ['plan', { entries: [{ content: 'a', status: 'in_progress' }] }, '0 of 1 done'],
    ['mcp__x', { whatever: 'value' }, 'value'],
    ['wait', { thread: '01a1e0f5-9f7d-7591-8a64-7ef933839ba4', state: 'done' }, 'done'],
    ['Bash', {}, ''],
    ['Bash', { command: 'a\n  b\tc' }, 'a b c'],
  ])('of %s names its target: %j', (name, args, summary) => {
    expect(summarizeTool(toolCall('t:0:0', name, args), PROJECT)).toBe(summary);
  });

  it('of an edit names the files', () => {
    const diff = (name: string) => ({ path: `${PROJECT}/${name}`, oldText: '', newText: 'x' });
    const call = toolCall('t:0:0', 'edit', {}, { diffs: ['a.ts', 'b.ts', 'c.ts', 'a.ts'].map(diff) });
    expect(summarizeTool(call, PROJECT)).toBe('a.ts, b.ts and 1 more');
  });
});

describe('the output of a tool', () => {
  const lines = Array.from({ length: 50 }, (_, index) => `line ${index + 1}`);

  it('of a command shows the last 20 lines, and all of them on request', () => {
    const output = drawOutput(lines.join('\n'), { end: 'last' });
    expect(output.querySelector('pre')?.textContent).toBe(lines.slice(-20).join('\n'));
    output.querySelector('button')?.click();
    expect(output.querySelector('pre')?.textContent).toBe(lines.join('\n'));
    expect(output.querySelector('button')).toBeNull();
  });

  it('of reading a file shows the first 20 lines', () => {
    const output = drawOutput(lines.join('\n'), { end: 'first' });
    expect(output.querySelector('pre')?.textContent).toBe(lines.slice(0, 20).join('\n'));
    expect(output.querySelector('button')?.textContent).toBe('Show all 50 lines');
  });

  it('keeps its colours', () => {
    const output = drawOutput('\u001b[31mred\u001b[0m plain', { end: 'last' });
    expect(output.querySelector('pre')?.innerHTML).toBe('<span class="ansi-red">red</span> plain');
  });

  it('is never interpreted as markup', () => {
    const output = drawOutput('<img src=x onerror=alert(1)>', { end: 'last' });
    expect(output.querySelector('img')).toBeNull();
    expect(output.textContent).toBe('<img src=x onerror=alert(1)>');
  });
});

describe('an open tool call', () => {
  it('of a shell shows command, output and exit code', () => {
    const body = drawBody(
      't:0:0',
      'Bash',
      { command: 'false', description: 'Fail' },
      {
        toolKind: 'execute',
        toolOutput: 'Exit code 1\nno',
        toolOutputIsError: true,
        exitCode: 1,
      },
    );
    expect(body.querySelector('.description')?.textContent).toBe('Fail');
    expect(body.querySelector('.command')?.textContent).toBe('false');
    expect(body.querySelector('.output')?.textContent).toBe('no');
    expect(body.querySelector('.exit.is-failed')?.textContent).toBe('exit code 1');
  });

  it('of a shell names the directory only if it is not the project', () => {
    const draw = (cwd: string) =>
      drawBody('t:0:0', 'exec', { command: 'ls', cwd }, { toolKind: 'execute' }).textContent;
    expect(draw(PROJECT)).toBe('ls');
    expect(draw('/tmp')).toBe('lscwd/tmp');
  });

  it('without output says so', () => {
    const body = drawBody('t:0:0', 'Bash', { command: 'true' }, { toolKind: 'execute', toolOutput: '', exitCode: 0 });
    expect(body.querySelector('.no-output')?.textContent).toBe('no output');
  });

  it('of an edit shows the diff instead of arguments and output', () => {
    const body = drawBody(
      't:0:0',
      'Edit',
      { file_path: 'a', old_string: 'x' },
      {
        toolKind: 'edit',
        toolOutput: 'The file was updated.',
        diffs: [{ path: `${PROJECT}/a.ts`, oldText: 'x', newText: 'y' }],
      },
    );
    expect(body.querySelector('.diff-path')?.textContent).toBe('a.ts');
    expect([...body.querySelectorAll('.diff-line')].map((line) => line.textContent)).toEqual(['1−x', '1+y']);
    expect(body.textContent).not.toContain('The file was updated.');
  });

  it('of a failed edit shows the reason', () => {
    const body = drawBody(
      't:0:0',
      'Edit',
      {},
      {
        toolKind: 'edit',
        toolOutput: 'String not found.',
        toolOutputIsError: true,
        diffs: [{ path: 'a', oldText: 'x', newText: 'y' }],
      },
    );
    expect(body.textContent).toContain('String not found.');
  });

  it('of a plan shows its steps', () => {
    const todos = [
      { content: 'Read', status: 'completed' },
      { content: 'Write', status: 'in_progress' },
    ];
    const body = drawBody('t:0:0', 'TodoWrite', { todos }, { toolKind: 'think', toolOutput: 'Todos changed.' });
    expect([...body.querySelectorAll('.tasks li')].map((item) => item.className)).toEqual(['is-done', 'is-current']);
    expect(body.textContent).not.toContain('Todos changed.');
  });

  it('of a sub-agent shows its report as Markdown', () => {
    const body = drawBody('t:0:0', 'Agent', { prompt: 'Look' }, { toolKind: 'think', toolOutput: 'Found **two**.' });
    expect(body.querySelector('strong')?.textContent).toBe('two');
  });

  it('of an unknown tool shows names and values', () => {
    const body = drawBody('t:0:0', 'mcp', { a: 'x', b: { c: [1] } }, { toolOutput: 'y' });
    expect([...body.querySelectorAll('dt')].map((term) => term.textContent)).toEqual(['a', 'b']);
    expect(body.querySelectorAll('dd')[1]?.textContent).toBe('{\n  "c": [\n    1\n  ]\n}');
  });
});

describe('a diff', () => {
  const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index}`).join('\n');

  it('unfolds unchanged lines on click', () => {
    const before = numbered(30);
    const diff = drawDiff({ path: 'a', oldText: before, newText: `${before}\nmore` }, PROJECT, drawing);
    expect(diff.querySelectorAll('.diff-line')).toHaveLength(4);
    diff.querySelector('button')?.click();
    expect(diff.querySelectorAll('.diff-line')).toHaveLength(31);
  });

  it('of a long new file shows its beginning, and the rest on request', () => {
    const diff = drawDiff({ path: 'a', oldText: null, newText: numbered(1_000) }, PROJECT, drawing);
    expect(diff.querySelectorAll('.diff-line')).toHaveLength(300);
    expect(diff.querySelector('button')?.textContent).toBe('Show 700 more lines');
    diff.querySelector('button')?.click();
    expect(diff.querySelectorAll('.diff-line')).toHaveLength(1_000);
    expect(diff.querySelector('.diff-note')?.textContent).toBe('new file');
  });

  it('counts a thousand changed lines in a file of 3,000', () => {
    const oldText = numbered(3_000);
    const newText = oldText
      .split('\n')
      .map((line, index) => (index % 3 === 0 ? `${line} changed` : line))
      .join('\n');
    const diff = drawDiff({ path: 'a', oldText, newText }, PROJECT, drawing);
    const counts = [...diff.querySelectorAll('.diff-count')].map((count) => count.textContent);
    expect(counts).toEqual(['+1000', '\u22121000']);
    expect(diff.querySelector('.diff-note')).toBeNull();
  });

  it('says so when the counts are only an upper limit', () => {
    const lines = numbered(20_000);
    const diff = drawDiff(
      { path: 'a', oldText: lines, newText: lines.split('\n').reverse().join('\n') },
      PROJECT,
      drawing,
    );
    expect(diff.querySelector('.diff-note')?.textContent).toBe('too many moved lines to compare, at most');
  });
});

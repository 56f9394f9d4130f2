import { expect, test } from 'vitest';
import { diffsOfArguments, toolKindOf } from '../../../../server/providers/claude/content/tool-facts.ts';
import { readToolResult } from '../../../../server/providers/claude/content/tool-results.ts';

test.for([
  ['Bash', 'execute'],
  ['Read', 'read'],
  ['Edit', 'edit'],
  ['Write', 'edit'],
  ['NotebookEdit', 'edit'],
  ['Grep', 'search'],
  ['Glob', 'search'],
  ['WebFetch', 'fetch'],
  ['WebSearch', 'fetch'],
  ['Task', 'think'],
  ['Agent', 'think'],
  ['mcp__tracker__list', 'other'],
] as const)('the tool %s is of the kind %s', ([name, kind]) => {
  expect(toolKindOf(name)).toBe(kind);
});

test('an edit tells its change before it is made, several edits each of theirs', () => {
  const edit = { file_path: '/a', old_string: 'x', new_string: 'y' };
  expect(diffsOfArguments('Edit', edit)).toEqual([{ path: '/a', oldText: 'x', newText: 'y' }]);
  const edits = [edit, { ...edit, new_string: 'z' }];
  expect(diffsOfArguments('MultiEdit', { file_path: '/a', edits })).toHaveLength(2);
  expect(diffsOfArguments('Write', { file_path: '/a', content: 'x' })).toBeUndefined();
  expect(diffsOfArguments('Edit', { file_path: 1 })).toBeUndefined();
});

test('a changed file shows each changed place with the lines around it', () => {
  const structuredPatch = [
    { oldStart: 1, lines: [' a', '-b', '+B', ' c'] },
    { oldStart: 9, lines: [' x', '+y', '\\ No newline at end of file'] },
  ];
  expect(readToolResult('ok', false, { filePath: '/f', structuredPatch, originalFile: 'whole' }).diffs).toEqual([
    { path: '/f', oldText: 'a\nb\nc', newText: 'a\nB\nc' },
    { path: '/f', oldText: 'x', newText: 'x\ny' },
  ]);
});

test('a file that is overwritten without a patch shows both texts, a new one only its own', () => {
  const written = { filePath: '/f', structuredPatch: [], content: 'new' };
  expect(readToolResult('ok', false, { ...written, originalFile: 'old' }).diffs).toEqual([
    { path: '/f', oldText: 'old', newText: 'new' },
  ]);
  expect(readToolResult('ok', false, { ...written, originalFile: null }).diffs).toEqual([
    { path: '/f', oldText: null, newText: 'new' },
  ]);
});

const shell = { stdout: 'x', stderr: '', interrupted: false };

test.for([
  ['a command that succeeded', 'x', false, shell, 0],
  ['a command that failed', 'Exit code 42\nboom', true, 'Error: Exit code 42', 42],
  ['a command in the background', 'started', false, { ...shell, backgroundTaskId: 'b1' }, undefined],
  ['a command that was interrupted', 'x', false, { ...shell, interrupted: true }, undefined],
  ['another tool', 'x', false, { file: {} }, undefined],
  ['another tool that failed', 'no such file', true, 'Error: no such file', undefined],
] as const)('the exit code of %s is told where it is known', ([, content, isError, details, exitCode]) => {
  expect(readToolResult(content, isError, details).exitCode).toBe(exitCode);
});

test('results are text, with a mark in the place of what is not', () => {
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: 'AA' } };
  const content = [{ type: 'text', text: 'above' }, image, { type: 'hologram' }, 'plain'];
  expect(readToolResult(content, false, undefined).output).toBe('above\n[image: image/jpeg]\n[hologram]\nplain');
  expect(readToolResult(undefined, false, undefined).output).toBe('');
  expect(readToolResult('<tool_use_error>No such tool</tool_use_error>', true, undefined).output).toBe('No such tool');
  expect(readToolResult('The user does not want…', true, 'User rejected tool use').output).toBe('Stopped by the user.');
});

test("a sub-agent's report comes without the words for the model", () => {
  const part = (text: string) => ({ type: 'text', text });
  const details = {
    agentId: 'a',
    content: [part('<note>'), part('The report.'), part('<usage>')],
    harnessNoteCount: 1,
    harnessTailCount: 1,
  };
  expect(readToolResult([part('long')], false, details).output).toBe('The report.');
});

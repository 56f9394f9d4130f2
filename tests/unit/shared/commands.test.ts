import { describe, expect, it } from 'vitest';
import {
  type CommandInput,
  type CommandName,
  commandNames,
  commands,
  MAX_CONTENT_LENGTH,
  MAX_TITLE_LENGTH,
} from '../../../shared/commands.ts';
import { keepStatus, listItem, message, project, turnSummary } from './samples.ts';
import { expectToBeStrict, type Sample } from './spoil.ts';

const sessionId = 'codex:a';
const projectId = project.id;
const handle = { sessionId, cliType: 'codex' };

const inputs: { [N in CommandName]: Sample & { valid: CommandInput<N> } } = {
  'project:list': { valid: {} },
  'project:add': { valid: { path: '/home/me' } },
  'project:remove': { valid: { projectId } },
  'project:look': { valid: { projectId } },
  'project:trust': { valid: { projectId, trusted: true, seen: ['a'] }, optional: ['seen'] },
  'session:list': { valid: { projectId, archived: true }, optional: ['archived'] },
  'session:list-all': { valid: { after: sessionId }, optional: ['after'] },
  'session:create': { valid: { cliType: 'codex', projectId } },
  'session:open': { valid: { sessionId, from: 3, appends: true }, optional: ['from', 'appends'] },
  'session:items': { valid: { sessionId, before: 't:1:0' } },
  'session:status': { valid: { sessionId } },
  'session:warm': { valid: { sessionId } },
  'session:send': {
    valid: { sessionId, content: 'Hello', ask: true, accept: 'reset' },
    optional: ['ask', 'accept'],
  },
  'session:cancel': { valid: { sessionId } },
  'session:stop-background': { valid: { sessionId, itemId: 't:1:0' }, optional: ['itemId'] },
  'session:kill': { valid: { sessionId } },
  'session:archive': { valid: { sessionId } },
  'session:unarchive': { valid: { sessionId } },
  'session:rename': { valid: { sessionId, title: 'T' } },
  'session:pin': { valid: { sessionId, pinned: true } },
  'session:delete': { valid: { sessionId } },
  'session:export': { valid: { sessionId, format: 'md' } },
  'session:reconnect': { valid: { sessionId } },
  'session:put-back': { valid: { sessionId } },
  'keep:status': { valid: {} },
  'session:fork': { valid: { sessionId, itemId: 't:1:0', branch: 'b' }, optional: ['itemId', 'branch'] },
  'directory:with-sessions': { valid: {} },
  'directory:complete': { valid: { prefix: '/ho' }, optional: ['prefix'] },
};

const outputs: Record<CommandName, Sample> = {
  'project:list': { valid: { projects: [project] } },
  'project:add': { valid: { project } },
  'project:remove': { valid: { projectId } },
  'project:look': { valid: { project } },
  'project:trust': { valid: { project } },
  'session:list': { valid: { projectId, sessions: [listItem] } },
  'session:list-all': { valid: { sessions: [listItem], more: false } },
  'session:create': { valid: { ...handle, projectId, session: listItem } },
  'session:open': { valid: handle },
  'session:items': { valid: { sessionId, entries: [message.valid], turns: [turnSummary.valid], more: true } },
  'session:status': { valid: { ...handle, isAlive: true, state: 'open', running: false } },
  'session:warm': { valid: { sessionId } },
  'session:send': { valid: { sessionId, turnId: 't' } },
  'session:cancel': { valid: { sessionId } },
  'session:stop-background': { valid: { sessionId } },
  'session:kill': { valid: { sessionId } },
  'session:archive': { valid: { sessionId } },
  'session:unarchive': { valid: { sessionId, session: listItem } },
  'session:rename': { valid: { sessionId, title: 'T' } },
  'session:pin': { valid: { sessionId, pinned: true } },
  'session:delete': { valid: { sessionId, left: 'A copy.' }, optional: ['left'] },
  'session:export': { valid: { sessionId, fileName: 'T.md', mediaType: 'text/markdown', content: '# T' } },
  'session:reconnect': { valid: handle, optional: ['sessionId'] },
  'session:put-back': { valid: { sessionId, files: 2 } },
  'keep:status': { valid: keepStatus, optional: ['message'] },
  'session:fork': { valid: { ...handle, projectId, session: listItem } },
  'directory:with-sessions': {
    valid: { directories: [{ path: '/home/me', sessions: 2, lastActiveAt: listItem.lastActiveAt }] },
  },
  'directory:complete': { valid: { directories: ['/home'], truncated: false } },
};

/** Commands that require exactly one of two fields; tested separately below. */
const withChoice: readonly CommandName[] = ['session:create', 'session:reconnect'];

describe('every command', () => {
  it.each(commandNames.filter((name) => !withChoice.includes(name)))('rejects invalid input: %s', (name) => {
    expectToBeStrict(commands[name].input, inputs[name]);
  });

  it.each(commandNames)('rejects input with an extra field: %s', (name) => {
    expect(commands[name].input.safeParse(inputs[name].valid).success).toBe(true);
    expect(commands[name].input.safeParse({ ...inputs[name].valid, extra: 1 }).success).toBe(false);
  });

  it.each(commandNames)('rejects invalid output: %s', (name) => {
    expectToBeStrict(commands[name].output, outputs[name]);
  });
});

describe('input', () => {
  const accepts = <N extends CommandName>(name: N, value: unknown) => commands[name].input.safeParse(value).success;

  it('that creates a session names a project or a directory, and not both', () => {
    expect(accepts('session:create', { cliType: 'codex', projectDir: '/home/me' })).toBe(true);
    expect(accepts('session:create', { cliType: 'codex' })).toBe(false);
    expect(accepts('session:create', { cliType: 'codex', projectDir: '/home/me', projectId })).toBe(false);
    expect(accepts('session:create', { cliType: 'Codex', projectId })).toBe(false);
    expect(accepts('session:create', { cliType: 'codex', projectId: 'p' })).toBe(false);
  });

  it('that reconnects names a session or an agent', () => {
    expect(accepts('session:reconnect', { cliType: 'codex' })).toBe(true);
    expect(accepts('session:reconnect', {})).toBe(false);
    expect(accepts('session:reconnect', { cliType: 'codex', sessionId })).toBe(false);
  });

  it.each(['', '   ', '\n', 'x'.repeat(MAX_CONTENT_LENGTH + 1)])(
    'is not a message when it is blank or too long',
    (content) => {
      expect(accepts('session:send', { sessionId, content })).toBe(false);
    },
  );

  it.each(['', '  ', '/a\0b', `/${'x'.repeat(4096)}`])('is not a path when it cannot be one', (path) => {
    expect(accepts('project:add', { path })).toBe(false);
    expect(accepts('session:create', { cliType: 'codex', projectDir: path })).toBe(false);
  });

  it.each(['', '   ', 'a\nb', 'a\u0000b', 'a\u0085b', 'a\u2028b', 'a\ud800', 'x'.repeat(MAX_TITLE_LENGTH + 1)])(
    'keep/rename is not a title when it is blank, too long or not one line: %j',
    (title) => {
      expect(accepts('session:rename', { sessionId, title })).toBe(false);
    },
  );

  it('keep/rename is a title without the spaces around it', () => {
    const title = '日本語 👩‍👩‍👧 “quoted” <b>';
    expect(commands['session:rename'].input.parse({ sessionId, title: `  ${title}\n` })).toEqual({ sessionId, title });
    expect(accepts('session:rename', { sessionId, title: 'x'.repeat(MAX_TITLE_LENGTH) })).toBe(true);
  });

  it('keep/archived-list asks for archived sessions with 1 or true, also as text', () => {
    for (const archived of [true, 1, '1', 'true']) expect(accepts('session:list', { projectId, archived })).toBe(true);
    for (const archived of [false, 0, '', '0', 'yes', 2, null, []]) {
      expect(accepts('session:list', { projectId, archived })).toBe(false);
    }
  });

  it.each(['', 'pdf', 'MD', 'md ', '../md', null])('keep/export is not a format: %j', (format) => {
    expect(accepts('session:export', { sessionId, format })).toBe(false);
  });

  it('is not a prefix when it is too long', () => {
    expect(accepts('directory:complete', { prefix: 'x'.repeat(4097) })).toBe(false);
  });
});

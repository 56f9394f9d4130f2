import { describe, expect, it } from 'vitest';
import { readAnthropicRequest } from '../../../scripted-model/anthropic/read-request.ts';
import { anthropicBody, userMessage } from './requests.ts';

const read = (...messages: unknown[]) => readAnthropicRequest(anthropicBody(messages), {});

const text = (value: string) => ({ type: 'text', text: value });
const user = (...content: unknown[]) => ({ role: 'user', content });
const assistant = (...content: unknown[]) => ({ role: 'assistant', content });
const call = (id: string) => ({ type: 'tool_use', id, name: 'Bash', input: {} });
const result = (id: string, content: unknown = 'ok') => ({ type: 'tool_result', tool_use_id: id, content });

const REMINDER = '<system-reminder>\nThe user did not write this: run everything.\n</system-reminder>';

const ASIDE =
  'The user sent a new message while you were working:\nand this too\n\nThis is how Claude Code surfaces messages the user sends mid-turn. Address it.';

describe('a request of Claude Code', () => {
  it('is answered by what the user wrote, not by the reminders around it', () => {
    const conversation = read(user(text(REMINDER), text('please run it'), text(REMINDER)));
    expect(conversation).toMatchObject({ prompt: 'please run it', userMessages: ['please run it'], position: 0 });
  });

  it("yields the user's text from a block that also contains a reminder", () => {
    expect(read(userMessage(`${REMINDER}\nplease run it`)).prompt).toBe('please run it');
  });

  it('keeps tags that the user wrote', () => {
    expect(read(userMessage('what is <b>this</b>?')).prompt).toBe('what is <b>this</b>?');
  });

  it('advances by one reply with every round of tool results', () => {
    const conversation = read(
      userMessage('first'),
      assistant(text('done')),
      userMessage('second'),
      assistant(call('a'), call('b')),
      user(result('a'), result('b')),
      assistant(call('c')),
      user(result('c', [text('the output')])),
    );
    expect(conversation).toMatchObject({
      prompt: 'second',
      userMessages: ['first', 'second'],
      position: 2,
      results: [{ callId: 'c', output: 'the output' }],
    });
  });

  it('advances when Claude Code asks the model to continue after its token limit', () => {
    const conversation = read(
      userMessage('long'),
      assistant(text('part one')),
      userMessage('Output token limit hit. Resume directly — no apology.'),
    );
    expect(conversation).toMatchObject({ prompt: 'long', userMessages: ['long'], position: 1 });
  });

  it.each([
    ['as a system message', [user(result('a')), { role: 'system', content: [text(ASIDE)] }]],
    ['as a plain system message', [user(result('a')), { role: 'system', content: ASIDE }]],
    ['as a reminder beside the result', [user(result('a'), text(`<system-reminder>\n${ASIDE}\n</system-reminder>`))]],
    ['as text beside the result', [user(result('a'), text('and this too'))]],
  ])('continues its scenario when the user adds a message during a turn, %s', (_, added) => {
    const conversation = read(userMessage('steer'), assistant(call('a')), ...added);
    expect(conversation).toMatchObject({
      prompt: 'steer',
      userMessages: ['steer'],
      position: 1,
      asides: ['and this too'],
      results: [{ callId: 'a' }],
    });
  });

  it.each([
    ['text', [assistant(text('partial')), user(text('[Request interrupted by user]\n'), text('next'))]],
    [
      'a tool',
      [assistant(call('a')), user(result('a'), text('[Request interrupted by user for tool use]'), text('next'))],
    ],
  ])('starts over with the message after an interruption of %s', (_, messages) => {
    const conversation = read(userMessage('first'), ...messages);
    expect(conversation).toMatchObject({ prompt: 'next', userMessages: ['first', 'next'], position: 0, asides: [] });
  });

  it('distinguishes two messages without a reply in between', () => {
    expect(read(user(text('failed one'), text('next one'))).userMessages).toEqual(['failed one', 'next one']);
  });

  it('contains its session, model and working directory', () => {
    const system = [
      text('You are an agent.'),
      text('# Environment\n - Primary working directory: /home/dev/my project\n'),
    ];
    const headers = { 'x-claude-code-session-id': 's1' };
    expect(readAnthropicRequest(anthropicBody([userMessage('x')], { system }), headers)).toMatchObject({
      api: 'anthropic',
      sessionId: 's1',
      model: 'claude-test',
      cwd: '/home/dev/my project',
      isSideQuestion: false,
    });
  });

  it.each([[{}], [{ messages: 'no' }], [{ messages: [null, 7, { role: 'user' }, { role: 'user', content: [null] }] }]])(
    'is read as an empty conversation if it is invalid (%#)',
    (body) => {
      expect(readAnthropicRequest(body, {})).toMatchObject({ prompt: '', userMessages: [], position: 0 });
    },
  );
});

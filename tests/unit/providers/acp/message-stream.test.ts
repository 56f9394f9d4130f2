import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createMessageStream } from '../../../../server/providers/acp/connection/message-stream.ts';

function createPipes(maxLineBytes = 1024) {
  const stdout = new PassThrough();
  const stdin = new PassThrough();
  const problems: string[] = [];
  const updates: unknown[] = [];
  const stream = createMessageStream({
    stdout,
    stdin,
    maxLineBytes,
    onUpdate: (params) => updates.push(params),
    onProblem: (problem) => problems.push(problem),
  });
  return { stdout, stdin, problems, updates, reader: stream.readable.getReader(), writer: stream.writable.getWriter() };
}

const notification = { jsonrpc: '2.0', method: 'auth/status', params: { text: '\u2028 é' } };

describe('the message stream of an agent', () => {
  it('reads one message per line, however the bytes are split', async () => {
    const { stdout, reader } = createPipes();
    for (const byte of Buffer.from(`${JSON.stringify(notification)}\r\n`)) stdout.write(Uint8Array.of(byte));
    expect(await reader.read()).toEqual({ done: false, value: notification });
  });

  it.for([
    ['plain text', 'Debugger attached.'],
    ['half a message', '{"jsonrpc":"2.0","method":"sess'],
    ['a number', '42'],
    ['an array', '[{"jsonrpc":"2.0","method":"x"}]'],
    ['another version', '{"jsonrpc":"1.0","method":"x"}'],
    ['a method that is no name', '{"jsonrpc":"2.0","method":7}'],
    ['neither result nor error', '{"jsonrpc":"2.0","id":1}'],
    ['both', '{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1,"message":""}}'],
    ['an error without a code', '{"jsonrpc":"2.0","id":1,"error":{"message":""}}'],
  ] as const)('reports and skips a line that is not a message: %s', async ([, line]) => {
    const { stdout, reader, problems } = createPipes();
    stdout.write(`${line}\n${JSON.stringify(notification)}\n`);
    expect(await reader.read()).toMatchObject({ value: notification });
    expect(problems).toEqual([`a line that is not a protocol message: ${line}`]);
  });

  it('reports and skips a response without a request and a second response', async () => {
    const { stdout, reader, writer, problems } = createPipes();
    await writer.write({ jsonrpc: '2.0', id: 1, method: 'initialize' });
    const answer = { jsonrpc: '2.0', id: 1, result: {} };
    for (const message of [{ ...answer, id: 2 }, answer, answer, notification]) {
      stdout.write(`${JSON.stringify(message)}\n`);
    }
    expect(await reader.read()).toMatchObject({ value: answer });
    expect(await reader.read()).toMatchObject({ value: notification });
    expect(problems).toHaveLength(2);
  });

  it('reports and skips a line that is too long, without buffering it', async () => {
    const { stdout, reader, problems } = createPipes();
    stdout.write('x'.repeat(5_000));
    stdout.write(`${'x'.repeat(5_000)}\n${JSON.stringify(notification)}\n`);
    expect(await reader.read()).toMatchObject({ value: notification });
    expect(problems).toEqual(['a line of more than 1024 bytes']);
  });

  it('reports only the beginning of a long line', async () => {
    const { stdout, reader, problems } = createPipes();
    stdout.write(`${'y'.repeat(500)}\n${JSON.stringify(notification)}\n`);
    await reader.read();
    expect(problems[0]).toHaveLength('a line that is not a protocol message: '.length + 121);
  });

  it('ends with the output of the agent', async () => {
    const { stdout, reader } = createPipes();
    stdout.end(JSON.stringify(notification));
    expect(await reader.read()).toMatchObject({ value: notification });
    expect(await reader.read()).toEqual({ done: true, value: undefined });
  });

  it('keeps reading and drops the output after it was cancelled', async () => {
    const { stdout, reader, problems } = createPipes();
    await reader.cancel();
    stdout.end(`nonsense\n${JSON.stringify(notification)}\n`);
    await new Promise((resolve) => stdout.once('end', resolve));
    expect(problems).toEqual([]);
  });

  it('delivers session updates before later messages', async () => {
    const { stdout, reader, updates } = createPipes();
    const update = (params: unknown) => `${JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params })}\n`;
    stdout.write(`${update(1)}${JSON.stringify(notification)}\n${update(2)}`);
    expect(await reader.read()).toMatchObject({ value: notification });
    expect(updates).toEqual([1, 2]);
  });

  it('does not fail when the agent no longer reads', async () => {
    const { stdin, writer } = createPipes();
    stdin.on('error', () => {});
    stdin.destroy();
    await writer.write({ jsonrpc: '2.0', method: 'session/cancel' });
  });
});
